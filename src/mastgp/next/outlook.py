"""A belief, given runs whose results are not known yet.

Variances after a run do not depend on its result, so that pending runs and those of the same batch
count in full. Where a criterion needs means too, the results are taken to be what is predicted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..gp.linalg import cholesky, solve_cholesky, solve_lower
from .beliefs import Belief, Levels, Seen
from .slopes import forward

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Joint:
    """A process's values at some points and the covariance with others, in the process's units.

    Attributes
    ----------
    mean, var : arrays of shape (n,)
    solved : array of shape (z, n)
        L^-1 times the covariance of the runs under way with the points.
    """

    mean: Array
    var: Array
    solved: Array


class Outlook:
    """What a model will believe when runs that are under way are done.

    Parameters
    ----------
    belief : Belief
    U : array of shape (z, d)
        Unit-cube inputs of the runs.
    levels : int array of shape (z,)
        Numbers of their fidelities.

    Attributes
    ----------
    belief : Belief
    runs : Seen
    """

    def __init__(self, belief: Belief, U: Array, levels: Levels) -> None:
        self.belief = belief
        self.runs = belief.at(U, levels)
        self._factor: Array | None = None
        if len(U):
            K = belief.covariance(self.runs, self.runs)
            K[np.diag_indices(len(K))] = belief.observed_variance(self.runs)
            self._factor = cholesky(K)[0]
        self._of_processes = [self._runs_of(k) for k in range(len(belief.processes))]

    def with_run(self, u: Array, level: int) -> Outlook:
        """The same outlook with one more run."""
        U = np.vstack([self.runs.U, u[None]])
        return Outlook(self.belief, U, np.append(self.runs.levels, level))

    def explained(self, seen: Seen) -> Array:
        """L^-1 times the covariance of the runs with some points, shape (z, n)."""
        return self.solved(self.belief.covariance(self.runs, seen))

    def solved(self, covariance: Array) -> Array:
        """L^-1 times a covariance of the runs with something."""
        return covariance if self._factor is None else solve_lower(self._factor, covariance)

    def _runs_of(self, k: int) -> tuple[Array, Array] | None:
        """Factor of a process's covariance of the runs, and what it learns from their results."""
        rows = self.runs.modelled[k]
        if not rows.any():
            return None
        part, latent = self.belief.processes[k], self.runs.latents[k]
        K = part.widening**2 * part.process.latent_covariance(latent, latent)
        K[np.diag_indices(len(K))] += self.belief.noises[k][latent.groups]
        L = cholesky(K)[0]
        believed = forward(part.response, self.belief.mean(self.runs)[rows])
        return L, solve_cholesky(L, (believed - latent.mean)[:, None])[:, 0]

    def of_process(self, k: int, seen: Seen) -> Joint:
        """A process's mean and variance at the points that it models, once the runs are done."""
        part, latent, known = self.belief.processes[k], seen.latents[k], self._of_processes[k]
        var = part.widening**2 * latent.var
        if known is None:
            return Joint(latent.mean, var, np.zeros((0, len(latent.mean))))
        L, weights = known
        cross = part.widening**2 * part.process.latent_covariance(self.runs.latents[k], latent)
        solved = solve_lower(L, cross)
        left = np.maximum(var - np.einsum("zi,zi->i", solved, solved), 1e-12 * var)
        return Joint(latent.mean + weights @ cross, left, solved)

    def between(self, k: int, first: Seen, second: Seen) -> Array:
        """A process's covariance of each of some points at two fidelities, shape (n,).

        Both fidelities must be modelled. The points of `first` and `second` are the same ones.
        """
        part = self.belief.processes[k]
        cov = part.process.latent_covariance(first.latents[k], second.latents[k]).diagonal()
        a, b = self.of_process(k, first).solved, self.of_process(k, second).solved
        return part.widening**2 * cov - np.einsum("zi,zi->i", a, b)
