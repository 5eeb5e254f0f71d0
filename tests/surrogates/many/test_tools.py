from __future__ import annotations

import numpy as np
import pytest

from mastgp.stored import DamagedError
from mastgp.surrogates.many.additive import AdditiveSums
from mastgp.surrogates.many.learning import from_neighbours
from mastgp.surrogates.many.rows import Rows
from mastgp.surrogates.many.tools import (
    Trended,
    enough_inducing,
    fit_boosted,
    fit_exact,
    fit_inducing,
    fit_neighbours,
    left_by,
    log_density,
    mean_log_density,
    noise_of_process,
    restored,
    state_of,
)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    X = rng.random((1500, 2))
    y = np.sin(6 * X[:, 0]) * X[:, 1] + 0.1 * rng.standard_normal(1500)
    return Rows(X, (y - y.mean()) / y.std())


@pytest.fixture(scope="module")
def learned(rows):
    return from_neighbours(rows, "rbf")


def test_as_many_inducing_points_as_help(rows, learned):
    held_out, train = rows.some(slice(0, 300)), rows.some(slice(300, None))
    found = enough_inducing(learned, train, held_out)
    whole = fit_inducing(learned, train, 1000)
    assert len(found.basis) <= len(whole.basis) < 1000
    densities = [mean_log_density(t, held_out, noise_of_process(t)) for t in (found, whole)]
    assert densities[0] > densities[1] - 0.01


def test_every_tool_is_made_again_from_its_state(rows, learned):
    trend = AdditiveSums(rows).model(1e-3, 0.1)
    tools = {
        "inducing": fit_inducing(learned, rows, 50),
        "neighbours": fit_neighbours(learned, rows),
        "additive": trend,
        "boosting": fit_boosted(rows, trend),
        "exact": fit_exact(learned, rows.some(slice(0, 200))),
        "trended": Trended(trend, fit_inducing(learned, left_by(trend, rows), 50)),
    }
    Q = np.random.default_rng(0).random((20, 2))
    for kind, tool in tools.items():
        again = restored(kind, state_of(tool), 2)
        for a, b in zip(again.predict(Q), tool.predict(Q), strict=True):
            np.testing.assert_array_equal(a, b)
    with pytest.raises(DamagedError, match="kernel"):
        restored("inducing", state_of(tools["inducing"]) | {"kernel": "none"}, 2)


def test_inducing_points_of_what_splines_leave_add_to_them(rows, learned):
    trend = AdditiveSums(rows).model(1e-3, 0.1)
    first, last = rows.some(slice(0, 700)), rows.some(slice(700, None))
    process = fit_inducing(learned, left_by(trend, first), 50)
    tool = Trended(trend, process)
    Q = np.random.default_rng(0).random((20, 2))
    mean, var = tool.predict(Q)
    np.testing.assert_allclose(mean, trend.predict(Q)[0] + process.predict(Q)[0])
    np.testing.assert_allclose(var, trend.var + process.predict(Q)[1])
    np.testing.assert_allclose(tool.predict_mean(Q), mean, rtol=1e-9)
    all_at_once = process.given(process.basis, left_by(trend, rows).observations)
    grown = tool.with_rows(last).predict(Q)[0]
    np.testing.assert_allclose(grown, trend.predict(Q)[0] + all_at_once.predict(Q)[0], rtol=1e-8)


def test_the_variance_of_trees_is_that_of_their_error(rows):
    """A part of the rows tells how far the trees of all are off."""
    trees = fit_boosted(rows)
    assert trees.var == 0.0
    half = fit_boosted(rows.some(slice(0, 750)))
    compared = trees.compared(half, rows.some(slice(0, 200)))
    assert 1e-4 < compared.var < 0.1
    np.testing.assert_array_equal(compared.predict(rows.X[:5])[1], compared.var)
    assert trees.var == 0.0


def test_densities_are_those_of_the_normal_distribution():
    from scipy.stats import norm

    held_out = Rows(np.zeros((2, 1)), np.array([0.3, -1.0]))
    found = log_density(np.zeros(2), np.array([0.5, 1.0]), held_out, 0.5)
    np.testing.assert_allclose(found, norm(0, [1.0, np.sqrt(1.5)]).logpdf(held_out.y))
    known = Rows(held_out.X, held_out.y, np.array([1.0, 2.0]))
    found = log_density(np.zeros(2), np.array([0.5, 1.0]), known, 7.0)
    np.testing.assert_allclose(found, norm(0, np.sqrt([1.5, 3.0])).logpdf(held_out.y))
