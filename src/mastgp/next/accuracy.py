"""What a run is worth for a surrogate that is good everywhere."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from .beliefs import Belief, Seen
from .outlook import Outlook
from .search import slopes
from .slopes import backward
from .space import Space

Array = NDArray[np.float64]
_TINY = np.finfo(float).tiny
#: Share of the reference points' weights that is proportional to the squared slope there.
STEEP = 0.3


def references(
    belief: Belief, space: Space, n: int, rng: np.random.Generator
) -> tuple[Seen, Array]:
    """Points over which the variance of the most expensive response is averaged, and their weights.

    Where the response changes quickly they count for more: there a surrogate is more wrong than a
    process knows that is equally rough everywhere.

    Parameters
    ----------
    belief : Belief
    space : Space
    n : int
    rng : Generator
    """
    U = space.sample(n, rng)
    squares = (slopes(partial(_middle, belief), space, U)[1] ** 2).sum(axis=1)
    average = float(squares.mean())
    relative = squares / average if average > 0.0 else np.ones(len(U))
    return belief.at(U, belief.top), 1.0 - STEEP + STEEP * relative


def _middle(belief: Belief, U: Array) -> Array:
    """About the mean of the most expensive response, at a fraction of its cost."""
    total = np.zeros(len(U))
    for part, group in zip(belief.processes, belief.groups[:, belief.top].tolist(), strict=True):
        if group >= 0:
            latent = part.process.predict_mean(U, group)
            total += part.share * backward(part.response, latent)
    return total


class Accuracy:
    """The expected reduction of the integrated variance of the most expensive response.

    With C the joint covariance of all fidelities, given the runs under way, a run at x of fidelity
    m lowers the variance at a reference point r by ``C(r, xm)^2 / (C(xm, xm) + noise)``. That is
    averaged over the reference points. Gains are shares of the variance that is there now.

    Parameters
    ----------
    outlook : Outlook
    references : Seen
        Points of the most expensive fidelity over which the variance is averaged.
    weights : array of shape (n,)
        How much each of them counts.
    """

    def __init__(self, outlook: Outlook, references: Seen, weights: Array) -> None:
        self._outlook = outlook
        self._references = references
        self._solved = outlook.explained(references)
        explained = np.einsum("zi,zi->i", self._solved, self._solved)
        left = np.maximum(outlook.belief.variance(references) - explained, 0.0)
        self.variance = float(weights @ left / weights.sum())
        self._weights = weights / weights.sum()

    def gains(self, U: Array, level: int) -> Array:
        """Share of the mean variance that a run at each point is expected to remove, shape (n,)."""
        return self.gains_at(self._outlook.belief.at(U, level))

    def gains_at(self, seen: Seen) -> Array:
        """The same at points that the belief has been asked about before."""
        belief = self._outlook.belief
        solved = self._outlook.explained(seen)
        covariance = belief.covariance(self._references, seen) - self._solved.T @ solved
        variance = belief.observed_variance(seen)
        left = np.maximum(variance - np.einsum("zi,zi->i", solved, solved), 1e-12 * variance)
        removed = self._weights @ covariance**2 / left
        return np.where(np.isfinite(variance), removed / max(self.variance, _TINY), 0.0)
