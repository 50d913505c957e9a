"""Floor trace: follows forwards and backwards of a module. The only floor that touches torch hooks."""

from torchexplorer.trace.active import attach
from torchexplorer.trace.capture import TraceOptions
from torchexplorer.trace.find import find_tracer
from torchexplorer.trace.guard import Guard, WatchFailed, warn
from torchexplorer.trace.records import (
    CallRecord,
    Key,
    Link,
    Mark,
    ModuleFacts,
    Origin,
    Phase,
    Sample,
    SeriesKind,
    StepRecord,
    Value,
)
from torchexplorer.trace.tracer import Tracer
from torchexplorer.trace.updates import Updates

__all__ = [
    "CallRecord",
    "Guard",
    "Key",
    "Link",
    "Mark",
    "ModuleFacts",
    "Origin",
    "Phase",
    "Sample",
    "SeriesKind",
    "StepRecord",
    "TraceOptions",
    "Tracer",
    "Updates",
    "Value",
    "WatchFailed",
    "attach",
    "find_tracer",
    "warn",
]
