"""How good a fitted surrogate is, on the user's own expensive points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .auto import AutoSurrogate
from .crossval import HeldOut, held_out
from .errors import MastWarning
from .estimator import MultiFidelityRegressor, silenced
from .rivals import CoKriging

if TYPE_CHECKING:
    import pandas as pd


def validate(model: MultiFidelityRegressor) -> pd.DataFrame:
    """Check a fitted surrogate on expensive points that it has not seen.

    Each expensive point (each of ten groups from 31 places on) is left out, everything is fitted
    again without it, and it is predicted. The candidates of an :class:`AutoSurrogate` are checked
    when it is fitted, most of them in closed form with their hyperparameters kept, which looks
    somewhat too good.

    Parameters
    ----------
    model : fitted estimator

    Returns
    -------
    DataFrame
        One row per model: the one given, the expensive points alone, and, for an
        :class:`AutoSurrogate`, every candidate. Columns: model, rmse, nlpd (mean negative log
        predictive density, smaller is better), coverage95 (share inside the 95 % interval).

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp import MAST, validate
    >>> x = np.linspace(0, 1, 24)
    >>> model = MAST(order=["a", "b"]).fit(x[:, None], np.sin(7 * x), fidelity=["a", "a", "b"] * 8)
    >>> list(validate(model).model)
    ['MAST', 'expensive alone']
    """
    if isinstance(model, AutoSurrogate):
        return model.validation_
    with silenced(MastWarning):
        alone = CoKriging(structure="top-only", warp=None)._fit_data(model.training_data_)
    rows = {type(model).__name__: held_out(model), "expensive alone": held_out(alone)}
    return _table(rows)


def _table(rows: dict[str, HeldOut]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        [
            {"model": name, "rmse": h.rmse, "nlpd": h.nlpd, "coverage95": h.coverage95}
            for name, h in rows.items()
        ]
    )
