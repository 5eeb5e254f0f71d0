"""How good a prediction is: the paper's three metrics, and what users ask beside them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Metrics of the paper, each also reported as a ratio to the HF-only GP.
PAPER_METRICS = ("rmse", "mean_pdf", "r2")
#: For these smaller is better; for the others larger.
SMALLER_IS_BETTER = frozenset({"rmse", "nlpd", "width95", "fit_seconds", "predict_seconds"})

_Z95 = 1.959963984540054


def score(y: Array, mean: Array, std: Array) -> dict[str, float]:
    """Score predictions against the truth.

    Parameters
    ----------
    y : array of shape (n,)
        True values, free of noise where they are known so.
    mean, std : arrays of shape (n,)
        Predictions.

    Returns
    -------
    dict
        rmse; mean_pdf, the mean Gaussian density of the truth; r2; nlpd, the mean negative log
        density; coverage95 and width95 of the 95 % interval.

    Examples
    --------
    >>> import numpy as np
    >>> score(np.array([0.0, 1.0]), np.array([0.0, 0.0]), np.array([1.0, 1.0]))["rmse"].__round__(3)
    0.707
    """
    std = np.maximum(std, np.finfo(float).tiny)
    error = mean - y
    log_density = -0.5 * (error / std) ** 2 - np.log(std) - 0.5 * np.log(2.0 * np.pi)
    spread = float(np.sum((y - y.mean()) ** 2))
    return {
        "rmse": float(np.sqrt(np.mean(error**2))),
        "mean_pdf": float(np.mean(np.exp(log_density))),
        "r2": 1.0 - float(np.sum(error**2)) / spread,
        "nlpd": float(-np.mean(log_density)),
        "coverage95": float(np.mean(np.abs(error) <= _Z95 * std)),
        "width95": float(np.mean(2.0 * _Z95 * std)),
    }
