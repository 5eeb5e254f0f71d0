"""Weights of a blend, from the densities that its members gave to held-out points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

Array = NDArray[np.float64]

#: Share of the log density of held-out points that counts: a few points decide badly.
TEMPER = 0.5
#: A point's log density counts as at most this much below the best candidate's there.
FAR_BELOW = 50.0
#: Draws of the Bayesian bootstrap over the expensive points.
DRAWS = 1000


def blend_weights(log_densities: Array, draws: int = DRAWS, temper: float = TEMPER) -> Array:
    """Weights of candidates from the densities of their held-out predictions.

    Pseudo-BMA with the Bayesian bootstrap (Yao et al. 2018): the points are weighted at random,
    each candidate's likelihood follows, and the resulting weights are averaged. The likelihood is
    tempered.

    Parameters
    ----------
    log_densities : array of shape (n_points, n_candidates)
        Of the observed values, each predicted without it.
    draws : int
        Of the bootstrap.
    temper : float
        Share of the log likelihood that counts.

    Returns
    -------
    array of shape (n_candidates,)
    """
    n, n_candidates = log_densities.shape
    if n == 0:
        return np.full(n_candidates, 1.0 / n_candidates)
    best = log_densities.max(axis=1, keepdims=True)
    shares = np.random.default_rng(0).dirichlet(np.ones(n), draws)
    likelihood = n * shares @ np.maximum(log_densities - best, -FAR_BELOW)
    return softmax(temper * likelihood, axis=1).mean(axis=0)


def weights_without_each(log_densities: Array, groups: NDArray[np.intp]) -> Array:
    """Weights at every point, from the densities at all points of other groups.

    Points that some candidate could not predict do not count.

    Parameters
    ----------
    log_densities : array of shape (n_points, n_candidates)
    groups : int array of shape (n_points,)
        Points that were held out together, such as repeats at one place.

    Returns
    -------
    array of shape (n_points, n_candidates)
    """
    usable = np.all(np.isfinite(log_densities), axis=1)
    weights = np.empty_like(log_densities)
    for group in np.unique(groups):
        others = log_densities[usable & (groups != group)]
        weights[groups == group] = blend_weights(others, draws=DRAWS // 5)
    return weights
