"""Where runs fail: a probability at every place, learned from those that did and did not.

The probability is a weighted share of failures among the runs nearby, with a Gaussian weight and
half a run's worth of the overall rate. What "nearby" means is chosen by how well each run is
foretold by the others: near in all inputs together, or near in one input alone, and how near. One
of the choices is that failures have nothing to do with the place, as with a licence server that is
down now and then. Then no region is avoided. Only the very places that failed are, so that a run
is not made in vain twice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Widths that are tried, in root-mean-square distances per column.
WIDTHS = (0.05, 0.1, 0.2, 0.4)
#: Weight of the overall rate, in runs.
_PRIOR = 0.5
#: Right beside a run that failed another is taken to fail with this probability, whatever the rate;
#: and how far "beside" reaches, in the same distances.
_REPEATED, _BESIDE = 0.9, 0.03
#: Places must foretell failures better than the rate alone by this much, in nats, to be believed.
_NEEDED = 4.0


@dataclass(frozen=True)
class Failures:
    """Probability of failure by place.

    Attributes
    ----------
    places : array of shape (n, k)
        Of all runs that have ended, scaled for distances.
    failed : array of shape (n,)
        1 where a run failed.
    widths : array of shape (k,)
        How far a run tells about others, by column; infinite where a column makes no difference.
    """

    places: Array
    failed: Array
    widths: Array

    @classmethod
    def of(cls, places: Array, failed: Sequence[bool]) -> Failures:
        """Learn from runs that have ended."""
        outcome = np.asarray(failed, dtype=float)
        nowhere = np.full(places.shape[1], np.inf)
        if len(outcome) == 0 or outcome.min() == outcome.max():
            return cls(places, outcome, nowhere)
        choices = _choices(places.shape[1])
        losses = [_loss(places, outcome, widths) for widths in choices]
        best = int(np.argmin(losses))
        believed = losses[best] < _loss(places, outcome, nowhere) - _NEEDED
        return cls(places, outcome, choices[best] if believed else nowhere)

    @property
    def rate(self) -> float:
        """Share of runs that failed."""
        return float(self.failed.mean()) if len(self.failed) else 0.0

    @property
    def is_local(self) -> bool:
        """Whether some places are worse than others."""
        return bool(np.isfinite(self.widths).any())

    def probability(self, places: Array) -> Array:
        """Probability that a run fails, shape (m,)."""
        near = np.full(places.shape[1], _BESIDE * math.sqrt(places.shape[1]))
        beside = _weights(places, self.places[self.failed == 1.0], near).max(axis=1, initial=0.0)
        return np.maximum(self._smooth(places), _REPEATED * beside)

    def _smooth(self, places: Array) -> Array:
        """The same without what is known of runs at the very place."""
        if not self.is_local:
            return np.full(len(places), self.rate)
        return _share(_weights(places, self.places, self.widths), self.failed, self.rate)


def _choices(k: int) -> list[Array]:
    """Widths of all columns together, and of each column alone."""
    together = [np.full(k, width * math.sqrt(k)) for width in WIDTHS]
    alone = [
        np.where(np.arange(k) == column, width, np.inf) for column in range(k) for width in WIDTHS
    ]
    return together + (alone if k > 1 else [])


def _loss(places: Array, failed: Array, widths: Array) -> float:
    """Negative log probability of every run given the others."""
    n = len(failed)
    weights = _weights(places, places, widths)
    np.fill_diagonal(weights, 0.0)
    rate = (failed.sum() - failed + 0.5) / n
    p = np.clip(_share(weights, failed, rate), 1e-3, 1.0 - 1e-3)
    return float(-(failed * np.log(p) + (1.0 - failed) * np.log1p(-p)).sum())


def _weights(first: Array, second: Array, widths: Array) -> Array:
    used = np.isfinite(widths)
    a, b = first[:, used] / widths[used], second[:, used] / widths[used]
    return np.exp(-0.5 * ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2))


def _share(weights: Array, failed: Array, rate: Array | float) -> Array:
    return (weights @ failed + _PRIOR * rate) / (weights.sum(axis=1) + _PRIOR)
