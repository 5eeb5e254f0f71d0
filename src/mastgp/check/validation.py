"""How good a fitted surrogate is, on the user's own expensive points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..estimators import check_is_fitted
from ..models.estimator import MultiFidelityRegressor
from ..models.single import expensive_alone
from .heldout import check_table, held_out

if TYPE_CHECKING:
    import pandas as pd

#: What the table calls the GP of the expensive points alone, the same as method ``hf-only``.
ALONE = "expensive alone"


def validate(model: MultiFidelityRegressor) -> pd.DataFrame:
    """Check a fitted surrogate on expensive points that it has not seen.

    Each expensive place (each of ten groups from 30 places on) is left out, with cheap points at
    the same place, and predicted. Models are fitted again without it. Co-kriging with draws of its
    hyperparameters need not be: the draws are weighted as if they had not seen what is left out.
    The candidates of an :class:`AutoSurrogate` are checked when it is fitted.

    Parameters
    ----------
    model : fitted estimator

    Returns
    -------
    DataFrame
        One row per model: the one given and the expensive points alone; for an
        :class:`AutoSurrogate` the blend and every candidate, with their weights. Columns: model,
        rmse, nlpd (mean negative log predictive density, smaller is better), crps (mean continuous
        ranked probability score, in the target's units), coverage95 (share inside the 95 %
        interval).

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
    if model.validation_ is not None:
        return model.validation_
    alone = expensive_alone(model.training_data_)
    return check_table({model.label: held_out(model), ALONE: held_out(alone)})


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a table as plain data; what is not a finite number becomes None."""
    return [
        {
            str(key): None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in row.items()
        }
        for row in table.to_dict(orient="records")
    ]
