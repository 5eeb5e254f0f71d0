"""Fitting candidates and checking each on expensive points that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..check.heldout import HeldOut, predict_held_out
from ..data.dataset import Dataset
from ..errors import DataError, FitWarning, MastError, MastWarning, silenced, warn
from ..estimators import clone
from ..gp.blends import Distribution, blended
from ..models.calibration import standardised, widening, widening_without_each
from ..models.estimator import MultiFidelityRegressor
from ..models.folds import Fold, fold_numbers, folds_of
from ..models.known import Known, SharedFits
from ..progress import listening, report
from .candidates import Candidate
from .weights import blend_weights, weights_without_each

Array = NDArray[np.float64]

#: What may go wrong in a candidate of ours, which is then left out.
FAILURES = (MastError, ArithmeticError, np.linalg.LinAlgError)
#: How often a candidate is fitted again for its held-out predictions.
REFITS = 10


@dataclass(frozen=True)
class Tried:
    """A candidate that was fitted and checked.

    Attributes
    ----------
    name : str
        The candidate's.
    model : MultiFidelityRegressor
        Fitted.
    predicted : Normal, Mixture or None
        Its predictions of held-out points; None where nothing can be held out.
    checked : HeldOut or None
        How good they are.
    added : bool
        Whether it is the user's own.
    """

    name: str
    model: MultiFidelityRegressor
    predicted: Distribution | None
    checked: HeldOut | None
    added: bool = False


class Trials:
    """Candidates tried on one data set, all on the same folds, with what they can share.

    Attributes
    ----------
    data : Dataset
    folds : list of Fold
        Empty where there is nothing to hold out.
    tried : list of Tried
    """

    def __init__(self, data: Dataset, known: Sequence[Tried] = ()) -> None:
        self.data = data
        self.folds = _folds(data)
        self.tried = list(known)
        self._shared = SharedFits()

    @cached_property
    def _refitted(self) -> list[Fold]:
        """Fewer folds, for candidates that must be fitted again for each."""
        return folds_of(self.data, at_most=REFITS)

    def add(self, candidates: Sequence[Candidate]) -> None:
        """Fit candidates and have them predict what was held out; those that fail are left out."""
        failed = {}
        for done, candidate in enumerate(candidates):
            report("trying candidates", done, len(candidates))
            expected = Exception if candidate.added else FAILURES
            try:
                self.tried.append(self._try(candidate))
            except expected as error:
                failed[candidate.name] = error
        report("trying candidates", len(candidates), len(candidates))
        if not self.tried:
            raise next(iter(failed.values()))
        for name, reason in failed.items():
            warn(f"candidate {name!r} could not be fitted: {reason}", FitWarning)

    def _try(self, candidate: Candidate) -> Tried:
        with listening(None), silenced(MastWarning):
            known = Known(shared=self._shared)
            model = clone(candidate.estimator)
            # A candidate that is to be calibrated is, by the held-out predictions below.
            calibrate, model.calibrate = model.calibrate, False
            model.fit_data(self.data, known)
            if not self.folds:
                return Tried(candidate.name, model, None, None, candidate.added)
            folds = self.folds if model.leaves_out_honestly else self._refitted
            predicted = predict_held_out(model, folds)
            if calibrate:
                z = standardised(predicted, self.data.top.y)
                model.calibration_ = widening(z)
                groups = fold_numbers(folds, len(z))
                predicted = predicted.dilated(widening_without_each(z, groups))
            checked = HeldOut.of(self.data, predicted, folds)
        if candidate.added and not np.isfinite([checked.mean, checked.std]).all():
            raise DataError("what it predicts is not finite")
        return Tried(candidate.name, model, predicted, checked, candidate.added)

    def weights(self) -> Array:
        """Weights of the candidates, from the points that all of them could predict."""
        densities = self._log_densities()
        return blend_weights(densities[np.isfinite(densities).all(axis=1)])

    def _log_densities(self) -> Array:
        """Log densities of the held-out values, shape (points, candidates)."""
        checked = [t.checked for t in self.tried]
        return np.column_stack([[] if c is None else np.asarray(c.log_density) for c in checked])

    def residuals(self) -> Array:
        """Standardised held-out residuals of the blend; weights are from the other folds' points.

        Empty where nothing can be held out.
        """
        if not self.folds:
            return np.empty(0)
        blend = self._blend(1.0)
        return (self.data.top.y - blend.mean) / np.sqrt(blend.variance)

    def blend(self, spread: float | Array = 1.0, widening: float | Array = 1.0) -> HeldOut | None:
        """The blend's held-out predictions, with weights from the other folds' points only.

        Parameters
        ----------
        spread : float or array of shape (n,)
            Factor of the members' standard deviations.
        widening : float or array of shape (n,)
            Factor of those of the blend.
        """
        if not self.folds:
            return None
        return HeldOut.of(self.data, self._blend(spread).dilated(widening), self.folds)

    def _blend(self, spread: float | Array) -> Distribution:
        members = [t.predicted.dilated(spread) for t in self.tried if t.predicted is not None]
        return blended(self._weights_without_each.T, members)

    @cached_property
    def groups(self) -> NDArray[np.intp]:
        """Number of the fold of every expensive point."""
        return fold_numbers(self.folds, len(self.data.top.y))

    @cached_property
    def _weights_without_each(self) -> Array:
        return weights_without_each(self._log_densities(), self.groups)


def _folds(data: Dataset) -> list[Fold]:
    """What is held out; nothing where there is nothing to hold out."""
    try:
        return folds_of(data)
    except DataError:
        return []
