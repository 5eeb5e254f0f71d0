"""Limits on targets, such as ``stress <= 250``: how probably points satisfy them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Dataset
from ..errors import DataError
from .constraints import parse

Array = NDArray[np.float64]

#: Probabilities are kept above this, so that they have a logarithm that still differs.
_SMALLEST = 1e-100
#: Log probability below that: no expected improvement, however small elsewhere, outweighs it.
_HOPELESS = -1e9


@dataclass(frozen=True)
class Limit:
    """A target that must be at most, or at least, some value.

    Attributes
    ----------
    model : fitted estimator
        Of the target.
    bound : float
    below : bool
        Whether the target must be at most the bound.
    text : str
        As the user wrote it.
    """

    model: Any
    bound: float
    below: bool
    text: str

    def log_probability(self, U: Array) -> Array:
        """Log probability that points in the model's own unit cube satisfy it, shape (n,)."""
        below = self.model.predictive_unit(U).cdf(np.full(len(U), self.bound))
        probability = below if self.below else 1.0 - below
        logs = np.log(np.maximum(probability, _SMALLEST))
        return np.where(probability < _SMALLEST, _HOPELESS, logs)


def limits_from(texts: Sequence[str | Limit], models: Mapping[str, Any]) -> list[Limit]:
    """Read limits on the targets of some models; those that have a model stay as they are."""
    found = [limit for limit in texts if isinstance(limit, Limit)]
    for text in (text for text in texts if isinstance(text, str)):
        for constraint in parse(text, list(models)):
            if len(constraint.coefficients) != 1:
                raise DataError(
                    f"the limit {text!r} must be on one target, such as 'stress <= 250'"
                )
            ((name, factor),) = constraint.coefficients.items()
            bound = constraint.bound / factor
            found.append(Limit(models[name], bound, factor > 0.0, text))
    return found


def feasibility(limits: Sequence[Limit], data: Dataset) -> Callable[[Array], Array]:
    """Log probability that all limits hold, at points in the unit cube of a data set.

    Targets are taken to be independent, given the inputs.
    """

    def log_probability(U: Array) -> Array:
        total = np.zeros(len(U))
        if limits:
            X = data.box.low + data.box.widths * U
            for limit in limits:
                total += limit.log_probability(limit.model.training_data_.box.to_unit(X))
        return total

    return log_probability
