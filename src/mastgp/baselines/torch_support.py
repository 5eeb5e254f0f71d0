"""PyTorch for the methods that are written in it: imported late, and kept to one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from ..libraries import import_extra


@cache
def import_torch() -> Any:
    """Import PyTorch, or say how to get it."""
    return import_extra("torch", "deep")


@contextmanager
def torch_on_one_thread() -> Iterator[Any]:
    """Give torch, limited to one thread of the CPU in a ``with`` block: the matrices are small."""
    torch = import_torch()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.device("cpu"):
            yield torch
    finally:
        torch.set_num_threads(threads)
