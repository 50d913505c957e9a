"""The chart as a preset of Weights & Biases: its name, and how it gets there.

In: an entity. Out: the preset's name. Owns no state. The request runs in a process of its own: it can hang for minutes,
and asking in this process would fix wandb's settings before the user's `wandb.init`.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from torchexplorer.render import SCHEMA, chart_spec

CHILD = Path(__file__).with_name("wandb_child.py")
LIMIT = 30.0
"""Seconds for the request: one that fails is tried again by wandb for minutes."""


class PublishFailed(RuntimeError):
    """The chart could not be published."""


def preset_name() -> str:
    """The name of this version's chart: a preset can't be changed, so another chart has another name."""
    text = json.dumps(chart_spec(), sort_keys=True, separators=(",", ":"))
    return f"torchexplorer-v{SCHEMA}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def publish_chart(entity: str | None, *, public: bool = False, limit: float = LIMIT) -> str:
    """Publish the chart under an entity (None: the user's default) and return "entity/name".

    One that is there already is fine. Raises PublishFailed where it can't be done within `limit` seconds.
    """
    order = {"entity": entity, "public": public, "name": preset_name(), "spec": chart_spec(), "limit": limit}
    answer = _ask(order, limit)
    if "chart" in answer:
        return str(answer["chart"])
    raise PublishFailed(
        f"The chart {order['name']!r} could not be published for {entity or 'the default entity'!r}. "
        f"Seen: {answer.get('error')}. Run `wandb login`, check the name of the entity, and try: "
        f"torchexplorer publish-chart --entity {entity or 'ENTITY'}"
    )


def publish_in_background(entity: str | None) -> threading.Thread | None:
    """Publish in a daemon thread; a failure is told only where an entity was asked for. Never raises."""
    if entity is None and os.environ.get("WANDB_MODE", "online") not in {"online", "run", "shared"}:
        return None
    thread = threading.Thread(target=_publish_quietly, args=(entity,), name="torchexplorer-publish", daemon=True)
    try:
        thread.start()
    except RuntimeError:
        return None
    return thread


def _publish_quietly(entity: str | None) -> None:
    try:
        publish_chart(entity)
    except Exception as error:
        if entity is not None:
            print(f"torchexplorer: {error}", file=sys.stderr)


def _ask(order: dict[str, Any], limit: float) -> dict[str, Any]:
    """What the child answers; it ends by itself after the limit, this process alive or not."""
    try:
        done = subprocess.run(
            [sys.executable, str(CHILD)], input=json.dumps(order).encode(), capture_output=True, timeout=limit + 5
        )
        answer: dict[str, Any] = json.loads(done.stdout.decode("utf-8", "replace").strip().rpartition("\n")[2])
        return answer
    except (OSError, subprocess.SubprocessError, ValueError):
        return {"error": f"no answer within {limit:g} s"}
