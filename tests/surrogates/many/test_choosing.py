from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mastgp.surrogates.many.choosing import Trials, Tried, _aligned, choose, preferred
from mastgp.surrogates.many.learning import from_bound, from_neighbours
from mastgp.surrogates.many.rows import shuffled
from mastgp.surrogates.many.tools import fit_inducing, fit_neighbours


def drawn(response, n, d, noise, seed=3):
    rng = np.random.default_rng(seed)
    X, Q = rng.random((n, d)), rng.random((1000, d))
    y = response(X) + noise * rng.standard_normal(n)
    return X, y, Q, response(Q)


def smooth(X):
    return 3 * X[:, 0] * np.exp(X[:, 1]) / (1 + X[:, 2]) * (1 + X[:, 3])


def rough(X):
    return np.cos(40 * X).sum(axis=1)


def jump(X):
    return np.sin(5 * X[:, 0]) + 3.0 * (X[:, 0] + 0.3 * np.sin(9 * X[:, 1]) > 0.6)


def waves_and_more(X):
    return np.cos(60 * X).sum(axis=1) + 4 * np.exp(-4 * ((X - 0.5) ** 2).sum(axis=1))


@pytest.mark.parametrize(
    ("response", "noise", "d", "kinds"),
    [
        (smooth, 0.1, 4, {"inducing"}),
        (rough, 0.1, 5, {"additive", "boosting"}),
        (jump, 0.1, 2, {"neighbours", "boosting"}),
        (waves_and_more, 0.5, 3, {"trended"}),
    ],
)
def test_each_response_gets_its_tool(response, noise, d, kinds):
    X, y, Q, truth = drawn(response, 5600, d, noise)
    rows, units = shuffled(X, y, None)
    found = choose(rows)
    assert found.kind in kinds
    assert set(found.errors) == set(found.densities) >= {"inducing", "neighbours", "additive"}
    mean, var = found.tool.predict(Q)
    error = units.mean + units.scale * mean - truth
    assert np.sqrt(np.mean(error**2)) < 0.3 * truth.std()
    covered = np.abs(error) < 1.96 * units.scale * np.sqrt(found.widening * var + found.extra)
    assert covered.mean() > 0.88


def test_few_rows_have_the_exact_process_among_their_tools():
    X, y, *_ = drawn(smooth, 2000, 4, 0.1)
    rows, _ = shuffled(X, y, None)
    calls = []
    assert "exact" in choose(rows, lambda: calls.append(1)).errors
    assert len(calls) > 20


def test_tools_far_behind_are_not_given_all_rows(monkeypatch):
    monkeypatch.setattr("mastgp.surrogates.many.choosing.N_PART", 2000)
    monkeypatch.setattr("mastgp.surrogates.many.choosing.MOST_EXACT", 0)
    given = []
    from mastgp.surrogates.many import choosing

    original = choosing.Trials._given
    monkeypatch.setattr(
        choosing.Trials,
        "_given",
        lambda self, tool, rows: given.append(type(tool)) or original(self, tool, rows),
    )
    X, y, *_ = drawn(smooth, 4000, 4, 0.1)
    rows, _ = shuffled(X, y, None)
    found = choose(rows)
    assert found.kind == "inducing"
    assert found.tool.n_points == 4000
    assert "Additive" not in [kind.__name__ for kind in given]
    assert "InducingProcess" in [kind.__name__ for kind in given]


def test_known_noise_is_used():
    X, y, *_ = drawn(smooth, 2500, 4, 0.1)
    rows, units = shuffled(X, y, np.full(len(y), 0.01))
    found = choose(rows)
    assert found.noise == pytest.approx(0.01 / units.scale**2)


def bumps(X):
    return np.sin(9 * X).prod(axis=1)


def test_neighbours_grow_while_they_help():
    """Little noise and a smooth function of short range: far rows say something, too."""
    X, y, *_ = drawn(bumps, 5600, 3, 0.1)
    rows, _ = shuffled(X, y, None)
    trials = Trials(rows.some(slice(500, None)), rows.some(slice(0, 500)), lambda: None)
    few = trials._try("neighbours", fit_neighbours(from_neighbours(rows, "rbf"), trials.train))
    more = trials._more_neighbours(few, [few])
    assert few.tool.k == 60 < more.tool.k
    assert np.mean(more.away**2) < np.mean(few.away**2)
    far_behind = replace(few, squared=10.0)
    assert trials._more_neighbours(far_behind, [few, far_behind]) is far_behind


def test_a_process_that_is_too_sure_is_widened():
    """Its mean moves further than it claims, however large the noise of the rows."""
    X, y, *_ = drawn(smooth, 5600, 4, 1.0)
    rows, _ = shuffled(X, y, None)
    trials = Trials(rows.some(slice(500, None)), rows.some(slice(0, 500)), lambda: None)
    learned = from_bound(trials.train, from_neighbours(trials.train, "rbf"))
    right = trials._try("inducing", fit_inducing(learned, trials.train, 250))
    assert trials.widening(right) < 1.5
    p = learned.parameters
    sure = replace(p, scales=p.scales / 3.0, noise_var=p.noise_var / 3.0)
    tool = fit_inducing(replace(learned, parameters=sure), trials.train, 250)
    assert 2.0 < trials.widening(trials._try("inducing", tool)) <= 4.0
    assert trials.widening(trials._try("additive", trials._trend(trials.train))) is None


def test_neighbours_claim_more_or_less_by_how_far_they_move():
    X, y, Q, truth = drawn(bumps, 5600, 3, 0.1)
    rows, units = shuffled(X, y, None)
    trials = Trials(rows.some(slice(500, None)), rows.some(slice(0, 500)), lambda: None)
    learned = from_neighbours(trials.train, "rbf")
    p = learned.parameters
    found = []
    for factor in (0.2, 1.0, 5.0):
        changed = replace(p, scales=factor * p.scales, noise_var=factor * p.noise_var)
        tool = fit_neighbours(replace(learned, parameters=changed), trials.train)
        found.append(trials.widening(trials._try("neighbours", tool)))
        mean, var = tool.predict(Q)
        error = units.mean + units.scale * mean - truth
        covered = np.abs(error) < 1.96 * units.scale * np.sqrt(found[-1] * var)
        if factor <= 1.0:
            assert 0.9 < covered.mean() < 0.99
    assert 2.0 < found[0] <= 4.0
    assert 0.5 <= found[2] < found[1] < found[0]


def test_errors_on_some_rows_are_compared_on_these():
    away = np.array([1.0, 1.0, 3.0, 3.0])
    best = Tried("inducing", None, 5.0, away, 0 * away)
    near = Tried("neighbours", None, 2.0, np.sqrt(2.0) * away[:2], 0 * away[:2])
    assert _aligned([best, near])[1].squared == pytest.approx(6.0)


@pytest.mark.parametrize(("ahead", "kind"), [(0.01, "additive"), (0.3, "boosting")])
def test_trees_must_be_clearly_better(rng, ahead, kind):
    away = rng.standard_normal(2000)
    further = (1.0 + ahead) * rng.permutation(away)
    trees = Tried("boosting", None, float(np.mean(away**2)), away, 0 * away)
    sums = Tried("additive", None, float(np.mean(further**2)), further, 0 * away)
    assert preferred([trees, sums]).kind == kind
    assert preferred([replace(trees, kind="trended"), sums]).kind == "trended"


def test_splines_are_widened_for_a_penalty_that_is_taken_as_known():
    X, y, *_ = drawn(rough, 2100, 5, 0.1)
    rows, _ = shuffled(X, y, None)
    found = choose(rows)
    assert (found.kind, found.widening) == ("additive", 1.1)
