"""A synthetic multi-fidelity problem: f_m(x) = f_HF(x) + d * delta(x), and its noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import qmc

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

#: Size of the fixed sample over which |E f_m| of the noise model is taken.
_SAMPLE_SIZE = 2**14


@dataclass(frozen=True, eq=False)
class Problem:
    """A function with cheap versions of any degradation d >= 0.

    Parameters
    ----------
    name : str
    bounds : array of shape (n_inputs, 2)
        Domain.
    high : callable
        The expensive function: (n, n_inputs) -> (n,).
    discrepancy : callable
        delta: what the cheap version at d = 1 adds to it.
    noise : float
        Noise standard deviation of the expensive data, as a fraction of ``|E f_HF|``.
    extra_noise : float
        What cheap data have on top, times d: their fraction is ``noise + d * extra_noise``.
    known : tuple of (x, value)
        Published values of the expensive function.
    source : str
        Where formula and values come from.
    counts : dict of fidelity name to number of points, optional
        A budget of the problem's own, for experiments that ask for it.

    Examples
    --------
    >>> from mastgp.bench import problem
    >>> problem("branin").evaluate([[np.pi, 2.275]]).round(3)
    array([0.398])
    """

    name: str
    bounds: Array
    high: Function
    discrepancy: Function
    noise: float = 0.01
    extra_noise: float = 0.02
    known: tuple[tuple[tuple[float, ...], float], ...] = ()
    source: str = ""
    counts: dict[str, int] | None = None
    _means: dict[float, float] = field(default_factory=dict, repr=False)

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return len(self.bounds)

    def evaluate(self, X: ArrayLike, degradation: float = 0.0) -> Array:
        """Noise-free values; degradation 0 is the expensive function."""
        points = np.asarray(X, dtype=float)
        values = self.high(points)
        if degradation:
            values = values + degradation * self.discrepancy(points)
        return values

    def noise_std(self, degradation: float = 0.0) -> float:
        """Noise standard deviation of observations at a degradation."""
        fraction = self.noise + degradation * self.extra_noise
        return fraction * self._mean_magnitude(degradation)

    def observe(self, X: ArrayLike, degradation: float, rng: np.random.Generator) -> Array:
        """Noisy values."""
        values = self.evaluate(X, degradation)
        return values + self.noise_std(degradation) * rng.standard_normal(len(values))

    def _mean_magnitude(self, degradation: float) -> float:
        if degradation not in self._means:
            unit = qmc.Sobol(self.n_inputs, scramble=True, rng=0).random(_SAMPLE_SIZE)
            sample = self.bounds[:, 0] + unit * np.ptp(self.bounds, axis=1)
            self._means[degradation] = abs(float(np.mean(self.evaluate(sample, degradation))))
        return self._means[degradation]


def box(low: float, high: float, n_inputs: int) -> Array:
    """Bounds that are the same for every input."""
    return np.tile([float(low), float(high)], (n_inputs, 1))


def oscillation(X: Array) -> Array:
    """Delta = 0.1 sin(10 x1 + 5 x2), the paper's oscillatory discrepancy."""
    return 0.1 * np.sin(10.0 * X[:, 0] + 5.0 * X[:, 1])
