"""Whether results are free of noise: simulations mostly are, measurements are not.

In a search for an optimum this makes a difference. A model that takes the last digits of exact
results for noise runs near the same point again and again. So the results of every fidelity are
modelled twice, with noise and without. Where noise explains them no better, they count as exact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..data.dataset import Dataset, Fidelity
from ..errors import MastError, MastWarning, silenced
from ..models.cokriging import CoKriging
from ..progress import listening

#: Noise must raise the log likelihood of a fidelity's results by more than this to be believed in:
#: half the 95 % quantile of the chi-squared distribution.
SIGNIFICANT = 1.92
#: More results than this show their noise without help.
MOST_RESULTS = 200


def exact_where_possible(data: Dataset) -> Dataset:
    """The same data; fidelities whose results show no noise are known to have none.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0, 1, 20)[:, None]
    >>> noise = np.random.default_rng(0).normal(0, 0.3, 20)
    >>> smooth, rough = np.sin(5 * x[:, 0]), np.sin(5 * x[:, 0]) + noise
    >>> data = Dataset.from_tables({"a": (x, rough), "b": (x, smooth)}, order=["a", "b"])
    >>> [f.noise_var is not None for f in exact_where_possible(data).fidelities]
    [False, True]
    """
    fidelities = tuple(
        _without_noise(f) if f.noise_var is None and is_exact(data, f) else f
        for f in data.fidelities
    )
    return replace(data, fidelities=fidelities)


def is_exact(data: Dataset, fidelity: Fidelity) -> bool:
    """Whether noise does not explain the results of a fidelity any better."""
    if len(fidelity.y) > MOST_RESULTS:
        return False
    try:
        noisy = _log_likelihood(replace(data, fidelities=(fidelity,)))
        exact = _log_likelihood(replace(data, fidelities=(_without_noise(fidelity),)))
    except MastError:
        return False
    return exact >= noisy - SIGNIFICANT


def _without_noise(fidelity: Fidelity) -> Fidelity:
    return replace(fidelity, noise_var=np.zeros(len(fidelity.y)))


def _log_likelihood(data: Dataset) -> float:
    """Log likelihood of the results of one fidelity at the best hyperparameters."""
    with silenced(MastWarning), listening(None):
        model = CoKriging(structure="top-only", inference="map").fit_data(data)
    report = model.process_.report
    return -np.inf if report is None else report.log_likelihood
