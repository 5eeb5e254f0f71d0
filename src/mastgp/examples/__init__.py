"""A small example that ships with the package: the drag of a wing.

The cheap runs are what a panel method would say: ideal induced drag and a plate's friction. The
expensive runs know the real friction, wave drag and separation as well. Both are formulas of
ours, so that the truth is known everywhere. ``python -m mastgp.examples`` writes the CSV files
beside this module anew.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import qmc

Array = NDArray[np.float64]

FOLDER = Path(__file__).parent / "wing"
INPUTS = ("mach", "alpha_deg", "sweep_deg")
TARGET = "drag_counts"
BOUNDS = np.array([[0.55, 0.8], [0.0, 6.0], [15.0, 35.0]])
COSTS = {"panel": 1.0, "cfd": 20.0}
RUNS = {"panel": 80, "cfd": 14}

_ASPECT_RATIO = 9.0
_THICKNESS = 0.11
_NOISE = {"panel": 0.0, "cfd": 0.5}


def panel_drag(X: ArrayLike) -> Array:
    """Friction of a smooth plate and ideal induced drag, in counts (1e-4).

    `X` holds mach, alpha_deg and sweep_deg.
    """
    return 1e4 * (0.0055 + _induced(X, efficiency=0.98))


def cfd_drag(X: ArrayLike) -> Array:
    """Real friction, a less than ideal wing, wave drag (Korn, Lock) and separation, in counts."""
    mach, alpha, sweep = np.asarray(X, dtype=float).T
    cos = np.cos(np.radians(sweep))
    friction = 0.0075 * (1.0 + 0.1 * mach**2)
    divergence = 0.95 / cos - _THICKNESS / cos**2 - _lift(X) / (10.0 * cos**3)
    critical = divergence - (0.1 / 80.0) ** (1.0 / 3.0)
    wave = 20.0 * np.maximum(mach - critical, 0.0) ** 4
    separation = 3e-4 * np.log1p(np.exp(2.0 * (alpha - 5.0))) * (mach / 0.7) ** 2
    drag: Array = 1e4 * (friction + _induced(X, efficiency=0.82) + wave + separation)
    return drag


def _induced(X: ArrayLike, efficiency: float) -> Array:
    return _lift(X) ** 2 / (np.pi * _ASPECT_RATIO * efficiency)


def _lift(X: ArrayLike) -> Array:
    """Lift coefficient of a swept wing in compressible flow (Helmbold, Diederich)."""
    mach, alpha, sweep = np.asarray(X, dtype=float).T
    cos = np.cos(np.radians(sweep))
    beta = _ASPECT_RATIO / cos * np.sqrt(1.0 - (mach * cos) ** 2)
    slope = 2.0 * np.pi * _ASPECT_RATIO / (2.0 + np.sqrt(4.0 + beta**2))
    lift: Array = slope * np.radians(alpha + 2.0)
    return lift


def design(n: int, seed: int) -> Array:
    """A Latin hypercube of n flight conditions, rounded as an engineer would."""
    unit = qmc.LatinHypercube(len(BOUNDS), rng=np.random.default_rng(seed)).random(n)
    points = BOUNDS[:, 0] + unit * np.ptp(BOUNDS, axis=1)
    return np.column_stack([points[:, 0].round(3), points[:, 1:].round(2)])


def write_files(folder: Path = FOLDER) -> None:
    """Write panel.csv, cfd.csv and queries.csv."""
    rng = np.random.default_rng(2026)
    for name, function, seed in (("panel", panel_drag, 1), ("cfd", cfd_drag, 2)):
        X = design(RUNS[name], seed)
        y = function(X) + _NOISE[name] * rng.standard_normal(RUNS[name])
        rows = np.column_stack([X, y.round(2)])
        _write(folder / f"{name}.csv", rows, (*INPUTS, TARGET))
    _write(folder / "queries.csv", design(20, 3), INPUTS)


def _write(path: Path, rows: Array, columns: tuple[str, ...]) -> None:
    lines = [",".join(columns), *(",".join(f"{value:g}" for value in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
