"""Floor store: one SQLite file a run, written step by step and readable at any time."""

from torchexplorer.store.claim import RunInUse
from torchexplorer.store.reader import RunInfo, RunReader
from torchexplorer.store.schema import SCHEMA_VERSION, UnreadableRun, WriteFailed
from torchexplorer.store.writer import RunWriter

__all__ = ["SCHEMA_VERSION", "RunInUse", "RunInfo", "RunReader", "RunWriter", "UnreadableRun", "WriteFailed"]
