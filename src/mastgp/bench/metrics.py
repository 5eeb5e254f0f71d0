"""How good a prediction is: the paper's three metrics, and what users ask beside them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Metrics of the paper, each also reported as a ratio to the HF-only GP.
PAPER_METRICS = ("rmse", "mean_pdf", "r2")
#: For these smaller is better; for the others larger.
SMALLER_IS_BETTER = frozenset({"rmse", "nlpd", "width95", "fit_seconds", "predict_seconds"})

#: Half widths of central intervals in standard deviations, by what they should cover.
_INTERVALS = {50: 0.6744897501960817, 80: 1.2815515655446004, 95: 1.959963984540054}


def score(y: Array, mean: Array, std: Array, density: Array | None = None) -> dict[str, float]:
    """Score predictions against the truth.

    Parameters
    ----------
    y : array of shape (n,)
        True values, free of noise where they are known so.
    mean, std : arrays of shape (n,)
        Predictions.
    density : array of shape (n,), optional
        Predictive density of the true values, where it is not the normal one.

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
    std = np.maximum(std, np.finfo(float).tiny)
    error = mean - y
    log_density = -0.5 * (error / std) ** 2 - np.log(std) - 0.5 * np.log(2.0 * np.pi)
    if density is not None:
        log_density = np.log(np.maximum(density, np.finfo(float).tiny))
    spread = float(np.sum((y - y.mean()) ** 2))
    return {
        "rmse": float(np.sqrt(np.mean(error**2))),
        "mean_pdf": float(np.mean(np.exp(log_density))),
        "r2": 1.0 - float(np.sum(error**2)) / spread,
        "nlpd": float(-np.mean(log_density)),
        **{
            f"coverage{share}": float(np.mean(np.abs(error) <= half_width * std))
            for share, half_width in _INTERVALS.items()
        },
        "width95": float(np.mean(2.0 * _INTERVALS[95] * std)),
    }
