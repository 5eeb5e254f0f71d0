"""The top level of a model of very many rows, as joint questions see it.

What to run next depends on how values at several points vary together. With very many cheap rows
that is a matter of the top level alone: the level below is known as well as it can be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..gp import GaussianProcess
from ..gp.latent import Latent
from ..gp.process import Groups
from .explained import Explained

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LevelledLatent(Latent):
    """Values of the top level.

    Attributes
    ----------
    unexplained : array of shape (n,)
        What the uncertain factor is multiplied by, in units of the process.
    """

    unexplained: Array


class LevelledProcess(GaussianProcess):
    """A process of what is left of the top level, plus a factor times the level below.

    Only :meth:`latent` and :meth:`latent_covariance` are those of the sum. The covariance is of
    what expensive runs can tell about; the variance has that of the level below in it, too.

    Parameters
    ----------
    left : GaussianProcess
        Of what is left.
    part : Explained
        What it says of the factor.
    factor : float
        The factor that was taken off.
    below : callable
        Mean and variance of the level below at unit-cube inputs.
    """

    def __init__(
        self,
        left: GaussianProcess,
        part: Explained,
        factor: float,
        below: Callable[[Array], tuple[Array, Array]],
    ) -> None:
        super().__init__(
            left.model,
            left.parameters,
            left.objective.data,
            left.y_mean,
            left.y_scale,
            left.report,
            left.objective,
            left._factorisation,
        )
        self._part, self._factor, self._below = part, factor, below

    def latent(self, X: ArrayLike, groups: Groups) -> LevelledLatent:
        """Values of the top level at inputs of shape (n, d)."""
        own = super().latent(X, groups)
        mean, var = self._below(np.asarray(X, dtype=float))
        scale = float(self.y_scale[0])
        unexplained = self._part.unexplained(own, mean / scale)
        return LevelledLatent(
            own.points,
            own.groups,
            own.solved,
            own.mean + self._factor * mean + scale * self._part.correction * unexplained,
            own.var + self._factor**2 * var + (scale * unexplained) ** 2 / self._part.precision,
            unexplained,
        )

    def latent_covariance(self, first: Latent, second: Latent) -> Array:
        """Covariance of two sets of values, the factor's variance included, shape (n1, n2)."""
        cov = super().latent_covariance(first, second)
        if isinstance(first, LevelledLatent) and isinstance(second, LevelledLatent):
            size = float(self.y_scale[0]) ** 2 / self._part.precision
            cov += size * np.multiply.outer(first.unexplained, second.unexplained)
        return cov
