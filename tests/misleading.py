"""Cheap data that do harm: the truth with a rough error, in which plain methods lose it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ORDER = ["rough", "fine"]
#: Points of the misleading fidelity, and of the expensive one.
N_ROUGH, N_FINE = 30, 16


def truth(X: Array) -> Array:
    """Sum of the inputs: sixteen points are enough to learn that."""
    return X.sum(axis=1)


def training_data() -> tuple[Array, Array, list[str]]:
    """Inputs, targets and labels for which the verdict is certain that the cheap data hurt.

    With them plain co-kriging and FIRE err some twenty times as much as a GP of the expensive
    points. Most errors of this kind are recognised and do no harm: this is one that is not.
    """
    rng = np.random.default_rng(2)
    for frequency in (3, 8):  # the smoother one is drawn, but not used
        frequencies, phases = frequency * rng.standard_normal((3, 2)), 6 * rng.random(3)
    rough, fine = rng.random((N_ROUGH, 2)), rng.random((N_FINE, 2))
    wrong = truth(rough) + np.sin(rough @ frequencies.T + phases).sum(axis=1)
    labels = [ORDER[0]] * N_ROUGH + [ORDER[1]] * N_FINE
    return np.concatenate([rough, fine]), np.concatenate([wrong, truth(fine)]), labels
