"""How commands read options that are repeated, and what their help looks like."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from mastgp.cli.commands import FIT_EXAMPLES, FIT_GROUPS
from wing import AUTO_FIT, COSTS, FIT, WING


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("--order", ("panel,cfd", "cfd,panel")),
        ("--method", ("mast", "ar1")),
        ("--output", ("a.mast", "b.mast")),
        ("--fidelity-column", ("a", "b")),
    ],
)
def test_an_option_of_one_value_is_given_once(mast, tmp_path, option, values):
    repeated = [word for value in values for word in (option, value)]
    code, _, err = mast(*AUTO_FIT, *COSTS, *repeated)
    assert code == 2
    assert f"{option} is given 2 times; give it once" in err
    assert list(tmp_path.iterdir()) == []


def test_an_option_without_its_value_does_not_take_the_next_option_for_it(mast):
    code, _, err = mast(*AUTO_FIT, "--log", *COSTS)
    assert code == 2
    assert "--log needs a value before --cost" in err


def test_other_commands_refuse_repetition_too(mast):
    code, _, err = mast("predict", "a.mast", "q.csv", "-o", "a.csv", "-o", "b.csv")
    assert code == 2
    assert "--output is given 2 times" in err


def test_flags_may_be_repeated(mast):
    assert mast(*FIT, *COSTS, "--no-check", "--no-check", "-o", "m.mast")[0] == 0


def test_the_help_of_fit_has_groups_and_examples(mast):
    out = mast("fit", "--help")[1]
    titles = [f"{group} options:" for group in FIT_GROUPS]
    places = [out.index(title) for title in (*titles, "Examples:")]
    assert places == sorted(places)
    assert all(example in out for example in FIT_EXAMPLES)
    data, model, expert = (out[start:end] for start, end in pairwise(places))
    assert "--target" in data
    assert "--method" in model
    assert "--radius" in expert


def test_the_first_example_of_the_help_runs(mast, tmp_path):
    for name, example in (("coarse", "panel"), ("fine", "cfd")):
        text = Path(WING[example]).read_text().replace("drag_counts", "drag")
        (tmp_path / f"{name}.csv").write_text(text)
    assert mast(*FIT_EXAMPLES[0].split()[1:])[0] == 0
    assert (tmp_path / "wing.mast").exists()


def test_the_other_example_of_the_help_runs(mast, tmp_path, rng):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "2026"
    book.active.append(["x", "LF", "HF"])
    for i, x in enumerate(rng.random(20)):
        book.active.append([x if i else None, x**2 + 0.1, x**2 if i % 3 == 0 else None])
    book.save(tmp_path / "runs.xlsx")
    words = FIT_EXAMPLES[1].split()[1:]
    words[words.index("auto")] = "mast"  # what takes time is tested elsewhere
    code, out, err = mast(*words)
    assert code == 0
    assert "surrogate of HF as high sees it" in out
    assert "1 of 20 rows of runs.xlsx:2026 has an empty cell" in err
