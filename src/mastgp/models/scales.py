"""The scale of a response: what a model says of it, and advice that is given after a fit."""

from __future__ import annotations

import math

import numpy as np

from ..data.dataset import Dataset
from ..errors import DecadesWarning, warn

#: A positive response that spans more decades than this is worth a word,
MANY_DECADES = 2.0
#: unless half of its values are above this share of the largest: then a few near zero are all.
HIGH = 0.2


class OfResponse:
    """What a model says of the scale on which it models the response: as it is, by default."""

    training_data_: Dataset

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
    """Warn of a positive response over many decades whose logarithm takes no part in the model."""
    data = model.training_data_
    y = np.concatenate([fidelity.y for fidelity in data.fidelities])
    if model.settles_response or (y <= 0.0).any():
        return
    decades = math.log10(y.max()) - math.log10(y.min())
    if decades > MANY_DECADES and np.median(y) < HIGH * y.max():
        name = data.target_name or "y"
        warn(
            f"target {name!r} is positive and spans {decades:.1f} decades ({y.min():.3g} to "
            f"{y.max():.3g}): its logarithm is probably easier to model, and predictions are then "
            f"never negative (--log {name}, in Python mastgp.fit(..., log=True))",
            DecadesWarning,
        )
