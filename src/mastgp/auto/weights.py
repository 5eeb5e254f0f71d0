"""Weights of a blend, from the errors that its members made on held-out points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

Array = NDArray[np.float64]

#: Share of the log likelihood of held-out errors that counts: few points decide badly.
TEMPER = 0.3
#: Draws of the Bayesian bootstrap over the expensive points.
DRAWS = 1000


def blend_weights(
    squared_errors: Array,
    log_priors: Array | float = 0.0,
    draws: int = DRAWS,
    temper: float = TEMPER,
) -> Array:
    """Weights of candidates from the errors of their held-out predictions.

    Pseudo-BMA with the Bayesian bootstrap (Yao et al. 2018): the points are weighted at random,
    the candidates' likelihoods follow, and the resulting weights are averaged. The likelihood is
    that of normal errors of each candidate's own size, tempered, times a prior.

    Parameters
    ----------
    squared_errors : array of shape (n_points, n_candidates)
    log_priors : array of shape (n_candidates,)
        What speaks for each candidate beside its errors.
    draws : int
        Of the bootstrap.
    temper : float
        Share of the log likelihood that counts.

    Returns
    -------
    array of shape (n_candidates,)
    """
    n = len(squared_errors)
    prior = np.broadcast_to(log_priors, squared_errors.shape[1])
    if n == 0:
        return softmax(prior)
    shares = np.random.default_rng(0).dirichlet(np.ones(n), draws)
    least = 1e-12 * squared_errors.mean() + np.finfo(float).tiny
    likelihood = -0.5 * n * np.log(shares @ squared_errors + least)
    return softmax(temper * likelihood + prior, axis=1).mean(axis=0)


def weights_without_each(
    squared_errors: Array, groups: NDArray[np.intp], log_priors: Array | float = 0.0
) -> Array:
    """Weights at every point, from the errors at all points of other groups.

    Points that some candidate could not predict do not count.

    Parameters
    ----------
    squared_errors : array of shape (n_points, n_candidates)
    groups : int array of shape (n_points,)
        Points that were held out together, such as repeats at one place.
    log_priors : array of shape (n_candidates,)

    Returns
    -------
    array of shape (n_points, n_candidates)
    """
    usable = np.all(np.isfinite(squared_errors), axis=1)
    weights = np.empty_like(squared_errors)
    for group in np.unique(groups):
        others = squared_errors[usable & (groups != group)]
        weights[groups == group] = blend_weights(others, log_priors, draws=DRAWS // 5)
    return weights
