"""How good a fitted surrogate is, on the user's own expensive points."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..models.estimator import MultiFidelityRegressor
from ..models.targets import SeveralTargets, models_of
from ..models.transformed import alone_like
from .heldout import check_table, held_out

if TYPE_CHECKING:
    import pandas as pd

#: What the table calls the GP of the expensive points alone, the same as method ``hf-only``.
ALONE = "expensive alone"


def validate(model: MultiFidelityRegressor | SeveralTargets) -> pd.DataFrame:
    """Check a fitted surrogate on expensive points that it has not seen.

    Each expensive place (each of ten groups from 30 places on) is left out, with cheap points at
    the same place, and predicted. Models are fitted again without it. Co-kriging with draws of its
    hyperparameters need not be: the draws are weighted as if they had not seen what is left out.
    The candidates of an :class:`AutoSurrogate` are checked when it is fitted.

    The model keeps the check, also in its file, so that it is made once.

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
        interval). With several targets a first column, target, says whose row it is.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp import MAST, validate
    >>> x = np.linspace(0, 1, 24)
    >>> model = MAST(order=["a", "b"]).fit(x[:, None], np.sin(7 * x), fidelity=["a", "a", "b"] * 8)
    >>> list(validate(model).model)
    ['MAST', 'expensive alone']
    """
    models = models_of(model)
    if not isinstance(model, SeveralTargets):
        return _validated(model)
    import pandas as pd

    tables = {name: _validated(one).copy() for name, one in models.items()}
    for name, table in tables.items():
        table.insert(0, "target", name)
    return pd.concat(list(tables.values()), ignore_index=True)


def kept_check(model: MultiFidelityRegressor) -> list[dict[str, Any]] | None:
    """Rows of the held-out check that a model has already; None if it has none."""
    if model.validation_ is not None:
        return records(model.validation_)
    return None if model.check_ is None else list(model.check_["table"])


def _validated(model: MultiFidelityRegressor) -> pd.DataFrame:
    """The table of one target's model, which keeps it."""
    import pandas as pd

    if (rows := kept_check(model)) is not None:
        return pd.DataFrame(rows) if model.validation_ is None else model.validation_
    checked = held_out(model)
    table = check_table({model.label: checked, ALONE: held_out(alone_like(model))})
    model.check_ = {"table": records(table), "held_out": asdict(checked)}
    return table


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a table as plain data; what is not a finite number becomes None."""
    return [
        {
            str(key): None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in row.items()
        }
        for row in table.to_dict(orient="records")
    ]
