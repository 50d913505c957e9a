"""Reads back what a run logged, from its `run-*.wandb` file.

In: the path of the file. Out: a RunLog. Owns no state. The file: a header of 7 bytes, then blocks of 32 KiB with chunks
(crc32, length, kind: 1 whole, 2 first, 3 middle, 4 last; then the payload); the joined payloads of a chunk sequence are
one protobuf `Record`.
"""

import json
import struct
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HEADER = struct.Struct("<4sHB")
CHUNK = struct.Struct("<IHB")
BLOCK = 32 * 1024
WHOLE, FIRST, LAST = 1, 2, 4


@dataclass
class RunLog:
    """What is in the file, merged as the server merges it."""

    path: Path
    counts: Counter[str] = field(default_factory=Counter)
    config: dict[str, Any] = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    exit_code: int | None = None

    @property
    def charts(self) -> dict[str, Any]:
        """The entry of each custom chart in the config."""
        found: dict[str, Any] = self.config.get("_wandb", {}).get("visualize", {})
        return found

    def table(self, key: str) -> dict[str, Any]:
        """The table that the summary names for a chart."""
        table: dict[str, Any] = json.loads(self.file(f"{key}_table").read_text(encoding="utf-8"))
        return table

    def file(self, name: str) -> Path:
        """The file that a value of the summary names."""
        return self.path.parent / "files" / self.summary[name]["path"]

    def rows(self, key: str) -> list[dict[str, Any]]:
        """The rows of that table by column."""
        table = self.table(key)
        return [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]

    def steps_with(self, name: str) -> list[int]:
        """The steps of the history rows that have this key."""
        return [row["_step"] for row in self.history if name in row]


def read_log(path: str | Path, *, wait: float = 10.0) -> RunLog:
    """The log, once the run's end is in it: finish() returns a little earlier."""
    until = time.monotonic() + wait
    while True:
        log = _read(Path(path))
        if log.exit_code is not None or time.monotonic() >= until:
            return log
        time.sleep(0.05)


def payloads(data: bytes) -> Iterator[bytes]:
    """The bytes of each record. A record that is still being written is left out."""
    assert HEADER.unpack_from(data, 0) == (b":W&B", 0xBEE1, 0)
    position, parts = HEADER.size, b""
    while position < len(data):
        left = BLOCK - position % BLOCK
        if left < CHUNK.size:
            position += left
            continue
        if position + CHUNK.size > len(data):
            return
        crc, length, kind = CHUNK.unpack_from(data, position)
        if not (crc or length or kind):
            position += left
            continue
        begin = position + CHUNK.size
        payload = data[begin : begin + length]
        if len(payload) < length:
            return
        assert zlib.crc32(data[begin - 1 : begin + length]) == crc, f"checksum at {position}"
        position = begin + length
        parts = payload if kind in {WHOLE, FIRST} else parts + payload
        if kind in {WHOLE, LAST}:
            yield parts


def _read(path: Path) -> RunLog:
    from wandb.proto import wandb_internal_pb2

    log = RunLog(path)
    for payload in payloads(path.read_bytes()):
        record = wandb_internal_pb2.Record()
        record.ParseFromString(payload)
        kind = record.WhichOneof("record_type") or "?"
        if kind == "request":
            kind = f"request {record.request.WhichOneof('request_type')}"
        log.counts[kind] += 1
        if kind in {"config", "summary"}:
            changes = getattr(record, kind)
            for item in changes.update:
                _put(getattr(log, kind), item)
        elif kind == "run":
            for item in record.run.config.update:
                _put(log.config, item)
        elif kind == "history":
            row: dict[str, Any] = {}
            for item in record.history.item:
                _put(row, item)
            log.history.append({"_step": record.history.step.num, **row})
        elif kind == "exit":
            log.exit_code = record.exit.exit_code
    return log


def _put(target: dict[str, Any], item: Any) -> None:
    *around, last = list(item.nested_key) or [item.key]
    for part in around:
        target = target.setdefault(part, {})
    target[last] = json.loads(item.value_json)
