"""How good a fitted surrogate is, on the user's own expensive points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from ..auto.surrogate import AutoSurrogate
from ..models.estimator import MultiFidelityRegressor
from .heldout import check_table, expensive_alone, held_out

if TYPE_CHECKING:
    import pandas as pd


def validate(model: MultiFidelityRegressor) -> pd.DataFrame:
    """Check a fitted surrogate on expensive points that it has not seen.

    Each expensive point (each of ten groups from 30 places on) is left out, with cheap ones at the
    same place, everything is fitted again without it, and it is predicted. The candidates of an
    :class:`AutoSurrogate` are checked when it is fitted, most of them in closed form with their
    hyperparameters kept, which looks somewhat too good.

    Parameters
    ----------
    model : fitted estimator

    Returns
    -------
    DataFrame
        One row per model: the one given and the expensive points alone; for an
        :class:`AutoSurrogate` the blend and every candidate, with their weights. Columns: model,
        rmse, nlpd (mean negative log predictive density, smaller is better), coverage95 (share
        inside the 95 % interval).

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp import MAST, validate
    >>> x = np.linspace(0, 1, 24)
    >>> model = MAST(order=["a", "b"]).fit(x[:, None], np.sin(7 * x), fidelity=["a", "a", "b"] * 8)
    >>> list(validate(model).model)
    ['MAST', 'expensive alone']
    """
    check_is_fitted(model)
    if isinstance(model, AutoSurrogate):
        return model.validation_
    alone = expensive_alone(model.training_data_)
    return check_table({model._label: held_out(model), "expensive alone": held_out(alone)})
