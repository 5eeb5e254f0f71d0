"""How good predictions are: the one place where errors, densities and coverage are computed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..gp.blends import Distribution

Array = NDArray[np.float64]

#: Metrics of the paper, each also reported as a ratio to the HF-only GP.
PAPER_METRICS = ("rmse", "mean_pdf", "r2")
#: For these smaller is better; for the others larger.
SMALLER_IS_BETTER = frozenset({"rmse", "nlpd", "crps", "width95", "fit_seconds", "predict_seconds"})

#: What central intervals should cover, in percent.
_SHARES = (50, 80, 95)


def rmse(error: Array) -> float:
    """Root mean square of errors."""
    return float(np.sqrt(np.mean(error**2)))


def prognosis(y: Array, predicted: Array) -> float:
    """Coefficient of prognosis: share of the variance of `y` that held-out predictions explain.

    One is perfect, zero is as good as the mean of the data, and below zero is worse. NaN where all
    values are the same (Most and Will 2008, as in optiSLang).

    >>> import numpy as np
    >>> prognosis(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0]))
    0.5
    """
    spread = float(np.sum((y - y.mean()) ** 2))
    return 1.0 - float(np.sum((predicted - y) ** 2)) / spread if spread > 0.0 else float("nan")


def coverage(below: Array, share: float) -> float:
    """Share of the values inside their central interval of the given share.

    `below` is the predicted probability of less than each value.
    """
    return float(np.mean(2.0 * np.abs(below - 0.5) <= share))


def score(y: Array, predicted: Distribution) -> dict[str, float]:
    """Score a predictive distribution against the truth.

    Parameters
    ----------
    y : array of shape (n,)
        True values, free of noise where they are known so.
    predicted : Normal or Mixture
        Predictive distribution at every point.

    Returns
    -------
    dict
        rmse; mean_pdf, the mean density of the truth; r2; nlpd, the mean negative log density;
        crps, the mean continuous ranked probability score; coverage50, coverage80 and coverage95 of
        intervals, and width95.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp.gp.distributions import Normal
    >>> reached = score(np.array([0.0, 1.0]), Normal(np.zeros(2), np.ones(2)))
    >>> round(reached["rmse"], 3)
    0.707
    """
    error = predicted.mean - y
    log_density, below = predicted.log_density(y), predicted.cdf(y)
    spread = float(np.sum((y - y.mean()) ** 2))
    return {
        "rmse": rmse(error),
        "mean_pdf": float(np.mean(np.exp(log_density))),
        "r2": 1.0 - float(np.sum(error**2)) / spread,
        "nlpd": float(-np.mean(log_density)),
        "crps": float(np.mean(predicted.crps(y))),
        **{f"coverage{s}": coverage(below, s / 100.0) for s in _SHARES},
        "width95": float(np.mean(predicted.width(0.95))),
    }
