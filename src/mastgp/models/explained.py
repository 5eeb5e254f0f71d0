"""What is left of a level once a factor of the level below is taken off, and what the factor is.

The factor is learned by generalised least squares under every draw of the hyperparameters, and its
uncertainty is part of what is predicted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..gp import GaussianProcess
from ..gp.latent import Latent
from ..gp.linalg import solve_lower

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Explained:
    """What a process leaves of the level below: the factor is learned from that.

    Attributes
    ----------
    solved : array of shape (n,)
        L^-1 h, with h the mean of the level below at the points, in units of the process.
    precision : float
        Of the factor: h^T K^-1 h.
    correction : float
        What generalised least squares adds to the factor that was taken off.
    """

    solved: Array
    precision: float
    correction: float

    @classmethod
    def of(cls, process: GaussianProcess, below: Array) -> Explained:
        """Learn the correction of a factor of `below`, shape (n,), under one draw."""
        L = process.objective.factorise(process.parameters).L
        h = below / process.y_scale[0]
        solved = solve_lower(L, h)
        precision = float(solved @ solved)
        targets = solve_lower(L, process.objective.data.y)
        return cls(solved, precision, float(solved @ targets) / precision)

    def slope(self, process: GaussianProcess) -> Array:
        """K^-1 h: times the covariances of a point it is what the process makes of h there."""
        L = process.objective.factorise(process.parameters).L
        return solve_lower(L, self.solved, transpose=True)

    def moments(self, process: GaussianProcess, U: Array, below: Array) -> tuple[Array, Array]:
        """Mean and variance of what is left, the factor's correction and variance included."""
        latent, scale = process.latent(U, 0), float(process.y_scale[0])
        unexplained = self.unexplained(latent, below / scale)
        return (
            latent.mean + scale * self.correction * unexplained,
            latent.var + scale**2 * unexplained**2 / self.precision,
        )

    def covariance(self, process: GaussianProcess, U: Array, below: Array) -> Array:
        """Covariance of what is left, the factor's variance included, shape (n, n)."""
        latent, scale = process.latent(U, 0), float(process.y_scale[0])
        unexplained = self.unexplained(latent, below / scale)
        cov = process.latent_covariance(latent, latent)
        cov.flat[:: len(cov) + 1] = latent.var
        return cov + scale**2 * np.outer(unexplained, unexplained) / self.precision

    def gradient(
        self, process: GaussianProcess, U: Array, below: Array, d_below: Array
    ) -> tuple[Array, Array]:
        """Gradients of what :meth:`moments` returns by the unit-cube inputs, each (n, d).

        Parameters
        ----------
        process : GaussianProcess
        U : array of shape (n, d)
        below : array of shape (n,)
            Mean of the level below.
        d_below : array of shape (n, d)
            Its gradient.
        """
        scale = float(process.y_scale[0])
        unexplained = self.unexplained(process.latent(U, 0), below / scale)
        d_unexplained = d_below / scale - process.weighted_gradient(U, self.slope(process))
        d_mean, d_var = process.predict_gradient(U)
        in_var = (2.0 * scale**2 / self.precision) * unexplained[:, None]
        return d_mean + scale * self.correction * d_unexplained, d_var + in_var * d_unexplained

    def unexplained(self, latent: Latent, below: Array) -> Array:
        """The level below at some points, less what the process makes of it there."""
        unexplained: Array = below - self.solved @ latent.solved
        return unexplained
