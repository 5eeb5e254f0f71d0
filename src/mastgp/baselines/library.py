"""What the methods that another library computes have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import blocks
from ..data.dataset import Bounds, Dataset
from ..errors import DataError, FitWarning, listed, warn
from ..estimators import check_random_state
from ..models.estimator import MultiFidelityRegressor
from ..models.known import Known
from ..models.structures import known_noise

Array = NDArray[np.float64]

#: Number of queries that a library gets at once, because it may compute their joint covariance.
BLOCK = 500


class LibraryRegressor(MultiFidelityRegressor):
    """Base of the methods that another library computes."""

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        calibrate: bool = False,
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        self.costs = costs
        self.order = order
        self.calibrate = calibrate
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    def _draw_seed(self) -> int:
        """Draw the seed of one fit from `random_state`."""
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def fit_data(self, data: Dataset, known: Known | None = None) -> Self:
        """Fit to a data set; levels of categorical inputs are taken as evenly spaced numbers."""
        warn_about_categories(self, data)
        return super().fit_data(data, known)

    def _warn_about_unused_noise(self, data: Dataset) -> None:
        known = [f.name for f in data.fidelities if f.noise_var is not None]
        if known:
            warn(
                f"the known noise of fidelity {listed(known)} is not used: "
                f"{type(self).__name__} learns the noise of these data",
                FitWarning,
            )


def warn_about_categories(model: MultiFidelityRegressor, data: Dataset) -> None:
    """Warn that a method without categorical inputs takes levels as numbers."""
    if data.categories:
        names = listed(category.name for category in data.categories)
        warn(
            f"{type(model).__name__} has no categorical inputs: the levels of {names} are taken as "
            "evenly spaced numbers",
            FitWarning,
        )


def check_at_least_one(**counts: int) -> None:
    """Raise an error that names a count below one."""
    for name, count in counts.items():
        if count < 1:
            raise DataError(f"{name} is {count!r}; it must be at least 1")


def with_level_column(data: Dataset, levels: Iterable[float]) -> tuple[Array, Array]:
    """Stack the data of all fidelities: unit-cube inputs with the level as last column, targets."""
    X = [
        np.column_stack([data.unit(fidelity), np.full(len(fidelity.y), level)])
        for fidelity, level in zip(data.fidelities, levels, strict=True)
    ]
    return np.concatenate(X), np.concatenate([fidelity.y for fidelity in data.fidelities])


def known_noise_var(data: Dataset) -> Array | None:
    """Return the noise variance of every point; None unless it is known for all fidelities."""
    noise_var = known_noise(data.fidelities)
    return None if noise_var is None or np.isnan(noise_var).any() else noise_var


def in_blocks(predict: Callable[[Array], tuple[Array, Array]], U: Array) -> tuple[Array, Array]:
    """Predict mean and variance of any number of queries in bounded memory."""
    return blocks.in_blocks(predict, U, BLOCK)
