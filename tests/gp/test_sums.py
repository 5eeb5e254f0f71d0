from __future__ import annotations

import numpy as np
import pytest

from gp.structures import (
    co_kriging,
    random_data,
    random_point,
    shared_mean,
    shared_plus_bias,
    single,
    uncertain_means,
)
from mastgp.gp import Categorical, Model
from mastgp.gp.likelihood import Objective
from mastgp.gp.observations import Observations
from mastgp.gp.sums import Basis, RowSums, Solution, in_row_blocks, total

STRUCTURES = [single, shared_plus_bias, co_kriging, uncertain_means, shared_mean]


def at_some_parameters(rng, structure, learn_noise=True, n=24):
    model = structure(2, "matern52", warp=True, learn_noise=learn_noise)
    data = random_data(rng, model, n)
    objective = Objective(model, data)
    return objective, objective.layout.unpack(random_point(rng, objective.layout))


@pytest.mark.parametrize("learn_noise", [True, False])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_with_all_rows_as_inducing_points_the_bound_is_the_likelihood(rng, structure, learn_noise):
    objective, parameters = at_some_parameters(rng, structure, learn_noise)
    data = objective.data
    basis = Basis(objective.model, parameters, data.X, data.groups)
    solution = Solution(basis, RowSums.of(basis, data))
    assert basis.jitter == 0.0
    assert solution.bound == pytest.approx(objective.log_likelihood(parameters), abs=1e-8)
    np.testing.assert_allclose(solution.beta, objective.factorise(parameters).beta, atol=1e-8)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_bound_is_one(rng, structure):
    """With fewer inducing points it lies below, and it grows with their number."""
    objective, parameters = at_some_parameters(rng, structure, n=60)
    data = objective.data
    order = rng.permutation(60)
    found = []
    for m in (5, 20, 40):
        basis = Basis(objective.model, parameters, data.X[order[:m]], data.groups[order[:m]])
        found.append(Solution(basis, RowSums.of(basis, data)).bound)
    assert found == sorted(found)
    assert found[-1] < objective.log_likelihood(parameters)


@pytest.mark.parametrize("learn_noise", [True, False])
def test_sums_of_parts_add_up(rng, learn_noise):
    objective, parameters = at_some_parameters(rng, co_kriging, learn_noise, n=90)
    data = objective.data
    basis = Basis(objective.model, parameters, data.X[:20], data.groups[:20])
    whole = RowSums.of_block(basis, data)
    parts = [data.subset(rows) for rows in np.array_split(rng.permutation(90), 4)]
    added = total(RowSums.of_block(basis, part) for part in parts)
    for name, value in vars(whole).items():
        np.testing.assert_allclose(getattr(added, name), value, rtol=1e-10, atol=1e-10)


def test_blocks_are_bounded_and_hold_every_row(rng, monkeypatch):
    monkeypatch.setattr("mastgp.gp.sums.BLOCK_ENTRIES", 3000)
    data = Observations(rng.random((1000, 2)), rng.random(1000), np.zeros(1000, np.intp))
    blocks = list(in_row_blocks(data, 10))
    assert [len(block.y) for block in blocks] == [300, 300, 300, 100]
    np.testing.assert_array_equal(np.concatenate([block.X for block in blocks]), data.X)


def test_categories_are_seen_as_the_exact_engine_sees_them(rng):
    model = Model(2, categories=(Categorical(1, 3),), warp=True)
    X = np.column_stack([rng.random(30), rng.integers(0, 3, 30) / 2])
    data = Observations(X, rng.standard_normal(30), np.zeros(30, np.intp))
    objective = Objective(model, data)
    parameters = objective.layout.unpack(random_point(rng, objective.layout))
    basis = Basis(model, parameters, X)
    solution = Solution(basis, RowSums.of(basis, data))
    # The smooth kernel's matrix is nearly singular: a little was added to its diagonal.
    assert solution.bound == pytest.approx(objective.log_likelihood(parameters), abs=1e-4)


def test_the_first_inducing_points_alone(rng):
    objective, parameters = at_some_parameters(rng, co_kriging, n=60)
    data = objective.data
    all_of_them = Basis(objective.model, parameters, data.X[:20], data.groups[:20])
    some = Basis(objective.model, parameters, data.X[:7], data.groups[:7])
    leading = RowSums.of(all_of_them, data).leading(7)
    for name, value in vars(RowSums.of(some, data)).items():
        np.testing.assert_allclose(getattr(leading, name), value, rtol=1e-7, atol=1e-7)
