"""Held-out checks that come from a file."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import stored
from ..gp.observations import LARGEST_TARGET

#: What is known of every held-out value, besides itself.
PREDICTIONS = ("mean", "std", "log_density", "probability", "crps_values", "low", "high")
#: Those that cannot be negative.
_NOT_NEGATIVE = ("std", "probability", "crps_values")
#: The logarithm of a density may be minus infinity: far away there is no density.
_UNBOUNDED = ("log_density",)
#: Largest size of the others: targets, and what a model may say that misses them by far.
_LARGEST = 1e6 * LARGEST_TARGET
#: Scores in the table of a check.
SCORES = ("rmse", "nlpd", "crps", "coverage95")
#: Most rows of that table.
MOST_ROWS = 100


def check_kept(state: Any, n: int) -> Any:
    """Check the table and the predictions of a check on n expensive points."""
    stored.mapping(state, "the held-out check", ("table", "held_out"), more=False)
    rows = stored.sequence(state["table"], "the table of the check", most=MOST_ROWS)
    stored.number(len(rows), "the number of rows of the check", low=1)
    for row in rows:
        stored.mapping(row, "a row of the check", ("model", *SCORES), more=False)
        stored.text(row["model"], "the model of a check")
        for name in SCORES:
            if row[name] is not None:
                stored.number(row[name], f"{name} of a check")
    check_held_out(state["held_out"], n)
    if np.isnan(state["held_out"]["mean"]).all():
        raise stored.DamagedError("a held-out check has no predictions")
    return state


def check_held_out(state: Any, n: int | None = None) -> None:
    """Check held-out predictions; those of points in no fold may be missing, all of a point."""
    stored.mapping(state, "a held-out check", ("y", "mean", "std", "n_folds"))
    y = stored.array(state["y"], "y of a held-out check", (n,))
    mean = stored.array(state["mean"], "mean", (len(y),), missing=True)
    for name in [key for key in state if key not in ("y", "n_folds", "one_at_a_time")]:
        if name not in PREDICTIONS:
            raise stored.DamagedError(f"a held-out check has {name!r}, which is unknown")
        if state[name] is not None:
            _check_predictions(state[name], name, mean)
    stored.number(state["n_folds"], "n_folds", low=0, whole=True)


def _check_predictions(values: Any, name: str, mean: NDArray[Any]) -> None:
    """Check one kind of held-out predictions, which are there where the mean is."""
    low = 0.0 if name in _NOT_NEGATIVE else -math.inf if name in _UNBOUNDED else -_LARGEST
    high = 1.0 if name == "probability" else math.inf if name in _UNBOUNDED else _LARGEST
    unbounded = name in _UNBOUNDED
    stored.array(values, name, mean.shape, low=low, high=high, missing=True, infinite=unbounded)
    if (np.isnan(values) & ~np.isnan(mean)).any():
        raise stored.DamagedError(f"{name} of a held-out check is missing where the mean is not")
