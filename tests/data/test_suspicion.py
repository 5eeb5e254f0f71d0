"""Suspicions: each is said once where something is wrong, and never of clean data."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp import (
    ConstantInputWarning,
    CountingInputWarning,
    Dataset,
    FewPointsWarning,
    OutlierWarning,
    RangeWarning,
    UnitWarning,
    examples,
)
from mastgp.bench.experiments import EXPERIMENTS, find_problem
from mastgp.bench.problems import EXTRA, PROBLEMS

SHARED = [folder / "shared" / "data" for folder in Path(__file__).parents]
SUSPICIONS = (
    CountingInputWarning,
    FewPointsWarning,
    OutlierWarning,
    RangeWarning,
    UnitWarning,
)


@pytest.fixture
def runs(rng):
    """Thirty cheap and ten expensive runs with nothing wrong."""
    frame = pd.DataFrame({"alpha": 12.0 * rng.random(40), "span": 1.0 + rng.random(40)})
    frame["drag"] = 5.0 + frame["alpha"] * frame["span"]
    frame["source"] = ["panel"] * 30 + ["cfd"] * 10
    return frame


def said(frame, **options):
    """What is said of a table of runs."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Dataset.from_frame(frame, "drag", "source", order=["panel", "cfd"], **options)
    return [(warning.category, str(warning.message)) for warning in caught]


def only(frame, category, **options):
    """The only thing that is said, which is of one kind."""
    ((kind, message),) = said(frame, **options)
    assert kind is category
    return message


def test_nothing_is_said_of_clean_runs(runs):
    assert said(runs) == []


def test_an_input_that_counts_rows(runs):
    message = only(runs.assign(run=range(1, 41)), CountingInputWarning)
    assert message.startswith("input 'run' counts the rows")
    assert "--ignore run" in message
    each = runs.assign(run=[*range(30), *range(10)])
    assert "'run'" in only(each, CountingInputWarning)
    gaps = runs.assign(run=range(1, 41)).drop(index=[3, 4, 20, 33])
    assert "'run'" in only(gaps, CountingInputWarning)
    assert said(runs.assign(run=np.arange(40) * 0.5)) == []
    assert said(runs.assign(run=np.arange(40) * 10)) == []


def test_the_only_input_may_count(rng):
    steps = pd.DataFrame({"step": range(10), "drag": rng.random(10), "source": "cfd"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Dataset.from_frame(steps, "drag", "source")


def test_degrees_and_radians(runs):
    runs.loc[30:, "alpha"] = np.radians(runs.loc[30:, "alpha"])
    message = only(runs, RangeWarning)
    assert "in fidelity 'cfd', a sliver of" in message
    assert "are the units the same, or degrees in one and radians in the other?" in message
    runs.loc[:29, "alpha"], runs.loc[30:, "alpha"] = (
        np.radians(runs.loc[:29, "alpha"]),
        np.degrees(runs.loc[30:, "alpha"]),
    )
    assert "in fidelity 'panel', a sliver of" in only(runs, RangeWarning)


def test_units_that_differ_by_a_power_of_ten(runs):
    millimetres = runs.copy()
    millimetres.loc[30:, "span"] *= 1000.0
    message = only(millimetres, UnitWarning)
    assert message.startswith("input 'span' is about 1e+3 times as large in fidelity 'cfd'")
    newtons = runs.copy()
    newtons.loc[:29, "drag"] *= 1000.0
    assert "the target is about 1e-3 times as large in fidelity 'cfd'" in only(newtons, UnitWarning)
    narrow = runs.copy()  # the expensive runs are in one corner, so that their spread is smaller
    middle = narrow.loc[30:, "drag"].median()
    narrow.loc[30:, "drag"] = 1000.0 * (middle + 0.3 * (narrow.loc[30:, "drag"] - middle))
    assert "the target is about 1e+3 times as large in fidelity 'cfd'" in only(narrow, UnitWarning)


@pytest.mark.parametrize("code", [9999.0, -9999.0, 999999.0, 1e30, -1e20, 1e10, 3.4e38])
def test_codes_for_failed_runs(runs, code):
    runs.loc[[33, 35], "drag"] = code
    message = only(runs, OutlierWarning)
    assert f"the target of fidelity 'cfd' is {code:g} in row 33 (2 such rows)" in message
    assert "--skip-missing" in message


def test_codes_in_inputs(runs):
    runs.loc[3, "alpha"] = -999.0
    assert "input 'alpha' is -999 in row 3, far from all" in only(runs, OutlierWarning)


def test_heavy_tails_are_no_outliers(runs, rng):
    runs["drag"] = 10.0 ** rng.uniform(-3, 6, 40)
    assert said(runs) == []
    runs["drag"] = [*[0.0] * 35, 1.0, 2.0, 5.0, 900.0, 990.0]
    assert [kind for kind, _ in said(runs) if kind is OutlierWarning] == []


def test_numbers_of_nines_are_ordinary_among_their_like(runs, rng):
    runs["drag"] = rng.uniform(500.0, 1500.0, 40)
    runs.loc[3, "drag"] = 999.0
    assert said(runs) == []


def test_fewer_expensive_points_than_inputs(rng):
    frame = pd.DataFrame(rng.random((25, 6)), columns=list("abcdef"))
    frame["drag"], frame["source"] = frame["a"], ["panel"] * 20 + ["cfd"] * 5
    message = only(frame, FewPointsWarning)
    assert message.startswith("fidelity 'cfd' has 5 points for 6 inputs")


def test_bounds_that_the_data_do_not_fill(runs):
    message = only(runs, RangeWarning, bounds={"span": (0.0, 1000.0)})
    assert "the data fill only 0.00099 of the bounds of 'span'" in message


def test_each_is_said_once_in_a_fit(runs):
    runs["run"] = range(40)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = mastgp.MAST(order=["panel", "cfd"])
        model.fit(runs[["alpha", "span", "run"]], runs["drag"], fidelity=runs["source"])
        mastgp.validate(model)
    assert [warning.category for warning in caught] == [CountingInputWarning]


def in_files(frame, folder):
    """What is said of a file for each source, as people keep them."""
    for source, rows in frame.groupby("source"):
        rows.drop(columns="source").to_csv(folder / f"{source}.csv", index=False)
    files = [folder / "panel.csv", folder / "cfd.csv"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Dataset.from_files(files, "drag", order=["panel", "cfd"])
    return [(warning.category, str(warning.message)) for warning in caught]


def changed(frame, source, column, factor):
    """The same runs, with a column of one source in another unit."""
    rows = frame["source"] == source
    return frame.assign(**{column: frame[column].where(~rows, factor * frame[column])})


TRIED = {
    "numbers of runs": (
        lambda f: f.assign(run=[*range(1, 31), *range(1, 11)]),
        CountingInputWarning,
        "input 'run' counts the rows",
    ),
    "radians": (
        lambda f: changed(f, "cfd", "alpha", np.pi / 180.0),
        RangeWarning,
        "degrees in one and radians in the other",
    ),
    "9999": (
        lambda f: f.assign(drag=f["drag"].where(f.index != 34, 9999.0)),
        OutlierWarning,
        "is 9999 in line 6 of",
    ),
    "1e30": (
        lambda f: f.assign(drag=f["drag"].where(f.index != 34, 1e30)),
        OutlierWarning,
        r"is 1e\+30 in line 6 of",
    ),
    "a constant input": (
        lambda f: f.assign(reynolds=5e6),
        ConstantInputWarning,
        "'reynolds' never varies",
    ),
    "few expensive points": (
        lambda f: f.drop(index=range(35, 40)).assign(
            **{f"x{i}": np.sin(f["alpha"] * i) + f["span"] for i in range(1, 5)}
        ),
        FewPointsWarning,
        "has 5 points for 6 inputs",
    ),
    "millimetres": (
        lambda f: changed(f, "cfd", "span", 1000.0),
        UnitWarning,
        r"1e\+3 times as large in fidelity 'cfd'",
    ),
    "newtons": (
        lambda f: changed(f, "panel", "drag", 1000.0),
        UnitWarning,
        "the target is about 1e-3 times as large",
    ),
}


@pytest.mark.parametrize("what", TRIED)
def test_each_is_said_once_of_files(runs, tmp_path, what):
    change, category, words = TRIED[what]
    ((kind, message),) = in_files(change(runs), tmp_path)
    assert kind is category
    assert re.search(words, message)


def test_nothing_is_said_of_clean_files(runs, tmp_path):
    assert in_files(runs, tmp_path) == []


def test_nothing_is_said_of_the_bundled_example():
    files = [examples.FOLDER / "panel.csv", examples.FOLDER / "cfd.csv"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Dataset.from_files(files, examples.TARGET, costs=examples.COSTS)


def test_codes_of_levels_are_no_measurements(rng):
    n = 8
    frame = pd.DataFrame({"x": rng.random(2 * n), "run": [f"r{i}" for i in range(n)] * 2})
    frame["source"] = ["low"] * n + ["high"] * n
    frame["y"] = rng.random(2 * n)
    options = {"order": ["low", "high"], "categorical": ["run"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Dataset.from_frame(frame, "y", "source", **options)


def suspicions(draw):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Dataset.from_arrays(draw.X, draw.y, draw.fidelity, costs=draw.costs, bounds=draw.bounds)
    return [str(w.message) for w in caught if issubclass(w.category, SUSPICIONS)]


@pytest.mark.parametrize("experiment", ["two-fidelity", "three-fidelity", "extra"])
def test_nothing_is_said_of_benchmark_problems(experiment):
    chosen = EXPERIMENTS[experiment]
    for name in chosen.problems:
        if name not in (*PROBLEMS, *EXTRA):
            continue
        problem = find_problem(name)
        for seed in range(5):
            assert suspicions(chosen.draw(problem, seed, "", 10)) == [], f"{name}, seed {seed}"


@pytest.mark.parametrize("name", ["concrete", "hoip", "drivaernet"])
def test_nothing_is_said_of_real_data(name):
    there = [folder for folder in SHARED if (folder / name).exists()]
    if not there:
        pytest.skip("the data are not on this machine")
    problem = find_problem(name, None, str(there[0]))
    for experiment in ("two-fidelity", "three-fidelity", "sweep-discrepancy"):
        chosen = EXPERIMENTS[experiment]
        setting = chosen.settings_of(name)[0]
        for seed in range(5):
            assert suspicions(chosen.draw(problem, seed, setting, 10)) == [], f"{name}, {seed}"
