"""Hamiltonian Monte Carlo in the coordinates that the curvature at a mode whitens.

Many short chains instead of one long one: they start at draws that are nearly right, and after a
trajectory or two hardly remember where they started.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .laplace import Density

Array = NDArray[np.float64]

#: Numbers of leapfrog steps of a trajectory, all equally probable.
STEPS = (3, 4, 5, 6)
#: The first step size in whitened coordinates is this times p^(-1/4).
FIRST_STEP_SIZE = 1.2
#: Step sizes are varied by up to this share, so that no trajectory closes on itself for good.
JITTER = 0.3
#: The step size is adapted, ever less, until proposals are accepted this often.
WANTED_ACCEPTANCE = 0.8


@dataclass(frozen=True)
class State:
    """Where a chain is.

    Attributes
    ----------
    point, gradient : arrays of shape (p,)
    value : float
        Log density at the point; the gradient is the log density's too.
    """

    point: Array
    value: float
    gradient: Array

    @classmethod
    def at(cls, density: Density, point: Array) -> State:
        """Evaluate the density at a point."""
        return cls(point, *density(point))


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
    density: Density, state: State, root: Array, step_size: float, rng: np.random.Generator
) -> tuple[State, float]:
    """Propose the end of one trajectory, and accept or reject it.

    Parameters
    ----------
    density : Density
    state : State
    root : array of shape (p, p)
        R: momenta are standard normal in the coordinates z of ``R z``.
    step_size : float
        In these coordinates.
    rng : numpy.random.Generator

    Returns
    -------
    State
        The end, or the same state where it was rejected.
    float
        Probability with which the end was accepted.
    """
    size = step_size * rng.uniform(1.0 - JITTER, 1.0 + JITTER)
    momentum = rng.standard_normal(len(state.point))
    end, end_momentum = leapfrog(density, state, momentum, root, size, int(rng.choice(STEPS)))
    kinetic = 0.5 * float(momentum @ momentum - end_momentum @ end_momentum)
    gain = end.value - state.value + kinetic
    acceptance = math.exp(min(0.0, gain)) if math.isfinite(gain) else 0.0
    return (end if rng.random() < acceptance else state), acceptance


def leapfrog(
    density: Density, state: State, momentum: Array, root: Array, size: float, n_steps: int
) -> tuple[State, Array]:
    """End state and momentum of a trajectory; it ends early where the density is zero."""
    for _ in range(n_steps):
        momentum = momentum + 0.5 * size * (root.T @ state.gradient)
        state = State.at(density, state.point + size * (root @ momentum))
        if not math.isfinite(state.value):
            break
        momentum = momentum + 0.5 * size * (root.T @ state.gradient)
    return state, momentum


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
    states : list of State
    acceptances : list of float
        Acceptance probability of every trajectory so far.
    """

    def __init__(
        self,
        density: Density,
        starts: Array,
        roots: Sequence[Array],
        owners: NDArray[np.intp],
    ) -> None:
        self.states = [State.at(density, start) for start in starts]
        self.acceptances: list[float] = []
        self._density = density
        self._roots = roots
        self._owners = owners
        self._step_sizes = [StepSize(len(root)) for root in roots]

    @property
    def points(self) -> Array:
        """Where the chains are, shape (n_chains, p)."""
        return np.array([state.point for state in self.states])

    def move(self, rng: np.random.Generator) -> None:
        """Move every chain by one trajectory."""
        for c, owner in enumerate(self._owners):
            step_size = self._step_sizes[owner]
            self.states[c], acceptance = advance(
                self._density, self.states[c], self._roots[owner], step_size.value, rng
            )
            step_size.learn(acceptance)
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
