"""Processes as plain numbers: they are those that the process itself has."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp.gp import GaussianProcess, Model
from mastgp.gp.inducing import InducingProcess
from mastgp.gp.model import Component
from mastgp.gp.plain import in_other_units, plain_inducing, plain_process
from mastgp.gp.sums import Basis
from mastgp.output.export.reader import draws


@pytest.mark.parametrize("means", ["profiled", "own", "shared"])
@pytest.mark.parametrize("group", [0, 1])
def test_every_kind_of_mean_and_group_is_written_out(rng, means, group):
    X, groups = rng.random((25, 2)), np.repeat([0, 1], [17, 8])
    y = np.sin(5 * X[:, 0]) + X[:, 1] * groups
    components = (
        Component((1.0, 1.0), ((), (0,)), learn_scale=True),
        Component((0.0, 1.0), kernel="matern52"),
    )
    gp = GaussianProcess.fit(Model(2, components, means=means, warp=True), X, y, groups=groups)
    Q = rng.random((20, 2)) * 1.2 - 0.1
    ((weight, mean, var, _),) = draws(plain_process(gp, group), Q)
    expected_mean, expected_var = gp.predict(Q, group)
    assert weight == 1.0
    np.testing.assert_allclose(mean, expected_mean, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(var, expected_var, rtol=1e-6)


def test_known_and_learned_noise_can_stand_side_by_side(rng):
    X, groups = rng.random((20, 1)), np.repeat([0, 1], [12, 8])
    noise = np.where(groups == 0, np.nan, 0.02)
    components = (Component((1.0, 1.0)), Component((1.0, 0.0)))
    gp = GaussianProcess.fit(
        Model(1, components), X, np.sin(4 * X[:, 0]), groups=groups, noise_var=noise
    )
    plain = plain_process(gp, 1)
    total = (plain["noise"] + plain["noises"][0, groups]) * gp.y_scale[groups] ** 2
    np.testing.assert_allclose(total, gp.noise_var)
    ((_, mean, var, _),) = draws(plain, X[:3])
    np.testing.assert_allclose(mean, gp.predict(X[:3], 1)[0], rtol=1e-9)
    np.testing.assert_allclose(var, gp.predict(X[:3], 1)[1], rtol=1e-7)


@pytest.mark.parametrize("means", ["profiled", "own"])
@pytest.mark.parametrize("group", [0, 1])
def test_inducing_points_are_written_out_without_their_rows(rng, means, group):
    X, groups = rng.random((60, 2)), np.repeat([0, 1], [40, 20])
    y = np.sin(5 * X[:, 0]) + X[:, 1] * groups + 0.05 * rng.standard_normal(60)
    components = (Component((1.0, 1.0), ((), (0,)), learn_scale=True), Component((0.0, 1.0)))
    gp = GaussianProcess.fit(Model(2, components, means=means, warp=True), X, y, groups=groups)
    basis = Basis(gp.model, gp.parameters, X[::3], groups[::3])
    process = InducingProcess.given(basis, gp.objective.data, gp.y_mean, gp.y_scale)
    node = in_other_units(plain_inducing(process, group), 3.0, 2.0, 0.1)
    assert node["X"].shape == (20, 2)
    Q = rng.random((30, 2)) * 1.2 - 0.1
    ((_, mean, var, _),) = draws(node, Q)
    expected_mean, expected_var = process.predict(Q, group)
    np.testing.assert_allclose(mean, 3.0 + 2.0 * expected_mean, rtol=1e-7)
    np.testing.assert_allclose(var, 4.0 * (expected_var + 0.1), rtol=1e-7)
