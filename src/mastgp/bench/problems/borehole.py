"""Borehole (8-D): water flow through a borehole, with simplified coefficients when cheap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .base import Problem

Array = NDArray[np.float64]

#: r_w, r, T_u, H_u, T_l, H_l, L, K_w: radii (m), transmissivities (m^2/yr), heads (m), length (m),
#: hydraulic conductivity (m/yr).
_BOUNDS = np.array(
    [
        [0.05, 0.15],
        [100.0, 50_000.0],
        [63_070.0, 115_600.0],
        [990.0, 1_110.0],
        [63.1, 116.0],
        [700.0, 820.0],
        [1_120.0, 1_680.0],
        [9_855.0, 12_045.0],
    ]
)


def _flow(X: Array, factor: float, offset: float) -> Array:
    rw, r, Tu, Hu, Tl, Hl, L, Kw = X.T
    log_ratio = np.log(r / rw)
    resistance = offset + 2.0 * L * Tu / (log_ratio * rw**2 * Kw) + Tu / Tl
    return factor * Tu * (Hu - Hl) / (log_ratio * resistance)


def high(X: Array) -> Array:
    """Flow rate in m^3/yr: factor 2 pi, offset 1."""
    return _flow(X, 2.0 * np.pi, 1.0)


def discrepancy(X: Array) -> Array:
    """Return the difference to factor 5, offset 1.5."""
    return _flow(X, 5.0, 1.5) - high(X)


def make() -> Problem:
    """Return the problem."""
    return Problem(
        "borehole",
        _BOUNDS,
        high,
        discrepancy,
        source="Morris, Mitchell and Ylvisaker 1993; cheap version of Xiong, Qian and Wu 2013",
    )
