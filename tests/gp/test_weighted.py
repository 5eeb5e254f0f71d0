from __future__ import annotations

import numpy as np
import pytest

from gp.structures import of_two_groups
from mastgp.gp import Categorical, GaussianProcess, Model
from mastgp.gp.weighted import weighted_gradient


def alpha_of(gp):
    return gp.objective.factorise(gp.parameters).alpha


@pytest.mark.parametrize("warp", [False, True])
def test_the_gradient_of_the_mean_is_one_of_weighted_covariances(rng, warp):
    gp, X = of_two_groups(rng, warp=warp), rng.random((6, 2))
    found = weighted_gradient(gp, X, alpha_of(gp)) * gp.y_scale[0]
    np.testing.assert_allclose(found, gp.predict_gradient(X)[0], rtol=1e-12)


def test_there_is_no_gradient_by_a_category(rng):
    X = np.column_stack([rng.random(20), rng.integers(0, 3, 20) / 2])
    model = Model(2, categories=(Categorical(1, 3),))
    gp = GaussianProcess.fit(model, X, np.sin(5 * X[:, 0]) + X[:, 1])
    found = weighted_gradient(gp, X, alpha_of(gp)) * gp.y_scale[0]
    np.testing.assert_allclose(found, gp.predict_gradient(X)[0], rtol=1e-12)
    assert (found[:, 1] == 0.0).all()
