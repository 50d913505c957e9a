"""What the web app of Weights & Biases makes of tables and charts, said again in Python.

In: logged tables, a Vega specification. Out: the rows that the chart gets, the specification that is drawn, and what is
wrong with it. Owns no state. Source: the published part of the app (wandb/weave, weave-js: queryResult.ts, vega3.ts,
CustomPanelRenderer.tsx), read and not copied.
"""

import re
from typing import Any

MOST_ROWS = 10_000
RESERVED = {"id", "name", "color", "_defaultColorIndex", "index"}
"""Columns that the app writes over, or hides."""


def rows_of(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each run is {"id", "name", "color", "table": {"columns", "data"}}; its facts are written over equal columns."""
    query = []
    for run in runs:
        columns, data = run["table"]["columns"], run["table"]["data"][:MOST_ROWS]
        cells = [dict(zip(columns, row, strict=True)) for row in data]
        query.append({"id": run["id"], "name": run["name"], "color": run["color"], "summaryTable": cells})
    return _flat(query)


def injected(spec: Any, fields: dict[str, str]) -> Any:
    """Placeholders are filled in, null becomes {} (but for scales), and the size is the panel's."""
    found = _filled(spec, "", fields)
    found["autosize"] = {"type": "fit", "contains": "padding"}
    return found


def lint(spec: dict[str, Any]) -> list[str]:
    """What the app would spoil."""
    found = list(_nulls(spec, "", ""))
    if "wandb" not in [data["name"] for data in spec["data"]]:
        found.append("no data set named 'wandb'")
    if "/vega/v5" not in spec.get("$schema", ""):
        found.append("not a Vega 5 specification")
    return found


def _flat(rows: list[Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for row in rows:
        whole = row if isinstance(row, dict) else dict(enumerate(row)) if isinstance(row, str) else {}
        lists = [value for value in whole.values() if isinstance(value, list)]
        base: dict[str, Any] = {}
        for key, value in whole.items():
            if isinstance(value, dict):
                base |= _leaves(value)
            elif not isinstance(value, list):
                base[str(key).replace("./", "_")] = value
        found += [base] if not lists else [{**inner, **base} for items in lists for inner in _flat(items)]
    return found


def _leaves(value: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, inner in value.items():
        if isinstance(inner, dict):
            found |= _leaves(inner)
        elif not isinstance(inner, list):
            found[key.replace("./", "_")] = inner
    return found


def _filled(node: Any, key: str, fields: dict[str, str]) -> Any:
    if isinstance(node, dict):
        found = {name: _filled(value, name, fields) for name, value in node.items()}
        return None if key == "scale" and not found else found
    if isinstance(node, list):
        return [_filled(value, "", fields) for value in node]
    if node is None:
        return None if key == "scale" else {}
    if isinstance(node, str):
        return re.sub(r"\$\{field:(.*?)\}", lambda found: fields.get(found[1], "").replace(".", r"\."), node)
    return node


def _nulls(node: Any, path: str, key: str) -> Any:
    if isinstance(node, dict):
        for name, value in node.items():
            if "${" in name:
                yield f"{path}/{name}: placeholders in keys are not filled in"
            yield from _nulls(value, f"{path}/{name}", name)
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _nulls(value, f"{path}/{index}", "")
    elif node is None and key != "scale":
        yield f"{path}: null becomes {{}} in the app"
