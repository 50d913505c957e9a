"""What the stand-in for the server of Weights & Biases knows and answers to GraphQL.

In: operations with their variables. Out: the "data" of each answer. State: runs, charts, artifacts.
"""

import base64
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

ENTITY = "stub-entity"
Variables = dict[str, Any]


@dataclass
class Run:
    """What the server knows of a run; `name` is the id that the user knows."""

    id: str
    name: str
    project: str
    config: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    summary: dict[str, Any] = field(default_factory=dict)
    complete: bool = False

    @property
    def charts(self) -> dict[str, Any]:
        """The entry of each custom chart in the config."""
        found: dict[str, Any] = self.config.get("_wandb", {}).get("value", {}).get("visualize", {})
        return found

    def bucket(self) -> dict[str, Any]:
        """The run as the server shows it."""
        entity = {"id": "e1", "name": ENTITY}
        return {
            "id": self.id,
            "name": self.name,
            "displayName": f"run {self.name}",
            "description": None,
            "config": json.dumps(self.config),
            "sweepName": None,
            "project": {"id": "p1", "name": self.project, "entity": entity},
            "historyLineCount": len(self.history),
        }


class Answers:
    """One method for each operation that wandb asks for, named after it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.runs: dict[str, Run] = {}
        self.charts: list[Variables] = []
        self.artifacts: list[dict[str, Any]] = []
        self.unknown: Counter[str] = Counter()
        self._number = 0

    def answer(self, operation: str, variables: Variables) -> dict[str, Any]:
        """The body of the answer."""
        method = getattr(self, operation, None)
        if method is None:
            self.unknown[operation] += 1
            return {"data": {}, "errors": [{"message": f"unknown operation {operation}"}]}
        return {"data": method(variables)}

    def run(self, name: str, project: str | None = None) -> Run:
        """The run of this name, made if it is new."""
        return self.runs.setdefault(name, Run(self._id("Run"), name, project or "uncategorized"))

    def stream(self, name: str, body: dict[str, Any]) -> None:
        """History and summary of a run, as they come in."""
        run = self.run(name)
        for file, chunk in (body.get("files") or {}).items():
            lines = [json.loads(line) for line in chunk.get("content") or [] if file != "output.log"]
            if file == "wandb-history.jsonl":
                run.history[int(chunk.get("offset") or 0) :] = lines  # what is sent again takes its place
            elif file == "wandb-summary.json" and lines:
                run.summary = lines[-1]
        run.complete |= bool(body.get("complete"))

    def ServerFeaturesQuery(self, _: Variables) -> Any:
        return {"serverInfo": {"features": []}}

    def Viewer(self, _: Variables) -> Any:
        teams = {"edges": [{"node": {"name": ENTITY}}]}
        viewer = {"id": "u1", "entity": ENTITY, "username": "stub", "email": "stub@example.invalid", "flags": "{}"}
        more = {"name": "stub", "admin": False, "apiKeys": {"edges": []}, "deletedAt": None, "teams": teams}
        return {"viewer": viewer | more}

    def GetDefaultEntity(self, _: Variables) -> Any:
        return {"viewer": {"id": "u1", "entity": ENTITY}}

    def OrganizationCoreWeaveOrganizationID(self, _: Variables) -> Any:
        return {"entity": {"organization": None}}

    def RunResumeStatus(self, variables: Variables) -> Any:
        run = self.runs.get(variables["name"])
        model = {"id": "p1", "name": variables.get("project"), "entity": {"id": "e1", "name": ENTITY}, "bucket": None}
        if run is not None:
            tail = json.dumps([json.dumps(row) for row in run.history[-1:]])
            counts = {"logLineCount": 0, "eventsLineCount": 0, "eventsTail": "[]", "historyTail": tail}
            more = {"summaryMetrics": json.dumps(run.summary), "tags": [], "notes": None, "wandbConfig": '{"t": 1}'}
            model["bucket"] = run.bucket() | counts | more
        return {"model": model}

    def UpsertBucket(self, variables: Variables) -> Any:
        known = [run.name for run in self.runs.values() if run.id == variables.get("id")]
        name = variables.get("name") or (known[0] if known else self._id("auto"))
        inserted = name not in self.runs
        run = self.run(name, variables.get("project"))
        if variables.get("config"):
            run.config = json.loads(variables["config"])
        if variables.get("summaryMetrics"):
            run.summary = json.loads(variables["summaryMetrics"])
        return {"upsertBucket": {"bucket": run.bucket(), "inserted": inserted}}

    def RunStoppedStatus(self, _: Variables) -> Any:
        return {"project": {"run": {"stopped": False}}}

    def CreateRunFiles(self, variables: Variables) -> Any:
        run = self.run(variables["run"])
        files = [{"name": name, "uploadUrl": self._place(f"run/{run.name}/{name}")} for name in variables["files"]]
        return {"createRunFiles": {"runID": run.id, "uploadHeaders": [], "files": files}}

    def ArtifactType(self, _: Variables) -> Any:
        return {"project": {"artifact": None}}

    def CreateArtifact(self, variables: Variables) -> Any:
        given = variables["input"]
        name = given.get("artifactCollectionName") or (given.get("artifactCollectionNames") or ["?"])[0]
        made = {"id": self._id("Artifact"), "name": name, "state": "PENDING"}
        self.artifacts.append(made)
        sequence = {"id": "s1", "latestArtifact": None, "project": {"id": "p1"}}
        shown = {"id": made["id"], "state": "PENDING", "digest": given.get("digest"), "artifactSequence": sequence}
        return {"createArtifact": {"artifact": shown}}

    def CreateArtifactManifest(self, variables: Variables) -> Any:
        artifact = variables["artifactID"]
        place = self._place(f"manifest/{artifact}/{variables.get('name') or 'wandb_manifest.json'}")
        file = {"id": "f1", "uploadUrl": place, "uploadHeaders": []}
        return {"createArtifactManifest": {"artifactManifest": {"id": f"{artifact}-m", "file": file}}}

    def CreateArtifactFiles(self, variables: Variables) -> Any:
        edges = []
        for file in variables["input"]["artifactFiles"]:
            artifact, name = file["artifactID"], file["name"]
            place = {"uploadUrl": self._place(f"artifact/{artifact}/{name}"), "uploadHeaders": []}
            more = {"storagePath": f"a/{artifact}/{name}", "uploadMultipartUrls": None, "artifact": {"id": artifact}}
            edges.append({"node": {"name": name} | place | more})
        return {"createArtifactFiles": {"files": {"edges": edges}}}

    def CommitArtifact(self, variables: Variables) -> Any:
        (artifact,) = [each for each in self.artifacts if each["id"] == variables["artifactID"]]
        artifact["state"] = "COMMITTED"
        return {"commitArtifact": {"artifact": {"id": artifact["id"], "digest": "d"}}}

    def CreateCustomChart(self, variables: Variables) -> Any:
        self.charts.append(variables)
        return {"createCustomChart": {"chart": {"id": f"{variables['entity']}/{variables['chartName']}"}}}

    def _place(self, name: str) -> str:
        return f"{self.url}/storage/{name}"

    def _id(self, kind: str) -> str:
        self._number += 1
        return base64.b64encode(f"{kind}:{self._number}".encode()).decode().rstrip("=")
