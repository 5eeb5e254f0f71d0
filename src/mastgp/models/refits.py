"""When rows that were added to a model ask for a new fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from ..data.dataset import Dataset, Fidelity
from ..data.further import Further
from ..errors import RefitWarning, warn

Array = NDArray[np.float64]

#: Fewer draws than this say little about the hyperparameters.
FEW_DRAWS = 3.0
#: A result as improbable as this, among all of an update, is a surprise.
SURPRISE = 1e-3
#: Share of new rows from which on the search would find something else.
MANY_NEW = 0.3
#: How far outside the box of the fit rows may lie, in its widths.
OUTSIDE = 0.05


def warn_if_due(before: Any, after: Any, further: Further) -> None:
    """Say that a new fit is due, and why; nothing where it is not."""
    reasons = list(_reasons(before, after, further))
    if reasons:
        warn(f"a new fit is due: {'; '.join(reasons)}", RefitWarning)


def _reasons(before: Any, after: Any, further: Further) -> Iterator[str]:
    data: Dataset = before.training_data_
    if after.draws_left < FEW_DRAWS <= before.draws_left:
        yield (
            f"the draws of the hyperparameters are worth only {after.draws_left:.1f} after the new "
            "rows"
        )
    n_new = sum(len(new.y) for new in further.values())
    for new in further.values():
        chance = least_probability(before, new)
        if chance * n_new < SURPRISE:
            yield f"a result of {new.name!r} was unexpected (probability {chance:.1g})"
    n_fitted = data.n_points - before.n_added_
    if after.n_added_ > MANY_NEW * n_fitted:
        yield f"{after.n_added_} rows were added to the {n_fitted} of the last fit"
    if any(_is_outside(data, new) for new in further.values()):
        yield "new rows lie outside the range of the inputs that it was fitted with"


def _is_outside(data: Dataset, new: Fidelity) -> bool:
    U = data.box.to_unit(new.X)
    return bool(((U < -OUTSIDE) | (U > 1.0 + OUTSIDE)).any())


def least_probability(model: Any, new: Fidelity) -> float:
    """Probability, on both sides, of the most surprising of some new results.

    By the model's Gaussian processes, where it has some of that fidelity. Otherwise by its
    prediction, if the fidelity is the most expensive one. A fidelity of which it says nothing does
    not surprise it.
    """
    data: Dataset = model.training_data_
    U = data.box.to_unit(new.X)
    if new.name == data.top.name:
        below = model.predictive_unit(U, include_noise=True).cdf(new.y)
    else:
        found = _below(model, U, new)
        if found is None:
            return 1.0
        below = found
    return max(0.0, float(np.min(2.0 * np.minimum(below, 1.0 - below))))


def _below(model: Any, U: Array, new: Fidelity) -> Array | None:
    """Probability of less than the new results, by the processes that model their fidelity."""
    total, shares = np.zeros(len(U)), 0.0
    for part in model.parts():
        names = getattr(part, "fidelities", ())
        if new.name not in names:
            continue
        group, process = names.index(new.name), part.process
        mean, var = process.predict(U, group)
        noise = np.mean(process.noise_var[process.groups == group])
        y = new.y if part.response is None else part.response.forward(new.y)
        total += part.share * ndtr((y - mean) / (part.widening * np.sqrt(var + noise)))
        shares += part.share
    return total / shares if shares else None
