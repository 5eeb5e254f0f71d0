from __future__ import annotations

import numpy as np
import pytest

from mastgp import DataError
from mastgp.bench import PROBLEMS, problem, synthetic_draw
from mastgp.bench.protocol import THREE_FIDELITIES, TWO_FIDELITIES


@pytest.mark.parametrize("name", PROBLEMS)
def test_known_values(name):
    p = problem(name)
    assert p.known or name == "borehole"  # no value published; see below
    for x, value in p.known:
        assert p.evaluate([x])[0] == pytest.approx(value, rel=1e-5, abs=1e-5)


def test_borehole_at_the_centre():
    """The formula by hand at the centre of the domain."""
    p = problem("borehole")
    rw, r, Tu, Hu, Tl, Hl, L, Kw = p.bounds.mean(axis=1)
    log = np.log(r / rw)
    by_hand = 2 * np.pi * Tu * (Hu - Hl) / (log * (1 + 2 * L * Tu / (log * rw**2 * Kw) + Tu / Tl))
    cheap = 5 * Tu * (Hu - Hl) / (log * (1.5 + 2 * L * Tu / (log * rw**2 * Kw) + Tu / Tl))
    centre = p.bounds.mean(axis=1)[None]
    assert p.evaluate(centre)[0] == pytest.approx(by_hand)
    assert p.evaluate(centre, 1.0)[0] == pytest.approx(cheap)


@pytest.mark.parametrize("name", PROBLEMS)
def test_degradation_adds_the_discrepancy(name, rng):
    p = problem(name)
    X = rng.uniform(*p.bounds.T, (50, p.n_inputs))
    high, half, low = (p.evaluate(X, d) for d in (0.0, 0.5, 1.0))
    np.testing.assert_array_equal(high, p.high(X))
    np.testing.assert_allclose(half, (high + low) / 2, rtol=1e-12)


@pytest.mark.parametrize("name", PROBLEMS)
def test_noise_has_the_papers_standard_deviation(name, rng):
    p = problem(name)
    X = rng.uniform(*p.bounds.T, (20_000, p.n_inputs))
    fractions = {0.0: 0.02, 1.0: 0.15} if name == "ackley" else {0.0: 0.01, 1.0: 0.03, 0.5: 0.02}
    for degradation, fraction in fractions.items():
        values = p.evaluate(X, degradation)
        std = np.std(p.observe(X, degradation, rng) - values)
        assert std == pytest.approx(p.noise_std(degradation), rel=0.03)
        assert std == pytest.approx(fraction * abs(values.mean()), rel=0.05)


@pytest.mark.parametrize("name", ["ackley", "levy", "rastrigin", "rosenbrock"])
def test_any_dimension(name):
    p = problem(name, 3)
    assert p.n_inputs == 3
    (x, value), = p.known  # fmt: skip
    assert p.evaluate([x])[0] == pytest.approx(value, abs=1e-12)


def test_unknown_problems():
    with pytest.raises(DataError, match="unknown problem 'sphere'"):
        problem("sphere")
    with pytest.raises(DataError, match="fixed number of inputs"):
        problem("branin", 3)


def test_park1_is_smooth_at_zero():
    p = problem("park1")
    near, at = p.evaluate([[1e-12, 0.5, 0.5, 0.5], [0.0, 0.5, 0.5, 0.5]])
    assert at == pytest.approx(near)


@pytest.mark.parametrize(
    ("name", "budget", "counts"),
    [
        ("branin", TWO_FIDELITIES, {"high": 7, "low": 30}),
        ("borehole", TWO_FIDELITIES, {"high": 28, "low": 120}),
        ("hartmann3", THREE_FIDELITIES, {"high": 8, "mid": 22, "low": 30}),
    ],
)
def test_budgets(name, budget, counts):
    trial = synthetic_draw(problem(name), 0, budget)
    assert {label: int((trial.fidelity == label).sum()) for label in counts} == counts
    assert len(trial.y_only) == 5 * problem(name).n_inputs


def test_trials_are_reproducible_and_differ_by_seed():
    first, again, other = (synthetic_draw(problem("park1"), seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)
    np.testing.assert_array_equal(first.X_test, other.X_test)


def test_designs_are_latin_hypercubes():
    trial = synthetic_draw(problem("branin"), 0)
    X = trial.X[trial.fidelity == "low"]
    unit = (X - trial.bounds[:, 0]) / np.ptp(trial.bounds, axis=1)
    for column in np.floor(unit.T * len(X)).astype(int):
        assert sorted(column) == list(range(len(X)))
