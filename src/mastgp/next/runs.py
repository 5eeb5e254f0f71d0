"""Runs as users have them: those under way, and pools of candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..data.arrays import names_of_rows
from ..data.dataset import Dataset
from ..errors import DataError, listed, unknown
from ..models.queries import unit_queries

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

#: Column that names the fidelity of a run.
FIDELITY = "fidelity"


def level_of(data: Dataset, name: Any) -> int:
    """Number of a fidelity, cheapest first."""
    names = [fidelity.name for fidelity in data.fidelities]
    if str(name) not in names:
        raise unknown("fidelity", name, names)
    return names.index(str(name))


def unit_points(model: Any, table: pd.DataFrame, what: str) -> Array:
    """Inputs of a table in the unit cube; other columns are ignored."""
    data: Dataset = model.training_data_
    missing = [name for name in data.feature_names if name not in table.columns]
    if missing:
        raise DataError(
            f"{what} have no column {listed(missing)}; the inputs are {listed(data.feature_names)}"
        )
    inputs = table[list(data.feature_names)]
    named = hasattr(model, "feature_names_in_")
    return unit_queries(model, inputs if named else inputs.to_numpy())


def pending_runs(
    model: Any, pending: Any, what: str = "the pending runs"
) -> tuple[Array, NDArray[np.intp]]:
    """Unit-cube inputs and fidelities of runs without results: under way, or failed.

    Parameters
    ----------
    model : fitted estimator
    pending : DataFrame with a column ``fidelity``, or pairs of inputs and fidelity
    what : str
        What messages call them.
    """
    import pandas as pd

    data: Dataset = model.training_data_
    if pending is None or len(pending) == 0:
        return np.zeros((0, len(data.feature_names))), np.zeros(0, dtype=np.intp)
    if not hasattr(pending, "columns"):
        rows = [{**inputs, FIDELITY: fidelity} for inputs, fidelity in pending]
        pending = pd.DataFrame(rows)
    if FIDELITY in pending.columns:
        names = names_of_rows(pending[FIDELITY], len(pending))
    elif len(data.fidelities) == 1:
        names = np.full(len(pending), data.top.name)
    else:
        raise DataError(f"{what} need a column {FIDELITY!r} that names their fidelity")
    levels = np.array([level_of(data, name) for name in names], dtype=np.intp)
    return unit_points(model, pending, what), levels


def pool_of(model: Any, candidates: pd.DataFrame) -> tuple[Array, list[Any]]:
    """Unit-cube inputs of a pool, and what its rows are called."""
    if not hasattr(candidates, "columns"):
        raise DataError("candidates must be a DataFrame with a column for every input")
    if not len(candidates):
        raise DataError("there are no candidates")
    return unit_points(model, candidates, "the candidates"), list(candidates.index)
