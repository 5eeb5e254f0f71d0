from __future__ import annotations

import numpy as np
import pytest

from mastgp.surrogates.many.choosing import choose
from mastgp.surrogates.many.rows import shuffled


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


@pytest.mark.parametrize(
    ("response", "n", "d", "kinds"),
    [
        (smooth, 5600, 4, {"inducing"}),
        (rough, 5600, 5, {"additive", "boosting"}),
        (jump, 5600, 2, {"neighbours", "boosting"}),
    ],
)
def test_each_response_gets_its_tool(response, n, d, kinds):
    X, y, Q, truth = drawn(response, n, d, 0.1)
    rows, units = shuffled(X, y, None)
    found = choose(rows)
    assert found.kind in kinds
    assert set(found.errors) == set(found.densities) >= {"inducing", "neighbours", "additive"}
    mean, var = found.tool.predict(Q)
    error = units.mean + units.scale * mean - truth
    assert np.sqrt(np.mean(error**2)) < 0.3 * truth.std()
    covered = np.abs(error) < 1.96 * units.scale * np.sqrt(var + found.extra)
    assert covered.mean() > 0.75


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

    original = choosing._given
    monkeypatch.setattr(
        choosing, "_given", lambda tool, *a: given.append(type(tool)) or original(tool, *a)
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
