"""Functions with sources of adjustable quality: Branin, Park and Hartmann6, and the wing weight.

The first three have a parameter s in [0, 1]: 1 is the expensive function, and the smaller s is,
the worse is the source. Branin and Hartmann6 are BoTorch's augmented functions (Wu et al. 2019).
Park is that of Sabanza-Gil et al. 2024, Best practices for multi-fidelity Bayesian optimization in
materials and molecular research (arXiv 2410.00544, Atinary-technologies/chem-MFBO). The wing weight
with four sources is that of Chen et al. 2024, Computer Methods in Applied Mechanics and Engineering
421.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .branin import branin
from .hartmann import hartmann6_heights

Array = NDArray[np.float64]

#: Bounds of the wing's area, fuel weight, aspect ratio, sweep in degrees, dynamic pressure, taper,
#: thickness, load factor, design weight and paint weight.
WING_BOUNDS = np.array(
    [
        [150.0, 200.0],
        [220.0, 300.0],
        [6.0, 10.0],
        [-10.0, 10.0],
        [16.0, 45.0],
        [0.5, 1.0],
        [0.08, 0.18],
        [2.5, 6.0],
        [1700.0, 2500.0],
        [0.025, 0.08],
    ]
)


def augmented_branin(X: Array, s: float) -> Array:
    """Branin with the curvature b - 0.1 (1 - s)."""
    return branin(X, curvature_change=-0.1 * (1.0 - s))


def augmented_park(X: Array, s: float) -> Array:
    """Park's first function with the slope 3 - 4 (1 - s) in its last input instead of 3."""
    x1, x2, x3, x4 = X.T
    root = np.sqrt(x1**2 + (x2 + x3**2) * x4)
    slope = 3.0 - 4.0 * (1.0 - s)
    return 0.5 * (root - x1) + (x1 + slope * x4) * np.exp(1.0 + np.sin(x3))


def augmented_hartmann(X: Array, s: float) -> Array:
    """Hartmann6 (to be maximised) whose first bump is lower by 0.1 (1 - s)."""
    return hartmann6_heights(X, np.array([-0.1 * (1.0 - s), 0.0, 0.0, 0.0]))


def wing_weight(X: Array, source: int) -> Array:
    """Weight of a light aircraft's wing; source 0 is the expensive one, 3 the crudest."""
    area, fuel, aspect, sweep, pressure, taper, thickness, load, weight, paint = X.T
    cos = np.cos(np.deg2rad(sweep))
    shared = (
        0.036
        * pressure**0.006
        * taper**0.04
        * (aspect / cos**2) ** 0.6
        * (100.0 * thickness / cos) ** -0.3
        * (load * weight) ** 0.49
        * fuel**0.0035
    )
    painted = (area * paint, paint, paint, np.zeros_like(paint))[source]
    return area ** (0.758, 0.758, 0.8, 0.9)[source] * shared + painted
