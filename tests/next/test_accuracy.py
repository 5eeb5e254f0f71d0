"""Gains of runs for accuracy, by the dense formula and by conditioning."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp.models import CoKriging
from mastgp.next.accuracy import STEEP, Accuracy, references
from mastgp.next.beliefs import Belief
from mastgp.next.outlook import Outlook
from mastgp.next.space import Space

NONE = np.zeros((0, 2)), np.zeros(0, dtype=np.intp)


def accuracy(model, rng, runs=NONE, n=40):
    belief = Belief(model)
    outlook = Outlook(belief, *runs)
    return Accuracy(outlook, belief.at(rng.random((n, 2)), belief.top), np.ones(n))


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.filterwarnings("ignore::mastgp.RefitWarning")
def test_the_gain_is_the_variance_that_an_update_removes(optimum_model, rng, level):
    """The closed form from the joint covariance, against conditioning on the run."""
    references = rng.random((40, 2))
    belief = Belief(optimum_model)
    criterion = Accuracy(Outlook(belief, *NONE), belief.at(references, 1), np.ones(40))
    for u in rng.random((4, 2)):
        gain = criterion.gains(u[None], level)[0]
        name = ("coarse", "fine")[level]
        grown = optimum_model.update(u[None], [0.3], name)
        before = np.mean(optimum_model.predict(references, return_std=True)[1] ** 2)
        after = np.mean(grown.predict(references, return_std=True)[1] ** 2)
        assert gain == pytest.approx((before - after) / before, rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("level", [0, 1])
def test_the_gain_is_the_dense_formula(drawn_model, rng, level):
    """Averaged over the draws, with their disagreement, runs under way taken off."""
    belief = Belief(drawn_model, most=100)
    R, u = rng.random((30, 2)), rng.random((1, 2))
    runs = rng.random((2, 2)), np.array([1, 0])
    criterion = Accuracy(Outlook(belief, *runs), belief.at(R, 1), np.ones(30))
    U = np.vstack([R, u, runs[0]])
    levels = np.concatenate([np.ones(30, int), [level], runs[1]])
    posterior = drawn_model.posterior_
    C = posterior.cross_covariance(U, levels, U, levels)
    groups = posterior.processes[0].groups
    noise = np.array([np.mean(posterior.noise_var[groups == g]) for g in (0, 1)])
    K = C[31:, 31:] + np.diag(noise[runs[1]])
    left = C[:31, :31] - C[:31, 31:] @ np.linalg.solve(K, C[31:, :31])
    removed = left[:30, 30] ** 2 / (left[30, 30] + noise[level])
    expected = removed.sum() / left.diagonal()[:30].sum()
    assert criterion.gains(u, level)[0] == pytest.approx(expected, rel=1e-5)


def test_a_fidelity_that_nobody_models_brings_nothing(single_model, rng):
    assert (accuracy(single_model, rng).gains(rng.random((3, 2)), 0) == 0).all()


def test_a_repeated_run_brings_less(optimum_model, rng):
    u = np.array([[0.05, 0.95]])
    first = accuracy(optimum_model, np.random.default_rng(0)).gains(u, 1)[0]
    again = accuracy(optimum_model, np.random.default_rng(0), (u, np.array([1]))).gains(u, 1)[0]
    assert again < 0.5 * first


def test_points_that_were_asked_about_before_have_the_same_gains(drawn_model, rng):
    """Also once runs are under way: what the belief says of points does not depend on them."""
    belief = Belief(drawn_model)
    U = rng.random((5, 2))
    seen = belief.at(U, 0)
    for runs in (NONE, (rng.random((3, 2)), np.array([0, 1, 0]))):
        criterion = Accuracy(Outlook(belief, *runs), belief.at(rng.random((20, 2)), 1), np.ones(20))
        np.testing.assert_allclose(criterion.gains_at(seen), criterion.gains(U, 0), rtol=1e-9)


def test_reference_points_count_for_more_where_the_response_is_steep(rng):
    X = rng.random((40, 2))
    y = np.where(X[:, 0] > 0.5, 20.0 * (X[:, 0] - 0.5) ** 2, 0.0)
    model = CoKriging(inference="map", bounds=[[0, 1], [0, 1]]).fit(X, y)
    seen, weights = references(Belief(model), Space.of(model.training_data_), 200, rng)
    assert weights.mean() == pytest.approx(1.0)
    assert weights.min() >= 1.0 - STEEP
    steep, flat = seen.U[:, 0] > 0.8, seen.U[:, 0] < 0.4
    assert weights[steep].mean() > 1.3 * weights[flat].mean()


def test_the_slope_of_a_transformed_response_is_that_of_the_response(log_model, rng):
    """The weights of a model of the logarithm are those of its own predictions."""
    seen, weights = references(Belief(log_model), Space.of(log_model.training_data_), 50, rng)
    step = 1e-4 * np.eye(2)
    slopes = [(log_model.predict(seen.U + s) - log_model.predict(seen.U - s)) / 2e-4 for s in step]
    squares = np.sum(np.square(slopes), axis=0)
    expected = 1.0 - STEEP + STEEP * squares / squares.mean()
    np.testing.assert_allclose(weights, expected, rtol=0.1)


def test_the_reference_points_of_a_pool_are_its_own(optimum_model, rng):
    data = optimum_model.training_data_
    pool = Space.of_pool(data, rng.random((5, 2)), None)
    seen, weights = references(Belief(optimum_model), pool, 9, rng)
    np.testing.assert_array_equal(seen.U, pool.pool)
    assert weights.mean() == pytest.approx(1.0)
