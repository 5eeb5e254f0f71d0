"""Sources of random numbers, from whatever the user gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimators import check_random_state


def generator(random_state: Any) -> np.random.Generator:
    """A generator; without a seed always the same one."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    seed = 0 if random_state is None else random_state
    return np.random.default_rng(check_random_state(seed).randint(2**31 - 1))
