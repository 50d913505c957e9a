"""Numbers: samples of tensors become columns of bins, and columns become histories. Pure but for HistoryBook."""

from torchexplorer.stats.book import HistoryBook
from torchexplorer.stats.column import Column
from torchexplorer.stats.history import History, assemble
from torchexplorer.stats.series import Series, advance

__all__ = ["Column", "History", "HistoryBook", "Series", "advance", "assemble"]
