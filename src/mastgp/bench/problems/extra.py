"""Twelve further two-fidelity problems, on which the choices of `auto` were made.

They differ from the paper's in discrepancy, dimension and budget: scaled, shifted, averaged,
smoothed, nonlinear, local, noisy, opposite and unrelated cheap versions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .base import Function, Problem, box

Array = NDArray[np.float64]


def forrester_high(X: Array) -> Array:
    """Forrester, Sobester and Keane (2007)."""
    x = X[:, 0]
    return (6.0 * x - 2.0) ** 2 * np.sin(12.0 * x - 4.0)


def forrester_low(X: Array) -> Array:
    """Half the function, tilted: their cheap version."""
    return 0.5 * forrester_high(X) + 10.0 * (X[:, 0] - 0.5) - 5.0


def nonlinear_low(X: Array) -> Array:
    """Four periods of a sine (Perdikaris et al. 2017)."""
    return np.sin(8.0 * np.pi * X[:, 0])


def nonlinear_high(X: Array) -> Array:
    """The square of the cheap version, tilted: no factor leads from one to the other."""
    return (X[:, 0] - np.sqrt(2.0)) * nonlinear_low(X) ** 2


def currin_high(X: Array) -> Array:
    """Currin et al. (1988), with the limit at x2 = 0."""
    x1, x2 = X.T
    rise = 1.0 - np.exp(-0.5 / np.maximum(x2, 1e-12))
    return (
        rise
        * (2300 * x1**3 + 1900 * x1**2 + 2092 * x1 + 60)
        / (100 * x1**3 + 500 * x1**2 + 4 * x1 + 20)
    )


def currin_low(X: Array) -> Array:
    """Mean of four shifted evaluations (Xiong, Qian and Wu 2013)."""
    x1, x2 = X.T
    below = np.maximum(x2 - 0.05, 0.0)
    places = [
        (x1 + 0.05, x2 + 0.05),
        (x1 + 0.05, below),
        (x1 - 0.05, x2 + 0.05),
        (x1 - 0.05, below),
    ]
    return np.mean([currin_high(np.column_stack(place)) for place in places], axis=0)


def camel_high(X: Array) -> Array:
    """Six-hump camel (Dixon and Szego 1978)."""
    x, y = X.T
    return (4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (4 * y**2 - 4) * y**2


def camel_low(X: Array) -> Array:
    """The same at shifted inputs, shrunk: a misaligned model."""
    return camel_high(0.85 * X + np.array([0.15, -0.1])) - 0.5 * X[:, 1]


def ishigami(X: Array) -> Array:
    """Ishigami and Homma (1990), a = 7, b = 0.1."""
    a, b, c = X.T
    return np.sin(a) + 7.0 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)


def unrelated(X: Array) -> Array:
    """A function that has nothing to do with Ishigami's."""
    return 4.0 + 3.0 * np.cos(1.3 * X[:, 1] + 0.4) - 2.0 * np.sin(0.9 * X[:, 2] * X[:, 0] / 3.0)


def friedman(X: Array) -> Array:
    """Friedman (1991), five inputs that matter."""
    a, b, c, d, e = X.T
    return 10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e


def friedman_opposite(X: Array) -> Array:
    """The opposite trend, with a smooth error."""
    return 20.0 - 0.8 * friedman(X) + 3.0 * X[:, 0] ** 2


def friedman_simple(X: Array) -> Array:
    """Without the interaction; its data are noisy."""
    a, b, c, d, e = X.T
    return 5 * (a + b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e


_OTL_BOUNDS = np.array([[50, 150], [25, 70], [0.5, 3], [1.2, 2.5], [0.25, 1.2], [50, 300.0]])


def otl_high(X: Array) -> Array:
    """Mid-point voltage of a push-pull circuit (Ben-Ari and Steinberg 2007)."""
    Rb1, Rb2, Rf, Rc1, Rc2, beta = X.T
    Vb1 = 12 * Rb2 / (Rb1 + Rb2)
    gain = beta * (Rc2 + 9)
    through = gain + Rf
    return (Vb1 + 0.74) * gain / through + 11.35 * Rf / through + 0.74 * Rf * gain / (through * Rc1)


def otl_low(X: Array) -> Array:
    """The amplifier taken as ideal."""
    Rb1, Rb2, Rf, Rc1, _, _ = X.T
    return 12 * Rb2 / (Rb1 + Rb2) + 0.74 + 0.74 * Rf / Rc1


_PISTON_BOUNDS = np.array(
    [
        [30, 60],
        [0.005, 0.02],
        [0.002, 0.01],
        [1000, 5000],
        [90_000, 110_000],
        [290, 296],
        [340, 360.0],
    ]
)


def piston_high(X: Array) -> Array:
    """Cycle time of a piston (Kenett and Zacks 1998)."""
    M, S, V0, k, P0, Ta, T0 = X.T
    A = P0 * S + 19.62 * M - k * V0 / S
    V = S / (2 * k) * (np.sqrt(A**2 + 4 * k * P0 * V0 * Ta / T0) - A)
    return 2 * np.pi * np.sqrt(M / (k + S**2 * P0 * V0 * Ta / (T0 * V**2)))


def piston_low(X: Array) -> Array:
    """The spring alone, the gas left out."""
    M, S, _, k, P0, _, _ = X.T
    return 2 * np.pi * np.sqrt(M / (k + 4e-3 * P0 * S * 100))


_WING_BOUNDS = np.array(
    [
        [150, 200],
        [220, 300],
        [6, 10],
        [-10, 10],
        [16, 45],
        [0.5, 1],
        [0.08, 0.18],
        [2.5, 6],
        [1700, 2500],
        [0.025, 0.08],
    ]
)


def wing_high(X: Array) -> Array:
    """Weight of a light aircraft's wing (Forrester, Sobester and Keane 2008)."""
    Sw, Wfw, A, sweep, q, taper, tc, Nz, Wdg, Wp = X.T
    cos = np.cos(np.radians(sweep))
    return (
        0.036
        * Sw**0.758
        * Wfw**0.0035
        * (A / cos**2) ** 0.6
        * q**0.006
        * taper**0.04
        * (100 * tc / cos) ** -0.3
        * (Nz * Wdg) ** 0.49
        + Sw * Wp
    )


def wing_low(X: Array) -> Array:
    """Straight wing, no paint, a rounded exponent."""
    Sw, _, A, _, _, taper, tc, Nz, Wdg, _ = X.T
    return 0.036 * Sw**0.75 * A**0.6 * taper**0.04 * (100 * tc) ** -0.3 * (Nz * Wdg) ** 0.5


def hills(X: Array) -> Array:
    """Two smooth hills in the unit square."""
    x, y = X.T
    return np.sin(5 * x + 2 * y) + 1.5 * np.exp(-8 * ((x - 0.3) ** 2 + (y - 0.6) ** 2)) + y**2


def hills_locally_wrong(X: Array) -> Array:
    """Right, but for one corner where it is far off."""
    x, y = X.T
    return hills(X) - 2.5 * np.exp(-18 * ((x - 0.85) ** 2 + (y - 0.2) ** 2))


def front_high(X: Array) -> Array:
    """A steep front across a slope."""
    x, y, z = X.T
    return np.tanh(12 * (x + 0.4 * y - 0.7)) + y * z


def front_low(X: Array) -> Array:
    """The front smeared and displaced, as by a coarse mesh."""
    x, y, z = X.T
    return np.tanh(4 * (x + 0.35 * y - 0.65)) + 0.8 * y * z


def _problem(
    name: str,
    bounds: Array,
    high: Function,
    low: Function,
    n_low: int,
    n_high: int,
    noise: float = 0.01,
    extra_noise: float = 0.02,
) -> Callable[[], Problem]:
    def discrepancy(X: Array) -> Array:
        return low(X) - high(X)

    def make() -> Problem:
        return Problem(
            name,
            bounds.astype(float),
            high,
            discrepancy,
            noise=noise,
            extra_noise=extra_noise,
            source=(high.__doc__ or "").strip(),
            counts={"low": n_low, "high": n_high},
        )

    return make


_UNIT = {d: box(0.0, 1.0, d) for d in (1, 2, 3, 5)}

EXTRA: dict[str, Callable[..., Problem]] = {
    "forrester": _problem("forrester", _UNIT[1], forrester_high, forrester_low, 20, 5, 0.0),
    "nonlinear": _problem("nonlinear", _UNIT[1], nonlinear_high, nonlinear_low, 50, 14),
    "currin": _problem("currin", _UNIT[2], currin_high, currin_low, 40, 10),
    "camel": _problem("camel", np.array([[-1.8, 1.8], [-1.0, 1.0]]), camel_high, camel_low, 80, 15),
    "local": _problem("local", _UNIT[2], hills, hills_locally_wrong, 50, 12),
    "front": _problem("front", _UNIT[3], front_high, front_low, 90, 20),
    "unrelated": _problem("unrelated", box(-np.pi, np.pi, 3), ishigami, unrelated, 60, 30),
    "opposite": _problem("opposite", _UNIT[5], friedman, friedman_opposite, 100, 15),
    "noisy": _problem("noisy", _UNIT[5], friedman, friedman_simple, 150, 25, 0.05, 0.2),
    "otl": _problem("otl", _OTL_BOUNDS, otl_high, otl_low, 60, 18),
    "piston": _problem("piston", _PISTON_BOUNDS, piston_high, piston_low, 140, 20),
    "wing": _problem("wing", _WING_BOUNDS, wing_high, wing_low, 100, 40),
}
