from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gp.structures import co_kriging, random_point, shared_mean, single
from mastgp.gp import Categorical, Component, GaussianProcess, Model, ProcessEnsemble, likelihood
from mastgp.gp.categorical import POSITION_SCALE, Embedding, n_positions
from mastgp.gp.fitting import default_starts
from mastgp.gp.likelihood import Objective
from mastgp.gp.observations import Observations
from mastgp.gp.parameters import Hyperparameters


def mixed_data(rng, model, n=30):
    X = rng.random((n, model.n_inputs))
    for category in model.categories:
        X[:, category.column] = rng.integers(0, category.n_levels, n) / (category.n_levels - 1)
    y = rng.standard_normal(n)
    groups = np.sort(rng.integers(0, model.n_groups, n)).astype(np.intp)
    noise = None if model.learn_noise else rng.uniform(0.01, 0.1, n)
    return Observations(X, (y - y.mean()) / y.std(ddof=1), groups, noise)


def numeric_gradient(objective, theta, step=1e-5):
    return np.array(
        [
            (objective(theta + step * e)[0] - objective(theta - step * e)[0]) / (2 * step)
            for e in np.eye(len(theta))
        ]
    )


def response(X):
    """A numeric input and three levels, of which the first two are alike."""
    shift = np.array([0.0, 0.2, 2.0])[np.rint(2 * X[:, 1]).astype(int)]
    return np.sin(4 * X[:, 0] + shift) + shift


def three_levels(rng, n=30, order=(0, 1, 2), **options):
    x, level = rng.random(n), rng.integers(0, 3, n)
    X, coded = (np.column_stack([x, at / 2]) for at in (level, np.array(order)[level]))
    model = Model(2, categories=(Categorical(1, 3, **options),))
    return GaussianProcess.fit(model, coded, response(X))


CATEGORIES = {
    "one": (Categorical(1, 4),),
    "two kinds": (Categorical(0, 3), Categorical(2, 4, "exchangeable")),
    "two levels": (Categorical(2, 2), Categorical(1, 5)),
    "no numbers": tuple(Categorical(i, 3) for i in range(3)),
}


@pytest.mark.parametrize("categories", CATEGORIES.values(), ids=CATEGORIES)
@pytest.mark.parametrize("warp", [False, True])
@pytest.mark.parametrize("structure", [single, co_kriging, shared_mean])
@pytest.mark.parametrize("kernel", ["rbf", "matern52"])
def test_gradient_agrees_with_finite_differences(rng, structure, kernel, warp, categories):
    model = replace(structure(3, kernel, warp, True), categories=categories)
    objective = Objective(model, mixed_data(rng, model))
    theta = random_point(rng, objective.layout)
    theta[objective.layout.positions.where] = rng.standard_normal(n_positions(categories))
    gradient = objective(theta)[1]
    digits = 1e-7 if model.means == "profiled" else 1e-6
    numeric = numeric_gradient(objective, theta)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=digits * np.abs(gradient).max())


def test_the_kernel_is_a_block_of_numbers_per_pair_of_levels(rng):
    """Between two levels K is the numeric kernel times exp(-(|z - z'|^2 + a) / 2 l^2)."""
    model = Model(2, categories=(Categorical(1, 3),))
    data = mixed_data(rng, model)
    objective = Objective(model, data)
    parameters = objective.layout.unpack(random_point(rng, objective.layout))
    parameters = replace(parameters, positions=rng.standard_normal(6))
    z = POSITION_SCALE * parameters.positions.reshape(3, 2)
    R = ((z[:, None] - z[None]) ** 2).sum(axis=-1) + parameters.apart * (1.0 - np.eye(3))
    blocks = np.exp(-0.5 * R / parameters.lengthscales[0, 1] ** 2)
    codes = np.rint(2 * data.X[:, 1]).astype(int)
    x = data.X[:, 0] / parameters.lengthscales[0, 0]
    K = np.exp(-0.5 * (x[:, None] - x[None]) ** 2) * blocks[np.ix_(codes, codes)]
    K += parameters.noise_var[0] * np.eye(len(x))
    L = objective.factorise(parameters).L
    np.testing.assert_allclose(L @ L.T, K, atol=1e-12)


def test_exchangeable_levels_have_one_correlation(rng):
    model = Model(1, categories=(Categorical(0, 4, "exchangeable"),))
    process = GaussianProcess(
        model,
        Hyperparameters(np.array([[0.7]]), np.ones(1), np.empty(0), np.array([0.1]), *2 * [[]]),
        mixed_data(rng, model),
        0.0,
        1.0,
    )
    K = process._covariance(*2 * [process._warp(np.arange(4)[:, None] / 3)], 0, 0)
    same = np.eye(4, dtype=bool)
    np.testing.assert_allclose(K[same], 1.0)
    np.testing.assert_allclose(K[~same], np.exp(-0.5 / 0.7**2))


@pytest.mark.parametrize("kernel", ["latent", "exchangeable"])
def test_the_order_of_levels_makes_no_difference(kernel):
    order = (2, 0, 1)
    one = three_levels(np.random.default_rng(3), kernel=kernel)
    other = three_levels(np.random.default_rng(3), order=order, kernel=kernel)
    x, code = np.repeat(np.linspace(0, 1, 9), 3), np.tile(np.arange(3), 9)
    mean, var = one.predict(np.column_stack([x, code / 2]))
    mean2, var2 = other.predict(np.column_stack([x, np.array(order)[code] / 2]))
    np.testing.assert_allclose(mean, mean2, atol=2e-3)
    np.testing.assert_allclose(var, var2, atol=2e-3)
    assert one.report.objective == pytest.approx(other.report.objective, abs=1e-5)


def test_one_level_is_no_category(rng):
    plain, mixed = Model(2), Model(2, categories=(Categorical(1, 1),))
    X = np.column_stack([rng.random(15), np.zeros(15)])
    one, other = (GaussianProcess.fit(model, X, np.sin(5 * X[:, 0])) for model in (plain, mixed))
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-9)


def test_similar_levels_are_close_and_borrow_from_each_other(rng):
    process = three_levels(rng)
    z = process.parameters.positions.reshape(3, 2)
    assert np.linalg.norm(z[0] - z[1]) < 0.5 * np.linalg.norm(z[0] - z[2])
    X = np.column_stack([np.tile(np.linspace(0, 1, 21), 3), np.repeat([0, 0.5, 1], 21)])
    assert np.sqrt(np.mean((process.predict(X)[0] - response(X)) ** 2)) < 0.05


@pytest.mark.parametrize("kernel", ["latent", "exchangeable"])
def test_a_level_without_observations_is_less_certain(rng, kernel):
    X = np.column_stack([np.tile(np.linspace(0, 1, 8), 3), np.repeat([0, 1 / 3, 1], 8)])
    y = np.sin(4 * X[:, 0]) + X[:, 1] ** 2
    model = Model(2, categories=(Categorical(1, 4, kernel),))
    process = GaussianProcess.fit(model, X, y)
    (_, known), (_, unknown) = (process.predict([[0.5, at]]) for at in (1 / 3, 2 / 3))
    assert unknown > 10 * known
    drawn, _ = ProcessEnsemble.drawn(process, 8)
    assert drawn.predict([[0.5, 2 / 3]])[1] > 3 * drawn.predict([[0.5, 1 / 3]])[1]


def test_an_unseen_level_is_where_its_prior_expects_it(rng):
    """The squared distance to a level at z is |z|^2 plus the variance of two coordinates."""
    embedding = Embedding((Categorical(0, 3),), np.array([[0.0], [1.0]]))
    positions = rng.standard_normal(6)
    points = embedding.columns(
        np.arange(3)[:, None] / 2, np.empty((3, 0)), positions, np.array([0.3])
    )
    z = positions.reshape(3, 2)
    for level in (0, 2):
        squared = ((points[level] - points[1]) ** 2).sum() - 0.3
        assert squared == pytest.approx(POSITION_SCALE**2 * (z[level] @ z[level] + 2.0))


def test_gradients_of_predictions_are_of_numbers_only(rng):
    model = Model(3, (Component(kernel="matern52"),), warp=True, categories=(Categorical(1, 3),))
    X = np.column_stack([rng.random(25), rng.integers(0, 3, 25) / 2, rng.random(25)])
    process = GaussianProcess.fit(model, X, np.sin(4 * X[:, 0]) * (1 + X[:, 1]) + X[:, 2])
    at, step = np.array([[0.3, 0.5, 0.6]]), 1e-5
    gradients = process.predict_gradient(at)
    for column in (0, 2):
        move = step * np.eye(3)[[column]]
        up, down = process.predict(at + move), process.predict(at - move)
        for gradient, high, low in zip(gradients, up, down, strict=True):
            assert gradient[0, column] == pytest.approx((high[0] - low[0]) / (2 * step), rel=1e-4)
    assert gradients[0][0, 1] == gradients[1][0, 1] == 0.0


def test_a_process_is_the_same_after_saving(rng):
    process = three_levels(rng)
    restored = GaussianProcess.from_state(process.model, process.get_state())
    X = np.column_stack([np.linspace(0, 1, 5), [0, 0.5, 1, 0, 0.5]])
    np.testing.assert_array_equal(process.predict(X), restored.predict(X))


@pytest.mark.parametrize("warp", [False, True])
@pytest.mark.parametrize("structure", [single, co_kriging, shared_mean])
@pytest.mark.parametrize("kernel", ["rbf", "matern52"])
def test_without_categories_nothing_changes_to_the_last_bit(
    rng, structure, kernel, warp, monkeypatch
):
    """The way of categories, walked with none of them, has the bits of the way without it."""
    model = structure(3, kernel, warp, True)
    data = mixed_data(rng, model)
    plain = Objective(model, data)
    with monkeypatch.context() as patched:
        patched.setattr(likelihood, "embedding_of", Embedding)
        by_levels = Objective(model, data)
    assert plain.embedding is None
    assert by_levels.embedding is not None
    for _ in range(3):
        theta = random_point(rng, plain.layout)
        (value, gradient), (value2, gradient2) = plain(theta), by_levels(theta)
        assert value == value2
        np.testing.assert_array_equal(gradient, gradient2)


def test_without_categories_fits_are_the_same_to_the_last_bit(rng, monkeypatch):
    X, at = rng.random((14, 2)), rng.random((5, 2))
    y = np.sin(5 * X[:, 0]) + X[:, 1]
    model = Model(2, warp=True)
    plain = GaussianProcess.fit(model, X, y)
    monkeypatch.setattr(likelihood, "embedding_of", Embedding)
    by_levels = GaussianProcess.fit(model, X, y)
    assert by_levels.objective.embedding is not None
    for one, other in (
        (plain.predict(at), by_levels.predict(at)),
        (plain.predict_gradient(at), by_levels.predict_gradient(at)),
        (plain.get_state()["parameters"].values(), by_levels.get_state()["parameters"].values()),
    ):
        for mine, theirs in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_without_categories_files_do_not_mention_positions(rng):
    process = GaussianProcess.fit(Model(1), rng.random((6, 1)), rng.random(6))
    assert "positions" not in process.get_state()["parameters"]


def test_searches_start_with_levels_apart(rng):
    """Where all levels lie at one point the gradient vanishes."""
    model = Model(2, categories=(Categorical(1, 3),))
    for y in (rng.standard_normal(12), np.zeros(12)):
        X = np.column_stack([rng.random(12), np.tile([0, 0.5, 1], 4)])
        objective = Objective(model, Observations(X, y, np.zeros(12, dtype=np.intp)))
        for theta in default_starts(objective).values():
            z = theta[objective.layout.positions.where].reshape(3, 2)
            assert min(np.linalg.norm(z[i] - z[i - 1]) for i in range(3)) > 1e-3


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Categorical(0, 3, "ordinal"), "unknown kernel"),
        (lambda: Categorical(0, 0), "at least one level"),
        (lambda: Model(1, categories=(Categorical(1, 2),)), "not different ones"),
        (lambda: Model(2, categories=(Categorical(1, 2),) * 2), "not different ones"),
        (lambda: Embedding((Categorical(0, 2),), np.array([[2.0]])), "levels, from 0 to 1"),
    ],
)
def test_what_makes_no_sense_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
