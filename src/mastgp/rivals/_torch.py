"""PyTorch for the methods that are written in it: loaded late, and kept to one thread."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from ..errors import MissingExtraError


@cache
def import_torch() -> Any:
    """Load PyTorch, or say how to get it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module("torch")
    except ImportError:
        raise MissingExtraError(
            "this method needs 'torch'; install it with pip install 'mastgp[deep]'"
        ) from None


@contextmanager
def torch_on_one_thread() -> Iterator[Any]:
    """Give torch, limited to one thread in a ``with`` block: the matrices are small."""
    torch = import_torch()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield torch
    finally:
        torch.set_num_threads(threads)
