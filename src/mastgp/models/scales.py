"""The scale of a response: what a model says of it, and advice that is given after a fit."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar

import numpy as np

from ..data.dataset import Dataset, Fidelity
from ..data.suspicion import outliers
from ..errors import DecadesWarning, MastWarning, silenced, warn
from ..gp import NotPositiveDefiniteError
from ..progress import listening

#: A positive response that spans more decades than this is worth a look,
MANY_DECADES = 2.0
#: unless half of its values are above this share of the largest: then a few near zero are all.
HIGH = 0.2
#: Gain in log density per row from which the logarithm is suggested. Clean benchmark draws of
#: Branin and Hartmann3 stay below it; Hartmann6 reaches it where its logarithm is the better model.
WORTH_A_WORD = 0.8
#: Fewer rows tell nothing of the two models; more than the second number need not be looked at.
FEWEST_ROWS, MOST_ROWS = 5, 150


class OfResponse:
    """What a model says of the scale on which it models the response: as it is, by default."""

    training_data_: Dataset
    #: Whether held-out points widen the intervals of a transformed response in any case.
    widens_transformed: ClassVar[bool] = False

    @property
    def is_transformed(self) -> bool:
        """Whether it models a transformation of the response, so that intervals are lopsided."""
        return False

    @property
    def is_logarithmic(self) -> bool:
        """Whether nothing but the logarithm of the response is modelled."""
        return False

    @property
    def settles_response(self) -> bool:
        """Whether it has been decided if the response is transformed, so that no advice is due."""
        return self.is_transformed


def suggest_logarithm(model: OfResponse) -> None:
    """Warn of a positive response over many decades whose logarithm takes no part in the model.

    It does so only where a quick GP of the logarithms makes the data clearly more probable.
    """
    data = model.training_data_
    y = np.concatenate([fidelity.y[~outliers(fidelity.y)] for fidelity in data.fidelities])
    if model.settles_response or not len(y) or (y <= 0.0).any():
        return
    decades = math.log10(y.max()) - math.log10(y.min())
    if decades <= MANY_DECADES or np.median(y) >= HIGH * y.max():
        return
    if _gain_by_logarithm(data) > WORTH_A_WORD:
        name = data.target_name or "y"
        warn(
            f"target {name!r} is positive and spans {decades:.1f} decades ({y.min():.3g} to "
            f"{y.max():.3g}): its logarithm is probably easier to model, and predictions are then "
            f"never negative (--log {name}, in Python mastgp.fit(..., log=True))",
            DecadesWarning,
        )


def _gain_by_logarithm(data: Dataset) -> float:
    """How much more probable GPs of logarithms make the rows: nats per row, on average.

    Every fidelity is modelled by itself. Both densities are of the response in its own units.
    """
    gain, n_rows = 0.0, 0
    for fidelity in data.fidelities:
        if len(fidelity.y) < FEWEST_ROWS or np.ptp(fidelity.y) == 0.0:
            continue
        kept = np.zeros(len(fidelity.y), dtype=bool)
        kept[np.linspace(0, len(kept) - 1, MOST_ROWS).astype(int)] = True
        part = replace(fidelity.subset(kept), noise_var=None)
        logarithms = np.log(part.y)
        gain += _log_density(data, replace(part, y=logarithms)) - logarithms.sum()
        gain -= _log_density(data, part)
        n_rows += len(part.y)
    return gain / n_rows if n_rows else 0.0


def _log_density(data: Dataset, part: Fidelity) -> float:
    """Log posterior density of a GP of some rows, in the units of their targets."""
    from .known import Known
    from .stages import fit_process, stage_gp

    try:
        with silenced(MastWarning), listening(None):
            process = fit_process(stage_gp("gp", data), data, part, Known())
    except NotPositiveDefiniteError:
        return -math.inf
    assert process.report is not None
    return -process.n_points * (process.report.objective + math.log(process.y_scale[0]))
