"""Where runs may be: bounds, whole numbers, levels, constraints, pools."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp import DataError
from mastgp.next.space import Space


@pytest.fixture
def plane(optimum_model):
    return optimum_model.training_data_


@pytest.fixture
def mixed(mixed_model):
    return mixed_model.training_data_


def test_samples_fill_the_box(plane, rng):
    U = Space.of(plane).sample(200, rng)
    assert U.shape == (200, 2)
    counts = np.histogram(U[:, 0], bins=10, range=(0, 1))[0]
    assert counts.tolist() == [20] * 10


def test_bounds_are_in_the_users_units(plane, rng):
    U = Space.of(plane, {"x1": (0.2, 0.4)}).sample(100, rng)
    assert U[:, 1].min() >= 0.2
    assert U[:, 1].max() <= 0.4
    wide = Space.of(plane, {"x1": (-1.0, 2.0)})
    assert (wide.low[1], wide.high[1]) == (-1.0, 2.0)


def test_inside_the_data_means_their_range(plane):
    space = Space.of(plane, inside_data=True)
    X = np.vstack([f.X for f in plane.fidelities])
    np.testing.assert_allclose(space.low, X.min(axis=0))
    np.testing.assert_allclose(space.high, X.max(axis=0))


@pytest.mark.parametrize("text", ["x0 + x1 <= 1", "x0 + x1 <= 0.02", "0.5 <= x0 - x1 <= 0.51"])
def test_constraints_hold_in_all_samples_however_thin(plane, rng, text):
    space = Space.of(plane, constraints=[text])
    U = space.sample(64, rng)
    assert len(U) == 64
    assert space.inside(U).all()
    assert len(np.unique(U, axis=0)) == 64
    values = U[:, 0] + U[:, 1] if "+" in text else U[:, 0] - U[:, 1]
    assert values.max() <= float(text.split("<=")[-1]) + 1e-8


def test_constraints_that_leave_nothing_are_refused(plane):
    with pytest.raises(DataError, match="leave nothing to choose from: 'x0 \\+ x1 >= 3'"):
        Space.of(plane, constraints=["x0 + x1 >= 3"])


def test_whole_numbers_and_levels(mixed, rng):
    space = Space.of(mixed)
    inputs = [space.inputs(u) for u in space.sample(60, rng)]
    assert {row["n"] for row in inputs} == {1, 2, 3, 4, 5, 6}
    assert {row["kind"] for row in inputs} == {"a", "b", "c"}
    assert all(isinstance(row["n"], int) for row in inputs)
    assert [mixed.feature_names[i] for i in space.continuous] == ["x"]


def test_neighbours_differ_in_one_discrete_input(mixed, rng):
    space = Space.of(mixed)
    u = space.snapped(np.array([[0.5, 0.4, 0.5]]))[0]
    around = space.neighbours(u)
    assert len(around) == 4  # two other kinds, one more and one less
    assert ((around != u).sum(axis=1) == 1).all()


def test_what_makes_no_sense_is_refused(mixed):
    with pytest.raises(DataError, match="categorical and has no bounds"):
        Space.of(mixed, {"kind": (0, 1)})
    with pytest.raises(DataError, match="which is categorical"):
        Space.of(mixed, constraints=["kind <= 1"])
    with pytest.raises(DataError, match="no whole number"):
        Space.of(mixed, {"n": (2.2, 2.8)})


def test_a_pool_is_all_there_is(plane, rng):
    pool = rng.random((30, 2))
    space = Space.of_pool(plane, pool, list("abc") * 10)
    assert len(space.sample(500, rng)) == 30
    chosen = space.sample(7, rng)
    assert all((pool == u).all(axis=1).any() for u in chosen)


def test_points_near_others_keep_their_levels(mixed, rng):
    space = Space.of(mixed)
    u = space.sample(1, rng)
    near = space.near(u, 50, rng)
    assert (near[:, 2] == u[0, 2]).all()
    assert np.abs(near[:, 0] - u[0, 0]).max() < 0.4
