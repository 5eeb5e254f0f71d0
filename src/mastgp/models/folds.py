"""What is held out in turn, and predictions by models that were fitted without it.

Each expensive point shapes the discrepancy and the trust as well as the last GP, so the whole
pipeline is fitted again without it. The last GP's own leave-one-out would look too good.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Dataset
from ..errors import DataError, MastWarning, silenced
from ..gp.blends import Distribution, gathered
from ..progress import report
from .known import SharedFits

Rows = NDArray[np.intp]

#: With fewer expensive places than this each is left out in turn. Else they are left out in ten
#: groups.
TEN_FOLDS_FROM = 30


@dataclass(frozen=True)
class Fold:
    """Expensive observations to predict, and the data to predict them from.

    Attributes
    ----------
    rows : int array
        Rows of the most expensive fidelity that are held out.
    rest : Dataset
        All other observations, but for cheap ones at the same places.
    shared : SharedFits
        Fits to the rest, which models that are checked on the same folds share.
    """

    rows: Rows
    rest: Dataset
    shared: SharedFits = field(default_factory=SharedFits)


class Refittable(Protocol):
    """A fitted model that can be fitted again to part of its data."""

    training_data_: Dataset

    def refit(self, data: Dataset, shared: SharedFits | None = None) -> Any:
        """Return a new model, fitted to part of the data."""
        ...


def predict_refitted(model: Refittable, folds: Sequence[Fold]) -> Distribution:
    """Predict each fold's observations, noise included, by a model that was fitted without it."""
    data = model.training_data_
    top, predicted = data.top, []
    for done, fold in enumerate(folds):
        report("checking on held-out points", done, len(folds))
        with silenced(MastWarning):
            refitted = model.refit(fold.rest, fold.shared)
        known = None if top.noise_var is None else top.noise_var[fold.rows]
        U = data.box.to_unit(top.X[fold.rows])
        predicted.append((fold.rows, refitted.observed_unit(U, known)))
    report("checking on held-out points", len(folds), len(folds))
    return gathered(predicted, len(top.y))


def folds_of(data: Dataset, at_most: int = TEN_FOLDS_FROM) -> list[Fold]:
    """What is held out in turn: single expensive places, or ten groups of many.

    Repeats of an input never end up on both sides. Cheap rows at held-out places are held out,
    too: where predictions are wanted, there are none.

    Parameters
    ----------
    data : Dataset
    at_most : int
        Largest number of folds.
    """
    top, place = data.top, data.places(data.top)
    n_places = int(place.max()) + 1
    if len(top.y) < 2:
        raise DataError(
            f"fidelity {top.name!r} has one point only: there is nothing to check predictions with"
        )
    if n_places < 2:
        raise DataError(
            f"all points of fidelity {top.name!r} are at one place: nothing can be left out"
        )
    order = np.random.default_rng(0).permutation(n_places)
    n_folds = n_places if n_places < TEN_FOLDS_FROM else 10
    parts = np.array_split(order, min(n_folds, at_most))
    groups = [np.flatnonzero(np.isin(place, part)) for part in parts]
    return [Fold(rows, data.without(data.at_places_of(rows))) for rows in groups]


def fold_numbers(folds: Sequence[Fold], n_rows: int) -> Rows:
    """Number of the fold that each expensive row is held out in."""
    numbers = np.empty(n_rows, dtype=np.intp)
    for number, fold in enumerate(folds):
        numbers[fold.rows] = number
    return numbers
