from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from mastgp import DataError
from mastgp.bench.experiments import experiment
from mastgp.bench.protocol import Budget
from mastgp.bench.real import (
    Pool,
    RealProblem,
    concrete_formula,
    pooled_problem,
    real_draw,
    real_problem,
)
from mastgp.bench.runner import run_unit
from mastgp.bench.units import Unit
from mastgp.errors import CategoriesWarning, silenced
from mixed import tables

#: Where the real data are looked for: the folder of MASTGP_DATA, or one beside the project.
DATA = Path(os.environ.get("MASTGP_DATA", Path(__file__).parents[3] / "shared" / "data"))
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the real data sets are not here (set MASTGP_DATA)"
)


def counts(draw):
    return {str(name): int((draw.fidelity == name).sum()) for name in np.unique(draw.fidelity)}


@needs_data
@pytest.mark.parametrize(
    ("name", "expected", "n_inputs", "n_only"),
    [
        ("concrete", {"high": 28, "low": 120}, 8, 40),
        ("hoip", {"high": 8, "mid": 18, "low": 120}, 3, 15),
        ("drivaernet", {"high": 81, "low": 345}, 23, 115),
    ],
)
def test_numbers_of_the_paper(name, expected, n_inputs, n_only):
    problem = real_problem(name, str(DATA))
    draw = real_draw(problem, 0)
    assert problem.n_inputs == n_inputs
    assert counts(draw) == expected
    assert len(draw.y_only) == n_only
    again = real_draw(problem, 0)
    np.testing.assert_array_equal(draw.y, again.y)
    assert not np.array_equal(draw.y, real_draw(problem, 1).y)


@needs_data
@pytest.mark.parametrize("name", ["concrete", "hoip", "drivaernet"])
def test_no_test_row_shares_its_inputs_with_a_training_row(name):
    draw = real_draw(real_problem(name, str(DATA)), 3)
    top = draw.X[draw.fidelity == "high"]
    trained = {row.tobytes() for row in np.vstack([top, draw.X_only])}
    assert not any(row.tobytes() in trained for row in np.ascontiguousarray(draw.X_test))


@needs_data
@pytest.mark.parametrize("name", ["hoip", "drivaernet"])
def test_collocated_rows_share_places(name):
    draw = real_draw(real_problem(name, str(DATA)), 0, collocated=True)
    top = {row.tobytes() for row in draw.X[draw.fidelity == "high"]}
    low = {row.tobytes() for row in draw.X[draw.fidelity == "low"]}
    assert top <= low


@needs_data
def test_budget_sweep_caps_at_the_pool():
    draw = real_draw(real_problem("hoip", str(DATA)), 0, budget_factor=3.0)
    assert counts(draw)["low"] == 240


@needs_data
def test_what_the_data_are():
    concrete = real_problem("concrete", str(DATA)).pools["high"]
    for epsilon, expected in ((1.0, 0.71), (1e-6, 0.86)):
        cheap = concrete_formula(concrete.X, epsilon)
        assert np.corrcoef(cheap, concrete.y)[0, 1] == pytest.approx(expected, abs=0.01)
    cars = real_problem("drivaernet", str(DATA)).pools
    assert np.corrcoef(cars["low"].y, cars["high"].y)[0, 1] == pytest.approx(0.59, abs=0.01)
    hoip = real_problem("hoip", str(DATA))
    assert {name: len(pool.y) for name, pool in hoip.pools.items()} == {
        "low": 240, "mid": 179, "high": 480
    }  # fmt: skip
    assert hoip.options == {"metric": "hamming"}


@needs_data
def test_extra_noise_of_the_sweep():
    problem = real_problem("hoip", str(DATA))
    plain, noisy = (real_draw(problem, 0, lf_cost_ratio=c) for c in (1.0, 50.0))
    low = plain.fidelity == "low"
    added = np.std((noisy.y - plain.y)[low])
    assert added == pytest.approx(0.1 * np.log(50) * np.std(plain.y[low]), rel=0.2)
    np.testing.assert_array_equal(
        noisy.y[plain.fidelity == "high"], plain.y[plain.fidelity == "high"]
    )


def test_a_problem_of_the_users_own(tmp_path, rng):
    for name, n in (("fine", 60), ("coarse", 90)):
        X = rng.random((n, 2))
        table = np.column_stack([X, X.sum(axis=1) + (name == "coarse")])
        np.savetxt(tmp_path / f"{name}.csv", table, delimiter=",", header="a,b,y", comments="")
    files = [str(tmp_path / f"{name}.csv") for name in ("coarse", "fine")]
    problem = pooled_problem("mine", files, "y", {"coarse": 1, "fine": 10})
    draw = real_draw(problem, 0)
    assert counts(draw) == {"coarse": 50, "fine": 5}
    assert len(draw.y_only) == 10
    assert draw.costs == {"coarse": 0.1, "fine": 1.0}
    mixed = experiment("sweep-ratio").draw(problem, 0, "0.8", 20)
    assert counts(mixed) == {"coarse": 20, "fine": 8}


def test_a_pool_that_leaves_nothing_to_test_on_is_refused(rng):
    X = np.repeat(rng.random((1, 2)), 4, axis=0)  # four runs of one place
    budget = Budget({"low": 0.3, "high": 0.7}, {"low": 0.1, "high": 1.0}, {})
    pools = {"low": Pool(X, X[:, 0]), "high": Pool(X, X[:, 0])}
    tiny = RealProblem("tiny", pools, budget, np.array([[0.0, 1.0]] * 2))
    with pytest.raises(DataError, match="no expensive rows left to test on"):
        real_draw(tiny, 0)


@needs_data
def test_hoip_as_it_is_has_the_same_draws_with_categories():
    numbers, levels = (real_problem(name, str(DATA)) for name in ("hoip", "hoip-categories"))
    one, other = (real_draw(problem, 3) for problem in (numbers, levels))
    np.testing.assert_array_equal(one.X, other.X)
    np.testing.assert_array_equal(one.y_only, other.y_only)
    assert not one.categorical
    assert [len(values) for values in other.categorical.values()] == [10, 3, 16]
    assert other.options == {}


def test_a_users_column_of_text_is_categorical(tmp_path):
    for name, (X, y) in tables(n_low=40, n_high=40).items():
        X.assign(y=y).to_csv(tmp_path / f"{name}.csv", index=False)
    files = [str(tmp_path / f"{name}.csv") for name in ("low", "high")]
    with silenced(CategoriesWarning):
        problem = pooled_problem("mine", files, "y", {"low": 0.1, "high": 1.0})
    assert problem.categorical == {1: (0, 1, 2), 2: (0, 1)}
    unit = Unit("two-fidelity", "mine", "hf-only", 0)
    record = run_unit(unit, own={"mine": problem})
    assert (record["status"], record["rmse"] < 1.0) == ("ok", True)
