from __future__ import annotations

import numpy as np
import pytest

from mastgp.bench import problem
from mastgp.bench.problems.augmented import (
    WING_BOUNDS,
    augmented_branin,
    augmented_hartmann,
    augmented_park,
    wing_weight,
)


@pytest.mark.parametrize("s", [0.0, 0.5, 0.9, 1.0])
def test_branin_and_hartmann_are_botorchs(rng, s):
    torch = pytest.importorskip("torch")
    functions = pytest.importorskip("botorch.test_functions.multi_fidelity")
    X = np.column_stack([rng.uniform(-5, 10, 20), rng.uniform(0, 15, 20)])
    U = rng.random((20, 6))
    level = np.full((20, 1), s)
    branin = functions.AugmentedBranin()(torch.tensor(np.hstack([X, level])))
    hartmann = functions.AugmentedHartmann()(torch.tensor(np.hstack([U, level])))
    np.testing.assert_allclose(augmented_branin(X, s), branin.numpy(), rtol=1e-10)
    np.testing.assert_allclose(augmented_hartmann(U, s), -hartmann.numpy(), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("source", [0, 1, 2, 3])
def test_the_wing_is_botorchs(rng, source):
    torch = pytest.importorskip("torch")
    functions = pytest.importorskip("botorch.test_functions.multi_fidelity")
    X = WING_BOUNDS[:, 0] + rng.random((20, 10)) * np.ptp(WING_BOUNDS, axis=1)
    theirs = functions.WingWeightMultiFidelity()(
        torch.tensor(np.hstack([X, np.full((20, 1), float(source))]))
    )
    np.testing.assert_allclose(wing_weight(X, source), theirs.numpy(), rtol=1e-10)


def test_park_of_the_best_quality_is_park_and_else_has_another_slope(rng):
    U = rng.random((50, 4))
    np.testing.assert_allclose(augmented_park(U, 1.0), problem("park1").evaluate(U), rtol=1e-12)
    difference = augmented_park(U, 1.0) - augmented_park(U, 0.5)
    np.testing.assert_allclose(difference, 2.0 * U[:, 3] * np.exp(1.0 + np.sin(U[:, 2])))
