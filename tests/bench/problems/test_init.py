from __future__ import annotations

import pytest

from mastgp import DataError
from mastgp.bench.problems import EXTRA, PROBLEMS, problem


@pytest.mark.parametrize("name", PROBLEMS)
def test_known_values(name):
    p = problem(name)
    assert p.known or name == "borehole"  # no value is published
    for x, value in p.known:
        assert p.evaluate([x])[0] == pytest.approx(value, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", ["ackley", "levy", "rastrigin", "rosenbrock"])
def test_any_dimension(name):
    p = problem(name, 3)
    assert p.n_inputs == 3
    ((x, value),) = p.known
    assert p.evaluate([x])[0] == pytest.approx(value, abs=1e-12)


def test_unknown_problems():
    with pytest.raises(DataError, match="unknown problem 'sphere'"):
        problem("sphere")
    with pytest.raises(DataError, match="fixed number of inputs"):
        problem("branin", 3)


def test_the_papers_problems_and_ours_are_apart():
    assert len(PROBLEMS) == 10
    assert len(EXTRA) == 12
    assert not set(PROBLEMS) & set(EXTRA)
