"""Where runs fail: a probability at every place, learned from those that did and did not.

The probability is a weighted share of failures among the runs nearby, with a Gaussian weight and
half a run's worth of the overall rate. The width of the weight is chosen by how well each run is
foretold by the others. One of the widths is without end: then failures have nothing to do with
the place, as with a licence server that is down now and then, and no region is avoided. Only the
very places that failed are, so that a run is not made in vain twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Widths that are tried, in root-mean-square distances per input; the last has no end.
WIDTHS = (0.05, 0.1, 0.2, 0.4, np.inf)
#: Weight of the overall rate, in runs.
_PRIOR = 0.5
#: Right beside a run that failed another is taken to fail with this probability, whatever the rate;
#: and how far "beside" reaches, in the same distances.
_REPEATED, _BESIDE = 0.9, 0.03
#: A width must foretell better than no width by this much, in nats, to be believed.
_NEEDED = 1.0


@dataclass(frozen=True)
class Failures:
    """Probability of failure by place.

    Attributes
    ----------
    places : array of shape (n, k)
        Of all runs that have ended, scaled for distances.
    failed : array of shape (n,)
        1 where a run failed.
    width : float
        Infinite where the place makes no difference.
    """

    places: Array
    failed: Array
    width: float

    @classmethod
    def of(cls, places: Array, failed: Sequence[bool]) -> Failures:
        """Learn from runs that have ended."""
        outcome = np.asarray(failed, dtype=float)
        if len(outcome) == 0 or outcome.min() == outcome.max():
            return cls(places, outcome, np.inf)
        losses = {width: _loss(places, outcome, width) for width in WIDTHS}
        best = min(WIDTHS, key=lambda width: losses[width])
        believed = losses[best] < losses[np.inf] - _NEEDED
        return cls(places, outcome, best if believed else np.inf)

    @property
    def rate(self) -> float:
        """Share of runs that failed."""
        return float(self.failed.mean()) if len(self.failed) else 0.0

    @property
    def is_local(self) -> bool:
        """Whether some places are worse than others."""
        return bool(np.isfinite(self.width))

    def probability(self, places: Array) -> Array:
        """Probability that a run fails, shape (m,)."""
        beside = _weights(places, self.places[self.failed == 1.0], _BESIDE).max(axis=1, initial=0.0)
        return np.maximum(self._smooth(places), _REPEATED * beside)

    def _smooth(self, places: Array) -> Array:
        """The same without what is known of runs at the very place."""
        if not self.is_local:
            return np.full(len(places), self.rate)
        return _share(_weights(places, self.places, self.width), self.failed, self.rate)


def _loss(places: Array, failed: Array, width: float) -> float:
    """Negative log probability of every run given the others."""
    n = len(failed)
    weights = _weights(places, places, width)
    np.fill_diagonal(weights, 0.0)
    rate = (failed.sum() - failed + 0.5) / n
    p = np.clip(_share(weights, failed, rate), 1e-3, 1.0 - 1e-3)
    return float(-(failed * np.log(p) + (1.0 - failed) * np.log1p(-p)).sum())


def _weights(first: Array, second: Array, width: float) -> Array:
    squares = ((first[:, None, :] - second[None, :, :]) ** 2).mean(axis=2)
    return np.exp(-0.5 * squares / width**2)


def _share(weights: Array, failed: Array, rate: Array | float) -> Array:
    return (weights @ failed + _PRIOR * rate) / (weights.sum(axis=1) + _PRIOR)
