"""What new expensive rows say about the members of a blend that predicted them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from ..check.heldout import HeldOut
from ..gp.blends import Distribution
from .weights import FAR_BELOW, TEMPER

Array = NDArray[np.float64]


def reweighted(
    weights: Mapping[str, float], log_densities: Mapping[str, Array]
) -> dict[str, float]:
    """Weights of members after new points, largest first.

    Each is multiplied by the density that the member gave to what was observed, tempered as the
    weights are in a fit. Weights of those that predict nothing stay.

    Parameters
    ----------
    weights : mapping of name to weight
        Of all candidates.
    log_densities : mapping of name to array of shape (n,)
        Of the new observations, by the members that predict.
    """
    names = list(log_densities)
    densities = np.array([log_densities[name] for name in names])
    below = np.maximum(densities - densities.max(axis=0), -FAR_BELOW).sum(axis=1)
    before = np.array([weights[name] for name in names])
    after = before.sum() * softmax(TEMPER * below + np.log(before))
    new = {**weights, **dict(zip(names, after.tolist(), strict=True))}
    return dict(sorted(new.items(), key=lambda pair: -pair[1]))


def appended(held_out: HeldOut | None, predicted: Distribution, y: Array) -> HeldOut | None:
    """A held-out check with further points, which were predicted before anybody knew them."""
    if held_out is None:
        return None
    low, high = predicted.interval(0.95)
    further = {
        "low": low,
        "high": high,
        "y": y,
        "mean": predicted.mean,
        "std": np.sqrt(predicted.variance),
        "log_density": predicted.log_density(y),
        "probability": predicted.cdf(y),
        "crps_values": predicted.crps(y),
    }
    old = {name: getattr(held_out, name) for name in further}
    grown: dict[str, Any] = {
        n: np.concatenate([old[n], v]) for n, v in further.items() if old[n] is not None
    }
    return replace(held_out, **grown)
