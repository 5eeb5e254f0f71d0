"""PyTorch for the methods that are written in it: loaded late, and kept to one thread."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from .library import missing_extra


@cache
def import_torch() -> Any:
    """Load PyTorch, or say how to get it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module("torch")
    except ImportError as error:
        raise missing_extra("torch", "deep", error) from error


@contextmanager
def torch_on_one_thread() -> Iterator[Any]:
    """Give torch, on one thread of the CPU in a ``with`` block: the matrices are small."""
    torch = import_torch()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.device("cpu"):
            yield torch
    finally:
        torch.set_num_threads(threads)
