"""Fitting candidates and checking each on expensive points that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..check.heldout import Fold, HeldOut, fold_numbers, folds_of, held_out
from ..data.dataset import Dataset
from ..errors import DataError, FitWarning, MastError, MastWarning, silenced, warn
from ..gp.distributions import Mixture
from ..models.estimator import MultiFidelityRegressor
from ..models.known import Known, SharedFits
from ..progress import listening, report
from .candidates import Candidate
from .weights import blend_weights, weights_without_each

Array = NDArray[np.float64]

#: Share of the log evidence that counts, among GPs that are joint models of the same data.
EVIDENCE = 0.05
#: What may go wrong in a candidate of ours, which is then left out.
FAILURES = (MastError, ArithmeticError, np.linalg.LinAlgError)
#: Pseudo-points at a ratio of one, in the recalibration of intervals.
CALIBRATION_PRIOR = 4.0


@dataclass(frozen=True)
class Tried:
    """A candidate that was fitted and checked.

    Attributes
    ----------
    name : str
        The candidate's.
    model : MultiFidelityRegressor
        Fitted.
    checked : HeldOut or None
        Its held-out predictions; None where nothing can be held out.
    """

    name: str
    model: MultiFidelityRegressor
    checked: HeldOut | None


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
            model = clone(candidate.estimator).fit_data(self.data, known)
            if not self.folds:
                return Tried(candidate.name, model, None)
            # Joint models have a closed form. The others are small, or have none.
            checked = held_out(model, self.folds, quick=model.evidence_ is not None)
        if candidate.added and not np.isfinite([checked.mean, checked.std]).all():
            raise DataError("what it predicts is not finite")
        return Tried(candidate.name, model, checked)

    def rmse_of(self) -> dict[str, float]:
        """Held-out error of every candidate that was checked."""
        return {t.name: t.checked.rmse for t in self.tried if t.checked is not None}

    def weights(self) -> Array:
        """Weights of the candidates, from their errors on the points that all could predict."""
        table = [np.empty(0) if t.checked is None else t.checked.error**2 for t in self.tried]
        errors = np.column_stack(table)
        return blend_weights(errors[np.isfinite(errors).all(axis=1)], self._evidence())

    def _evidence(self) -> Array:
        """Share of the log posterior density that counts, for joint models of the same data."""
        values = {t.name: e for t in self.tried if (e := t.model.evidence_) is not None}
        best = max(values.values(), default=0.0)
        return np.array([EVIDENCE * (values.get(t.name, best) - best) for t in self.tried])

    def blend(self, calibration: float = 1.0) -> HeldOut | None:
        """The blend's held-out predictions, with weights from the other places' errors only."""
        checked = [t.checked for t in self.tried if t.checked is not None]
        if not checked:
            return None
        errors = np.column_stack([c.error**2 for c in checked])
        groups = fold_numbers(self.folds, len(errors))
        weights = weights_without_each(errors, groups, self._evidence())
        means = np.array([c.mean for c in checked])
        variances = np.array([c.std**2 for c in checked])
        blend = Mixture(weights.T, means, variances).dilated(calibration)
        return HeldOut.of(self.data, blend, self.folds)


def _folds(data: Dataset) -> list[Fold]:
    """What is held out; nothing where there is nothing to hold out."""
    try:
        return folds_of(data)
    except DataError:
        return []


def calibration_of(checked: HeldOut) -> float:
    """Factor of the standard deviations, from standardised held-out residuals."""
    z = checked.error / checked.std
    z = z[np.isfinite(z)]
    return float(np.sqrt((CALIBRATION_PRIOR + z @ z) / (CALIBRATION_PRIOR + len(z))))
