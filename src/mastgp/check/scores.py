"""How good a prediction is: the paper's three metrics, and what users ask beside them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ..gp.distributions import Mixture

Array = NDArray[np.float64]

#: Metrics of the paper, each also reported as a ratio to the HF-only GP.
PAPER_METRICS = ("rmse", "mean_pdf", "r2")
#: For these smaller is better; for the others larger.
SMALLER_IS_BETTER = frozenset({"rmse", "nlpd", "width95", "fit_seconds", "predict_seconds"})

#: What central intervals should cover, in percent.
_SHARES = (50, 80, 95)


def score(y: Array, mean: Array, std: Array, mixture: Mixture | None = None) -> dict[str, float]:
    """Score predictions against the truth.

    Parameters
    ----------
    y : array of shape (n,)
        True values, free of noise where they are known so.
    mean, std : arrays of shape (n,)
        Predictions.
    mixture : Mixture, optional
        Predictive distribution at every point, where it is not the normal one.

    Returns
    -------
    dict
        rmse; mean_pdf, the mean density of the truth; r2; nlpd, the mean negative log density;
        coverage50, coverage80 and coverage95 of intervals, and width95.

    Examples
    --------
    >>> import numpy as np
    >>> score(np.array([0.0, 1.0]), np.array([0.0, 0.0]), np.array([1.0, 1.0]))["rmse"].__round__(3)
    0.707
    """
    error = mean - y
    if mixture is None:
        std = np.maximum(std, np.finfo(float).tiny)
        log_density = -0.5 * (error / std) ** 2 - np.log(std) - 0.5 * np.log(2.0 * np.pi)
        below, width = ndtr(-error / std), 2.0 * ndtri(0.975) * std
    else:
        log_density = np.log(np.maximum(mixture.density(y), np.finfo(float).tiny))
        below, width = mixture.cdf(y), mixture.quantile(0.975) - mixture.quantile(0.025)
    off_centre = 2.0 * np.abs(below - 0.5)
    spread = float(np.sum((y - y.mean()) ** 2))
    return {
        "rmse": float(np.sqrt(np.mean(error**2))),
        "mean_pdf": float(np.mean(np.exp(log_density))),
        "r2": 1.0 - float(np.sum(error**2)) / spread,
        "nlpd": float(-np.mean(log_density)),
        **{f"coverage{s}": float(np.mean(off_centre <= s / 100.0)) for s in _SHARES},
        "width95": float(np.mean(width)),
    }
