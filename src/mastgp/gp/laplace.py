"""Modes of a smooth density, the normal distribution that fits each, and draws near them.

Everything here works on any log density of unbounded coordinates with a gradient. A mode is found
in three steps: a short climb, the curvature there by differences of gradients, and a second climb
in the coordinates that the curvature whitens, where a few steps suffice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

Array = NDArray[np.float64]

#: Iterations of the climbs before and after the curvature is known.
FIRST_CLIMB = 15
LAST_CLIMB = 10
#: A climb to a further mode is longer: it starts at a guess and not at an optimum.
FURTHER_CLIMB = 30
#: A further mode whose log density is lower by more than this is not looked at any closer.
FAR_BELOW = 20.0
#: Nor is a mode kept whose log evidence is lower by more than this.
NEGLIGIBLE = 8.0
#: Modes are one if they differ by less than this many standard deviations in every direction.
SAME_MODE = 1.0
#: Steps of the differences that give the curvature.
DIFFERENCE = 1e-2
#: No direction is taken to be wider than two units: curvature at a point says little about tails.
LEAST_CURVATURE = 0.25
#: Degrees of freedom of the proposals, and how much wider than the curvature says they are.
FREEDOM = 7.0
WIDENING = 1.15
#: Share of the proposals that goes to all modes alike, whatever their evidence.
EVEN_SHARE = 0.1
#: Stands for a log density of minus infinity, which the optimiser cannot deal with.
_IMPOSSIBLE = -1e10


class Density(Protocol):
    """A log density, up to a constant, of unbounded coordinates."""

    def __call__(self, point: Array) -> tuple[float, Array]:
        """Log density and its gradient."""
        ...

    def value(self, point: Array) -> float:
        """Log density alone."""
        ...

    def many(self, points: Array) -> tuple[Array, Array]:
        """Log densities (b,) and gradients (b, p) at the rows of `points`, shape (b, p)."""
        values, gradients = zip(*(self(point) for point in points), strict=True)
        return np.array(values), np.array(gradients)


@dataclass(frozen=True)
class Mode:
    """A mode, and the normal distribution whose curvature is the same there.

    Attributes
    ----------
    centre : array of shape (p,)
    root : array of shape (p, p)
        R with R Rᵀ the covariance: ``centre + R z`` with standard-normal z is a draw.
    log_density : float
        At the centre.
    """

    centre: Array
    root: Array
    log_density: float

    @property
    def log_evidence(self) -> float:
        """Logarithm of the integral of the density, by Laplace's approximation."""
        half_log_determinant = float(np.linalg.slogdet(self.root)[1])
        return (
            self.log_density
            + 0.5 * len(self.centre) * math.log(2.0 * math.pi)
            + (half_log_determinant)
        )

    def whitened(self, points: Array) -> Array:
        """Coordinates z of points (n, p) or of one point (p,), zero at the centre."""
        z = np.linalg.solve(self.root, (points - self.centre).T)
        return np.asarray(z.T, dtype=float)

    def holds(self, point: Array) -> bool:
        """Whether a point is practically at this mode."""
        return bool(np.abs(self.whitened(point)).max() < SAME_MODE)


def find_modes(density: Density, starts: Sequence[Array]) -> list[Mode]:
    """Modes above the starts that matter, the one with the largest evidence first.

    Parameters
    ----------
    density : Density
    starts : sequence of arrays of shape (p,)
        The first is taken to be near a mode; the others may be guesses.
    """
    modes = [find_mode(density, starts[0], FIRST_CLIMB)]
    for start in starts[1:]:
        mode = _further_mode(density, start, modes)
        if mode is not None:
            modes.append(mode)
    modes.sort(key=lambda mode: -mode.log_evidence)
    return [m for m in modes if m.log_evidence > modes[0].log_evidence - NEGLIGIBLE]


def _further_mode(density: Density, start: Array, found: Sequence[Mode]) -> Mode | None:
    """The mode above a start, or None where it was found before or does not matter."""
    point, value = climb(density, start, np.eye(len(start)), FURTHER_CLIMB)
    if value < max(m.log_density for m in found) - FAR_BELOW or any(m.holds(point) for m in found):
        return None
    mode = find_mode(density, point, 0)
    return None if any(m.holds(mode.centre) for m in found) else mode


def find_mode(density: Density, start: Array, iterations: int) -> Mode:
    """The mode above a start, after that many iterations without knowledge of the curvature."""
    point, _ = climb(density, start, np.eye(len(start)), iterations)
    root = covariance_root(curvature(density, point))
    centre, value = climb(density, point, root, LAST_CLIMB)
    return Mode(centre, root, value)


def climb(density: Density, start: Array, root: Array, iterations: int) -> tuple[Array, float]:
    """Climb by L-BFGS in the coordinates z of ``start + root z``; where it ends, and how high."""
    from scipy.optimize import minimize

    result = minimize(
        _downhill(density, start, root),
        np.zeros_like(start),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations, "maxcor": 20, "ftol": 1e-4},
    )
    return start + root @ result.x, -float(result.fun)


def _downhill(
    density: Density, start: Array, root: Array
) -> Callable[[Array], tuple[float, Array]]:
    """The negative log density as a function of z, for a minimiser."""

    def evaluate(z: Array) -> tuple[float, Array]:
        value, gradient = density(start + root @ z)
        return -max(value, _IMPOSSIBLE), -(root.T @ gradient)

    return evaluate


def curvature(density: Density, point: Array) -> Array:
    """Hessian of the negative log density, by one-sided differences of p gradients."""
    steps = DIFFERENCE * np.eye(len(point) + 1, len(point), k=-1)
    gradients = density.many(point + steps)[1]
    rows = (gradients[0] - gradients[1:]) / DIFFERENCE
    return 0.5 * (rows + rows.T)


def covariance_root(hessian: Array) -> Array:
    """R with R Rᵀ the inverse of a Hessian whose eigenvalues are raised to LEAST_CURVATURE."""
    eigenvalues, vectors = np.linalg.eigh(hessian)
    return vectors / np.sqrt(np.maximum(eigenvalues, LEAST_CURVATURE))


class Proposal:
    """Student's t distributions about some modes, mixed by the modes' evidence."""

    def __init__(self, modes: Sequence[Mode]) -> None:
        self.modes = list(modes)
        evidence = np.array([mode.log_evidence for mode in modes])
        shares = np.exp(evidence - logsumexp(evidence))
        self.shares: Array = (1.0 - EVEN_SHARE) * shares + EVEN_SHARE / len(modes)

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Draw n points, shape (n, p); every mode gets its share of them to within one."""
        levels = (np.arange(n) + rng.random()) / n
        owners = np.searchsorted(np.cumsum(self.shares)[:-1], levels, side="right")
        normal = rng.standard_normal((n, len(self.modes[0].centre)))
        widths = WIDENING * np.sqrt(FREEDOM / rng.chisquare(FREEDOM, n))
        return np.array(
            [
                self.modes[owner].centre + width * (self.modes[owner].root @ z)
                for owner, width, z in zip(owners, widths, normal, strict=True)
            ]
        )

    def log_density(self, points: Array) -> Array:
        """Log density of points, up to a constant, shape (n,)."""
        return logsumexp(self._parts(points), axis=0)

    def owners(self, points: Array) -> NDArray[np.intp]:
        """Index of the mode that each point most probably comes from."""
        return self._parts(points).argmax(axis=0)

    def _parts(self, points: Array) -> Array:
        """Log density of each mode's part, shape (n_modes, n)."""
        p = points.shape[1]
        parts = []
        for mode, share in zip(self.modes, self.shares, strict=True):
            distance = (mode.whitened(points) ** 2).sum(axis=1) / WIDENING**2
            tail = 0.5 * (FREEDOM + p) * np.log1p(distance / FREEDOM)
            parts.append(math.log(share) - np.linalg.slogdet(mode.root)[1] - tail)
        return np.array(parts)
