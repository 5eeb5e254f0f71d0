"""Calling other people's libraries quietly and without a trace in the process."""

from __future__ import annotations

import logging
import random
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

import numpy as np

from .gp import blas_threads
from .gp.threads import ALL_CORES_FROM

#: Random states and warning filters are the whole process's: one library call at a time.
_one_at_a_time = RLock()


@contextmanager
def untouched(seed: int | None = None, n_points: int = 0) -> Iterator[None]:
    """Call a library inside: silent, seeded, and the process is afterwards as it was before.

    Parameters
    ----------
    seed : int, optional
        For the global random states of Python, NumPy and, where it is loaded, PyTorch.
    n_points : int
        Size of the problem; small ones run on one thread.
    """
    with (
        _one_at_a_time,
        blas_threads(n_points),
        _torch_as_it_was(n_points),
        _random_states_as_they_were(seed),
        _silence(),
    ):
        yield


@contextmanager
def _silence() -> Iterator[None]:
    """No warnings and no log messages; a library's new root handlers are taken away again."""
    root = logging.getLogger()
    handlers, disabled = list(root.handlers), root.manager.disable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        try:
            yield
        finally:
            logging.disable(disabled)
            root.handlers[:] = handlers


@contextmanager
def _random_states_as_they_were(seed: int | None) -> Iterator[None]:
    torch = sys.modules.get("torch")
    of_python, of_numpy = random.getstate(), np.random.get_state()  # noqa: NPY002 (theirs)
    of_torch = None if torch is None else torch.get_rng_state()
    of_gpus = None
    if torch is not None and torch.cuda.is_initialized():
        of_gpus = torch.cuda.get_rng_state_all()
    if seed is not None:
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 (theirs)
        if torch is not None:
            torch.default_generator.manual_seed(seed)
    try:
        yield
    finally:
        random.setstate(of_python)
        np.random.set_state(of_numpy)  # noqa: NPY002 (theirs)
        if torch is not None:
            torch.set_rng_state(of_torch)
            if of_gpus is not None:
                torch.cuda.set_rng_state_all(of_gpus)


@contextmanager
def _torch_as_it_was(n_points: int) -> Iterator[None]:
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    if n_points < ALL_CORES_FROM:
        torch.set_num_threads(1)
    try:
        with torch.device("cpu"), torch.enable_grad():
            yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_num_threads(threads)
