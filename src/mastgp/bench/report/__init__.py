"""Tables and figures of benchmark results: cells, marks, summaries, and formats."""

from .cells import Cell, Key, cells
from .pages import write_pages
from .recorded import long_csv, read_recorded
from .summaries import Results
from .write import write_page, write_report

__all__ = [
    "Cell",
    "Key",
    "Results",
    "cells",
    "long_csv",
    "read_recorded",
    "write_page",
    "write_pages",
    "write_report",
]
