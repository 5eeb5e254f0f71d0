from __future__ import annotations

import numpy as np
import pytest

from mastgp import AutoSurrogate
from support import COSTS, pair, truth


@pytest.fixture(scope="session")
def fitted():
    """A blend for data whose cheap version is a multiple plus a tilt; tests leave it as it is."""
    X, y, labels = pair(np.random.default_rng(3), lambda X: 0.7 * truth(X) + X[:, 0])
    return AutoSurrogate(COSTS).fit(X, y, fidelity=labels)
