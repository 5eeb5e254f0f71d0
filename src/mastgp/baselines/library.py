"""What the rivals that another library computes have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from ..data.dataset import Bounds, Dataset
from ..errors import DataError, FitWarning, MissingExtraError, listed, warn
from ..libraries import untouched
from ..models.cokriging import known_noise
from ..models.estimator import MultiFidelityRegressor

Array = NDArray[np.float64]

#: Queries that are handed to a library at once: it may need their joint covariance.
BLOCK = 500


class LibraryRegressor(MultiFidelityRegressor):
    """Base of the rivals that another library computes: constructor and what they share."""

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        self.costs = costs
        self.order = order
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    def _draw_seed(self) -> int:
        """Seed of one fit, from `random_state`."""
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _warn_about_unused_noise(self, data: Dataset) -> None:
        known = [f.name for f in data.fidelities if f.noise_var is not None]
        if known:
            warn(
                f"the known noise of fidelity {listed(known)} is not used: "
                f"{type(self).__name__} learns the noise of these data",
                FitWarning,
            )


def missing_extra(module: str, extra: str, error: ImportError) -> MissingExtraError:
    """What to raise for a module that cannot be imported: it may be missing, or broken."""
    if isinstance(error, ModuleNotFoundError):
        return MissingExtraError(
            f"this method needs {module!r}; install it with pip install 'mastgp[{extra}]'"
        )
    return MissingExtraError(
        f"this method needs {module!r}, which is installed but cannot be imported: {error}"
    )


def library(module: str, extra: str) -> Any:
    """Import a module of an optional library, which `extra` of this package installs."""
    try:
        with untouched():
            import_module(module.partition(".")[0])
            return import_module(module)
    except ImportError as error:
        raise missing_extra(module, extra, error) from error


def check_at_least_one(**counts: int) -> None:
    """Refuse a count below one by its name."""
    for name, count in counts.items():
        if count < 1:
            raise DataError(f"{name} is {count!r}; it must be at least 1")


def with_level_column(data: Dataset, levels: Iterable[float]) -> tuple[Array, Array]:
    """All fidelities' unit-cube inputs, each with its level as last column, and targets."""
    X = [
        np.column_stack([data.unit(fidelity), np.full(len(fidelity.y), level)])
        for fidelity, level in zip(data.fidelities, levels, strict=True)
    ]
    return np.concatenate(X), np.concatenate([fidelity.y for fidelity in data.fidelities])


def known_noise_var(data: Dataset) -> Array | None:
    """Noise variance of every point, or None unless it is known for all fidelities."""
    noise_var = known_noise(data.fidelities)
    return None if noise_var is None or np.isnan(noise_var).any() else noise_var


def in_blocks(predict: Callable[[Array], tuple[Array, Array]], U: Array) -> tuple[Array, Array]:
    """Mean and variance of any number of queries in bounded memory."""
    parts = [predict(U[start : start + BLOCK]) for start in range(0, len(U), BLOCK)]
    means, variances = zip(*parts, strict=True)
    return np.concatenate(means), np.concatenate(variances)
