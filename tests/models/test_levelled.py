"""The top level of a model of very many rows answers joint questions."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp import suggest
from mastgp.botorch import as_model
from mastgp.errors import MastError
from mastgp.models import FIRE, CoKriging
from mastgp.models.levelled import LevelledProcess
from models.test_two_step import ORDER, drawn


@pytest.fixture(scope="module")
def fitted():
    X, y, labels = drawn()
    bounds = [[0, 1]] * 2
    model = CoKriging({"coarse": 1, "fine": 10}, n_draws=6, bounds=bounds)
    return model.fit(X, y, fidelity=labels)


def test_the_parts_are_the_model(fitted, rng):
    """Their mixture has the model's mean and variance."""
    U = rng.random((30, 2))
    latents = [part.process.latent(U, 0) for part in fitted.parts()]
    shares = np.array([part.share for part in fitted.parts()])
    means = np.array([latent.mean for latent in latents])
    variances = np.array([latent.var for latent in latents])
    mean, var = fitted.predict_unit(U)
    assert all(isinstance(part.process, LevelledProcess) for part in fitted.parts())
    assert all(part.fidelities == ("fine",) for part in fitted.parts())
    np.testing.assert_allclose(shares @ means, mean, rtol=1e-9)
    spread = shares @ (means - shares @ means) ** 2
    np.testing.assert_allclose(shares @ variances + spread, var, rtol=1e-7)


def test_covariances_lack_the_variance_of_the_level_below_only(fitted, rng):
    U = rng.random((12, 2))
    process = fitted.parts()[0].process
    latent = process.latent(U, 0)
    cov = process.latent_covariance(latent, latent)
    below = fitted.steps_.factors[-1] ** 2 * fitted.steps_.stages[0].predict(U)[1]
    np.testing.assert_allclose(cov.diagonal() + below, latent.var, rtol=1e-6)


def test_only_expensive_runs_are_worth_their_cost(fitted):
    for goal in ("accuracy", "minimum"):
        found = suggest(fitted, 2, goal=goal)
        assert [run.fidelity for run in found] == ["fine", "fine"]
    best = min(fitted.training_data_.top.y)
    assert found[0].mean < best + 0.5


def test_models_without_a_joint_belief_get_such_a_companion():
    X, y, labels = drawn()
    model = FIRE({"coarse": 1, "fine": 10}).fit(X, y, fidelity=labels)
    assert suggest(model, 1)[0].fidelity == ORDER[1]


def test_there_is_no_botorch_model_of_them(fitted):
    pytest.importorskip("botorch")
    with pytest.raises(MastError, match="very many rows"):
        as_model(fitted)
