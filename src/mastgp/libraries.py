"""Other people's libraries: how to get them, and how to call them without a trace.

Importing this module loads nothing heavy, so that a missing library is reported at once.
"""

from __future__ import annotations

import logging
import random
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from threading import RLock
from typing import Any

from .errors import MissingExtraError, listed

#: Random states and warning filters belong to the whole process: one library call at a time.
_one_at_a_time = RLock()


def install_command(extra: str) -> str:
    """Return the command that installs an extra of this package.

    Examples
    --------
    >>> install_command("botorch")
    "pip install 'mastgp[botorch]'"
    """
    return f"pip install 'mastgp[{extra}]'"


def are_installed(*modules: str) -> bool:
    """Whether all top-level modules are on this machine. None of them is imported."""
    return all(find_spec(module) is not None for module in modules)


def missing_extra(what: str, *modules: str, extra: str) -> MissingExtraError:
    """Build the error for modules that are not installed.

    Parameters
    ----------
    what : str
        Who needs the modules, such as ``"this method"``: the subject of the message.
    *modules : str
        Names of the modules.
    extra : str
        Extra of this package that installs them.

    Examples
    --------
    >>> print(missing_extra("method 'mfk'", "smt", extra="smt"))
    method 'mfk' needs 'smt'; install it with pip install 'mastgp[smt]'
    """
    pronoun = "it" if len(modules) == 1 else "them"
    return MissingExtraError(
        f"{what} needs {listed(modules)}; install {pronoun} with {install_command(extra)}"
    )


def check_installed(what: str, *modules: str, extra: str) -> None:
    """Raise the error of :func:`missing_extra` unless all modules are installed."""
    if not are_installed(*modules):
        raise missing_extra(what, *modules, extra=extra)


def import_extra(module: str, extra: str, what: str = "this method") -> Any:
    """Import a module of an optional library, or say how to get it.

    Parameters
    ----------
    module : str
        Full name of the module, such as ``"smt.applications.mfk"``.
    extra : str
        Extra of this package that installs it.
    what : str
        Who needs the module: the subject of the error message.
    """
    try:
        with untouched():
            import_module(module.partition(".")[0])
            return import_module(module)
    except ModuleNotFoundError as error:
        raise missing_extra(what, module, extra=extra) from error
    except ImportError as error:
        raise MissingExtraError(
            f"{what} needs {module!r}, which is installed but cannot be imported: {error}"
        ) from error


@contextmanager
def untouched(seed: int | None = None, n_points: int = 0) -> Iterator[None]:
    """Call a library inside: it is silent and seeded, and it leaves the process as it was.

    Parameters
    ----------
    seed : int, optional
        Seeds the global random states of Python, NumPy and, where it is loaded, PyTorch.
    n_points : int
        Size of the problem; small ones run on one thread.
    """
    from .threads import blas_threads

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
    """Suppress warnings and log messages, and remove root handlers that a library adds."""
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
    """Restore the global random states at the end; set them to `seed` at the start, if given."""
    import numpy as np

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
    """Restore PyTorch's data type and threads at the end; small problems run on one thread."""
    from .threads import ALL_CORES_FROM

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
