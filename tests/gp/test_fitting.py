from __future__ import annotations

import numpy as np
import pytest

from gp.structures import random_data, smooth
from mastgp.gp import Component, GaussianProcess, Model, NotPositiveDefiniteError
from mastgp.gp.fitting import SUBSET, _stratified, default_starts, maximise
from mastgp.gp.leave_out import leave_one_out_score
from mastgp.gp.likelihood import Objective


def two_modes():
    """Few noisy points of a wiggly function: it may be wiggly, or smooth and all the rest noise."""
    rng = np.random.default_rng(12)
    X = rng.random((12, 1))
    return X, np.sin(12 * X[:, 0]) + 0.3 * rng.standard_normal(12)


@pytest.fixture
def counted(monkeypatch):
    """How often objectives are built and covariance matrices are factorised for an end."""
    counts = {"objectives": 0, "factorisations": 0}

    def count(name, kind):
        original = getattr(Objective, name)

        def wrapper(self, *args):
            counts[kind] += 1
            return original(self, *args)

        monkeypatch.setattr(Objective, name, wrapper)

    count("__init__", "objectives")
    count("factorise", "factorisations")
    return counts


def test_a_fit_from_one_start_factorises_once(rng, counted):
    X = rng.random((20, 2))
    start = {"prior": default_starts(Objective(Model(2), random_data(rng, Model(2))))["prior"]}
    counted.update(objectives=0)
    GaussianProcess.fit(Model(2), X, smooth(X), starts=start)
    assert counted == {"objectives": 1, "factorisations": 1}


def test_a_fit_with_two_optima_factorises_each_once(counted):
    gp = GaussianProcess.fit(Model(1), *two_modes())
    one, other = gp.report.objectives.values()
    assert abs(one - other) > 0.1
    assert counted == {"objectives": 1, "factorisations": 2}


def test_a_given_optimum_needs_no_search(rng, counted):
    X = rng.random((20, 2))
    gp = GaussianProcess.fit(Model(2), X, smooth(X))
    counted.update(objectives=0, factorisations=0)
    again = GaussianProcess(gp.model, gp.parameters, gp._data, gp.y_mean, gp.y_scale)
    assert counted == {"objectives": 1, "factorisations": 1}
    np.testing.assert_array_equal(again.predict(X), gp.predict(X))


def test_an_optimum_comes_with_its_factorisation(rng):
    model = Model(2, warp=True)
    objective = Objective(model, random_data(rng, model))
    optimum = maximise(objective)
    expected = objective.factorise(optimum.parameters)
    np.testing.assert_array_equal(optimum.factorisation.L, expected.L)
    np.testing.assert_array_equal(optimum.factorisation.alpha, expected.alpha)
    assert optimum.report.log_likelihood == objective.log_likelihood(optimum.parameters)


def test_the_end_that_predicts_best_wins():
    """Here it is not the one of the lower objective."""
    X, y = two_modes()
    gp = GaussianProcess.fit(Model(1), X, y)
    starts = default_starts(gp.objective)
    ends = {k: maximise(gp.objective, {k: start}) for k, start in starts.items()}
    scores = {k: leave_one_out_score(gp.objective, e.factorisation) for k, e in ends.items()}
    assert gp.report.start == max(scores, key=scores.__getitem__) == "noisy"
    assert min(ends, key=lambda k: ends[k].report.objective) == "prior"


def test_a_search_that_comes_to_an_optimum_found_before_stops(rng):
    objective = Objective(Model(2), random_data(rng, Model(2)))
    start = default_starts(objective)["prior"]
    once = maximise(objective, {"first": start})
    found = objective.layout.pack(once.parameters)
    report = maximise(objective, {"first": start, "again": found + 0.1}).report
    assert report.evaluations == once.report.evaluations + 1
    assert report.start == "first"


def test_the_optimum_is_a_minimum_of_the_objective(rng):
    model = Model(2, warp=True)
    objective = Objective(model, random_data(rng, model))
    optimum = maximise(objective)
    theta = objective.layout.pack(optimum.parameters)
    value, gradient = objective(theta)
    assert value == pytest.approx(optimum.report.objective, rel=1e-12)
    inside = (theta > objective.layout.lower + 1e-6) & (theta < objective.layout.upper - 1e-6)
    assert inside.any()
    np.testing.assert_allclose(gradient[inside], 0.0, atol=1e-4)


def test_report_says_what_happened(rng):
    X = rng.random((20, 2))
    report = GaussianProcess.fit(Model(2), X, X[:, 0]).report
    assert report.converged
    assert report.start in report.objectives
    assert set(report.objectives) == {"prior", "noisy"}
    assert report.evaluations >= report.iterations > 0
    assert report.jitter == 0.0
    assert report.at_bounds == ["noise"]  # noise-free data drive the noise to its floor


def test_every_evaluation_is_announced_and_may_stop_the_fit(rng):
    X, calls = rng.random((15, 2)), []
    gp = GaussianProcess.fit(Model(2), X, smooth(X), on_evaluation=lambda: calls.append(1))
    assert len(calls) == gp.report.evaluations

    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        GaussianProcess.fit(Model(2), X, smooth(X), on_evaluation=stop)


def test_the_same_fit_twice_gives_the_same_bits(rng):
    X = rng.random((20, 3))
    first, second = (GaussianProcess.fit(Model(3, warp=True), X, smooth(X)) for _ in range(2))
    np.testing.assert_array_equal(first.predict(X)[0], second.predict(X)[0])


def test_starts_lie_in_both_basins():
    model = Model(4)
    objective = Objective(model, random_data(np.random.default_rng(0), model))
    starts = {k: objective.layout.unpack(v) for k, v in default_starts(objective).items()}
    assert starts["prior"].noise_var[0] < 0.1
    assert starts["noisy"].noise_var[0] == pytest.approx(0.3)
    np.testing.assert_allclose(starts["noisy"].lengthscales, 2.0)


def test_factors_start_at_the_guess_and_with_its_sign(rng):
    components = (Component((1.0, 1.0, 1.0), ((), (0,), (1,))),)
    model = Model(1, components, factor_starts=(-2.0, 0.5))
    objective = Objective(model, random_data(rng, model))
    starts = {k: objective.layout.unpack(v).factors for k, v in default_starts(objective).items()}
    np.testing.assert_array_equal(starts["prior"], [-2.0, 0.5])
    np.testing.assert_array_equal(starts["noisy"], [-1.0, 1.0])


def test_given_noise_has_one_start_only(rng):
    model = Model(1, learn_noise=False)
    assert set(default_starts(Objective(model, random_data(rng, model)))) == {"prior"}


def test_a_tolerance_saves_evaluations_and_little_else(rng):
    X = rng.random((40, 3))
    y = smooth(X) + 0.05 * rng.standard_normal(40)
    exact, rough = (
        GaussianProcess.fit(Model(3, warp=True), X, y, tolerance=t) for t in (None, 1e-2)
    )
    assert rough.report.evaluations < exact.report.evaluations
    assert rough.report.objective == pytest.approx(exact.report.objective, abs=0.1 / 40)


def test_many_points_start_from_a_part_of_them(rng, monkeypatch, counted):
    monkeypatch.setattr("mastgp.gp.fitting.MANY_POINTS", 150)
    monkeypatch.setattr("mastgp.gp.fitting.SUBSET", 100)
    X = rng.random((200, 2))
    y = smooth(X) + 0.1 * rng.standard_normal(200)
    gp = GaussianProcess.fit(Model(2), X, y)
    assert gp.report.start == "subset"
    assert counted["objectives"] == 2
    full = GaussianProcess.fit(Model(2), X, y, starts=default_starts(gp.objective))
    assert gp.report.objective == pytest.approx(full.report.objective, abs=1e-4)


def test_the_part_has_points_of_every_group():
    groups = np.repeat([0, 1, 2], [5000, 60, 7])
    chosen = groups[_stratified(groups)]
    assert len(chosen) == SUBSET
    assert [int((chosen == g).sum()) >= least for g, least in enumerate((50, 50, 7))] == [True] * 3


def test_a_model_that_cannot_be_factorised_says_so(rng, monkeypatch):
    def hopeless(K):
        raise NotPositiveDefiniteError("never")

    monkeypatch.setattr("mastgp.gp.likelihood.cholesky_in_place", hopeless)
    with pytest.raises(NotPositiveDefiniteError, match="no start led to"):
        GaussianProcess.fit(Model(1), rng.random((6, 1)), np.arange(6.0))
