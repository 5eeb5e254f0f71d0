"""The last stage of MAST: one model of expensive rows and corrected cheap ones.

A few cheap rows are fused as in the paper: each has a variance of its own, and the last stage takes
them for independent errors. They are not independent: noise is, but the correction of all cheap
rows is one function with one error. Of 100,000 rows that error would average out, and intervals
would hold almost nothing. So with very many rows the variance of the blend at the point asked for
is added to that of the last stage.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..surrogates.base import Fitted, Hints, Surrogate
from ..surrogates.gp import GP
from .facts import of_many_rows

Array = NDArray[np.float64]


def fused(
    surrogate: Surrogate,
    singles: Iterable[Fitted],
    rows: tuple[Array, Array, Array | None],
    hints: Hints,
) -> Fitted:
    """Fit the last stage.

    Corrected cheap rows vary like the cheap response. So very many of them need no search: they
    are modelled by the tool, and with the hyperparameters, of the fidelity with the most rows.

    Parameters
    ----------
    surrogate : Surrogate
        What the stage is made of.
    singles : fitted stages
        Of every fidelity on its own.
    rows : tuple of arrays of shapes (n, d), (n,) and (n,)
        Inputs in the unit cube, targets, and variances where the surrogate takes them.
    hints : Hints
    """
    X, y, variances = rows
    many = [stage for stage in singles if of_many_rows(stage)]
    if not (many and isinstance(surrogate, GP) and surrogate.takes_many(len(y))):
        return surrogate.fit_stage(X, y, variances, hints)
    from ..surrogates.many.again import fit_like

    assert variances is not None
    largest = max(many, key=lambda stage: stage.report_of_choice.n)
    return fit_like(largest, X, y, variances)


def averages_out(final: Fitted, surrogate: Surrogate) -> bool:
    """Whether errors that cheap rows share are no part of the last stage's own variance."""
    return not surrogate.takes_noise or of_many_rows(final)
