from __future__ import annotations

import numpy as np
import pytest

from gp.structures import shared_plus_bias
from mastgp.gp import Categorical, Component, Hyperparameters, Model
from mastgp.gp.observations import (
    EXACT_NOISE,
    FIXED_NOISE_FLOOR,
    Observations,
    noise_of,
    standardise,
    target_scale,
)

NONE = np.empty(0)


def learned_noise(values) -> Hyperparameters:
    return Hyperparameters(np.ones((1, 1)), np.ones(1), NONE, np.array(values), NONE, NONE)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"X": np.full((5, 1), np.nan)}, "finite"),
        ({"y": np.full(5, np.inf)}, "finite"),
        ({"y": np.zeros(4)}, "y has shape"),
        ({"groups": np.ones(5, int)}, "from 0 to 0"),
        ({"X": np.zeros((5, 2))}, r"\(n, 1\)"),
        ({"noise_var": np.zeros(3)}, "noise_var has shape"),
    ],
)
def test_data_that_make_no_sense_are_refused(change, words):
    data = {"X": np.zeros((5, 1)), "y": np.arange(5.0), **change}
    with pytest.raises(ValueError, match=words):
        standardise(Model(1), **data)


def test_each_group_is_centred_and_all_have_one_scale(rng):
    model = shared_plus_bias(1, "rbf", warp=False, learn_noise=True)
    y, groups = rng.normal(5.0, 3.0, 12), np.repeat([0, 1], [8, 4])
    data, mean, scale = standardise(model, rng.random((12, 1)), y, groups, np.full(12, 0.9))
    for group in (0, 1):
        assert data.y[groups == group].mean() == pytest.approx(0.0, abs=1e-14)
        assert mean[group] == pytest.approx(y[groups == group].mean())
    assert scale[0] == scale[1]
    assert data.y @ data.y == pytest.approx(11.0)
    np.testing.assert_allclose(data.y * scale[groups] + mean[groups], y)
    np.testing.assert_allclose(data.noise_var, 0.9 / scale[0] ** 2)


def test_a_shared_mean_is_that_of_all_targets(rng):
    model = Model(1, (Component((1.0, 1.0)),), means="shared")
    y, groups = rng.normal(5.0, 3.0, 12), np.repeat([0, 1], [8, 4])
    _, mean, _ = standardise(model, rng.random((12, 1)), y, groups)
    np.testing.assert_allclose(mean, y.mean())


def test_given_scales_are_used(rng):
    model = shared_plus_bias(1, "rbf", warp=False, learn_noise=True)
    y, groups = np.arange(4.0), np.array([0, 0, 1, 1])
    data, _, scale = standardise(model, rng.random((4, 1)), y, groups, y_scale=[2.0, 4.0])
    np.testing.assert_array_equal(scale, [2.0, 4.0])
    np.testing.assert_allclose(data.y, [-0.25, 0.25, -0.125, 0.125])


def test_known_noise_goes_before_learned_noise():
    X, y, groups = np.zeros((3, 1)), np.zeros(3), np.array([0, 1, 1])
    known = np.array([0.5, np.nan, 0.0])
    learned = learned_noise([0.1, 0.2])
    np.testing.assert_array_equal(noise_of(learned, Observations(X, y, groups)), [0.1, 0.2, 0.2])
    both = noise_of(learned, Observations(X, y, groups, known))
    np.testing.assert_array_equal(both, [0.5, 0.2, FIXED_NOISE_FLOOR])
    with pytest.raises(ValueError, match="variance per observation"):
        noise_of(learned_noise([]), Observations(X, y, groups))


def test_a_subset_keeps_rows_together(rng):
    data = Observations(rng.random((6, 2)), rng.random(6), np.arange(6), rng.random(6))
    part = data.subset(np.array([4, 1]))
    np.testing.assert_array_equal(part.groups, [4, 1])
    for name in ("X", "y", "noise_var"):
        np.testing.assert_array_equal(getattr(part, name), getattr(data, name)[[4, 1]])
    bare = Observations(data.X, data.y, data.groups).subset(np.array([0]))
    assert bare.noise_var is None


@pytest.mark.parametrize(
    ("y", "scale"),
    [([1.0, 2.0, 6.0], np.sqrt(7.0)), ([3.0, 3.0], 3.0), ([0.0, 0.0], 1.0), ([-5.0], 5.0)],
)
def test_scale_is_the_spread_or_the_size_or_one(y, scale):
    assert target_scale(np.array(y)) == pytest.approx(scale)


def test_no_noise_is_taken_at_its_word_with_categories():
    X, y = np.array([[0.0], [1.0], [0.0]]), np.array([0.0, 1.0, 2.0])
    noise = np.array([0.0, 1e-9, 1.0])
    found = {}
    for categories in ((), (Categorical(0, 2),)):
        model = Model(1, learn_noise=False, categories=categories)
        data, _, _ = standardise(model, X, y, noise_var=noise, y_scale=1.0)
        found[bool(categories)] = noise_of(learned_noise([]), data)
    np.testing.assert_array_equal(found[False], [FIXED_NOISE_FLOOR, FIXED_NOISE_FLOOR, 1.0])
    np.testing.assert_array_equal(found[True], [EXACT_NOISE, FIXED_NOISE_FLOOR, 1.0])
