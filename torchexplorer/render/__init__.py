"""What is shown: box sizes for the layout, the chart's rows, and the chart itself. Pure and deterministic."""

from torchexplorer.render.boxes import levels
from torchexplorer.render.codec import COLUMNS, SCHEMA, Row
from torchexplorer.render.rows import explorer_rows
from torchexplorer.render.spec import chart_spec

__all__ = ["COLUMNS", "SCHEMA", "Row", "chart_spec", "explorer_rows", "levels"]
