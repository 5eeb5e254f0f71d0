from __future__ import annotations

import numpy as np
import pytest

from mastgp.bench import problem, synthetic_draw
from mastgp.bench.protocol import THREE_FIDELITIES, TWO_FIDELITIES, budget_of


@pytest.mark.parametrize(
    ("name", "budget", "counts"),
    [
        ("branin", TWO_FIDELITIES, {"high": 7, "low": 30}),
        ("borehole", TWO_FIDELITIES, {"high": 28, "low": 120}),
        ("hartmann3", THREE_FIDELITIES, {"high": 8, "mid": 22, "low": 30}),
    ],
)
def test_budgets(name, budget, counts):
    draw = synthetic_draw(problem(name), 0, budget)
    assert {label: int((draw.fidelity == label).sum()) for label in counts} == counts
    assert len(draw.y_only) == 5 * problem(name).n_inputs == budget_of(problem(name).n_inputs)


def test_multiples_of_the_budget_are_rounded_up():
    assert [budget_of(3, factor) for factor in (0.25, 1.0, 3.0)] == [4, 15, 45]


def test_draws_are_reproducible_and_differ_by_seed():
    first, again, other = (synthetic_draw(problem("park1"), seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)
    np.testing.assert_array_equal(first.X_test, other.X_test)


def test_designs_are_latin_hypercubes():
    draw = synthetic_draw(problem("branin"), 0)
    X = draw.X[draw.fidelity == "low"]
    unit = (X - draw.bounds[:, 0]) / np.ptp(draw.bounds, axis=1)
    for column in np.floor(unit.T * len(X)).astype(int):
        assert sorted(column) == list(range(len(X)))
