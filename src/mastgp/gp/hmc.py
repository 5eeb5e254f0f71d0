"""Hamiltonian Monte Carlo in the coordinates that the curvature at a mode whitens.

Many short chains instead of one long one: they start at draws that are nearly right, and after a
trajectory or two hardly remember where they started. Some chains are moved at a time, so that
their densities can be evaluated together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .laplace import Density

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

#: Numbers of leapfrog steps of a trajectory, all equally probable.
STEPS = (3, 4, 5, 6)
#: The first step size in whitened coordinates is this times p^(-1/4).
FIRST_STEP_SIZE = 1.2
#: Step sizes are varied by up to this share, so that no trajectory closes on itself for good.
JITTER = 0.3
#: The step size is adapted, ever less, until proposals are accepted this often.
WANTED_ACCEPTANCE = 0.8
#: Chains that are moved together. Step sizes learn from them before the next ones are moved.
TOGETHER = 8


@dataclass(frozen=True)
class States:
    """Where some chains are.

    Attributes
    ----------
    points, gradients : arrays of shape (k, p)
    values : array of shape (k,)
        Log densities at the points; the gradients are the log density's too.
    """

    points: Array
    values: Array
    gradients: Array

    @classmethod
    def at(cls, density: Density, points: Array) -> States:
        """Evaluate the density at points; at equal ones once."""
        unique, inverse = np.unique(points, axis=0, return_inverse=True)
        values, gradients = density.many(unique)
        return cls(points, values[inverse], gradients[inverse])

    def only(self, rows: Integers | slice) -> States:
        """Some of the chains."""
        return States(self.points[rows], self.values[rows], self.gradients[rows])

    def with_rows(self, rows: Integers | slice, others: States) -> States:
        """The same chains, but for some that are elsewhere now."""
        changed = [array.copy() for array in (self.points, self.values, self.gradients)]
        for array, new in zip(
            changed, (others.points, others.values, others.gradients), strict=True
        ):
            array[rows] = new
        return States(*changed)


class StepSize:
    """A step size that learns from acceptance probabilities, ever less (Robbins and Monro)."""

    def __init__(self, n_coordinates: int) -> None:
        self.value = FIRST_STEP_SIZE * n_coordinates**-0.25
        self.n_seen = 0

    def learn(self, acceptance: float) -> None:
        """Take account of one more trajectory's acceptance probability."""
        self.n_seen += 1
        self.value *= math.exp(2.0 * (acceptance - WANTED_ACCEPTANCE) / math.sqrt(self.n_seen + 4))


def advance(
    density: Density, states: States, roots: Array, step_sizes: Array, rng: np.random.Generator
) -> tuple[States, Array]:
    """Propose the ends of one trajectory of each chain, and accept or reject them.

    Parameters
    ----------
    density : Density
    states : States
        Of k chains.
    roots : array of shape (k, p, p)
        R: momenta are standard normal in the coordinates z of ``R z``.
    step_sizes : array of shape (k,)
        In these coordinates.
    rng : numpy.random.Generator

    Returns
    -------
    States
        The ends; where one was rejected, the same state as before.
    array of shape (k,)
        Probability with which each end was accepted.
    """
    k = len(states.values)
    sizes = step_sizes * rng.uniform(1.0 - JITTER, 1.0 + JITTER, k)
    momenta = rng.standard_normal(states.points.shape)
    ends, end_momenta = leapfrog(density, states, momenta, roots, sizes, rng.choice(STEPS, k))
    kinetic = 0.5 * ((momenta**2).sum(axis=1) - (end_momenta**2).sum(axis=1))
    gains = ends.values - states.values + kinetic
    acceptances = np.where(np.isfinite(gains), np.exp(np.minimum(gains, 0.0)), 0.0)
    accepted = np.flatnonzero(rng.random(k) < acceptances)
    return states.with_rows(accepted, ends.only(accepted)), acceptances


def leapfrog(
    density: Density,
    states: States,
    momenta: Array,
    roots: Array,
    sizes: Array,
    n_steps: Integers,
) -> tuple[States, Array]:
    """End states and momenta of trajectories; one ends early where the density is zero."""
    momenta = momenta.copy()
    for step in range(int(n_steps.max())):
        moving = np.flatnonzero((step < n_steps) & np.isfinite(states.values))
        if not len(moving):
            break
        R, size, before = roots[moving], sizes[moving, None], states.only(moving)
        momenta[moving] += 0.5 * size * np.einsum("kij,ki->kj", R, before.gradients)
        points = before.points + size * np.einsum("kij,kj->ki", R, momenta[moving])
        after = States(points, *density.many(points))
        momenta[moving] += 0.5 * size * np.einsum("kij,ki->kj", R, after.gradients)
        states = states.with_rows(moving, after)
    return states, momenta


class Chains:
    """Chains that are moved together.

    Each keeps its metric from beginning to end. Chains of the same metric share a step size.

    Parameters
    ----------
    density : Density
    starts : array of shape (n_chains, p)
    roots : sequence of arrays of shape (p, p)
        Metrics, as in :func:`advance`.
    owners : int array of shape (n_chains,)
        Which metric each chain has.

    Attributes
    ----------
    states : States
    acceptances : list of float
        Acceptance probability of every trajectory so far.
    """

    def __init__(
        self,
        density: Density,
        starts: Array,
        roots: Sequence[Array],
        owners: Integers,
    ) -> None:
        self.states = States.at(density, starts)
        self.acceptances: list[float] = []
        self._density = density
        self._roots = np.array(roots)
        self._owners = owners
        self._step_sizes = [StepSize(len(root)) for root in roots]

    @property
    def points(self) -> Array:
        """Where the chains are, shape (n_chains, p)."""
        return self.states.points

    def move(self, rng: np.random.Generator) -> None:
        """Move every chain by one trajectory."""
        for start in range(0, len(self._owners), TOGETHER):
            rows = slice(start, start + TOGETHER)
            owners = self._owners[rows]
            sizes = np.array([self._step_sizes[owner].value for owner in owners])
            moved, acceptances = advance(
                self._density, self.states.only(rows), self._roots[owners], sizes, rng
            )
            self.states = self.states.with_rows(rows, moved)
            for owner, acceptance in zip(owners, acceptances.tolist(), strict=True):
                self._step_sizes[owner].learn(acceptance)
                self.acceptances.append(acceptance)


def correlation(before: Array, after: Array) -> float:
    """Correlation of points with where they were before, over all coordinates, 0 at least.

    Parameters
    ----------
    before, after : arrays of shape (n, p)
        In coordinates of about equal widths. Their distribution is that of `after`.
    """
    spread = float(after.var(axis=0).mean())
    jump = float(((after - before) ** 2).mean())
    return max(0.0, 1.0 - 0.5 * jump / spread) if spread > 0.0 else 1.0
