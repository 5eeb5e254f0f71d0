"""A small fixed part of ``make fuzz``: every case is a right answer or an error of ours."""

from __future__ import annotations

import importlib
import signal
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import mastgp

FOLDER = Path(__file__).parents[2] / "perf" / "fuzz"


@pytest.fixture(scope="module")
def fuzzers():
    """The modules of the fuzzers by name, as their own runner finds them."""
    names = ("cases", "run", "api", "tables", "model_files", "study_files", "command_line", "kills")
    sys.path.insert(0, str(FOLDER))
    yield {name: importlib.import_module(name) for name in names}
    sys.path.remove(str(FOLDER))
    for name in names:
        del sys.modules[name]


def outcomes(fuzzers, name, context, n):
    generator, fuzzer = fuzzers["cases"].generator, fuzzers[name]
    return Counter(fuzzer.case(generator(name, 0, index), context) for index in range(n))


@pytest.mark.parametrize(
    ("name", "n"), [("api", 40), ("tables", 150), ("model_files", 80), ("study_files", 60)]
)
def test_a_right_answer_or_an_error_of_ours(fuzzers, tmp_path, name, n):
    context = fuzzers[name].prepare(tmp_path)
    counts = outcomes(fuzzers, name, context, n)
    assert counts.total() == n
    assert any("refused" not in outcome for outcome in counts)
    assert any("refused" in outcome for outcome in counts)


def test_commands_refuse_or_do_what_they_say(fuzzers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # and back, whatever the fuzzer does
    context = fuzzers["command_line"].prepare(tmp_path)
    counts = outcomes(fuzzers, "command_line", context, 25)
    assert {"done", "refused, exit code 1"} <= set(counts)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_a_save_that_is_killed_leaves_a_whole_model(fuzzers, tmp_path, rng, monkeypatch, name):
    monkeypatch.setattr(fuzzers["kills"], "LAST", 300.0)  # the machine may be busy
    model = tmp_path / "model.mast"
    X = rng.random((12, 2))
    mastgp.fit({"all": (X, X[:, 0])}, method="hf-only").save(model)
    context = {"folder": tmp_path, "model": model}
    fuzzers["kills"]._save(rng, context, getattr(signal, name))


def test_programs_that_end_before_they_are_killed_do_not_count(fuzzers, rng, monkeypatch):
    kills, tried = fuzzers["kills"], []

    def late_twice(rng, context, number):
        tried.append(number)
        return len(tried) > 2

    monkeypatch.setitem(kills.KINDS, "fit", late_twice)
    assert kills.kill("fit", signal.SIGHUP, rng, {}) == "fit killed by SIGHUP"
    assert len(tried) == 3
    monkeypatch.setitem(kills.KINDS, "fit", lambda *_: False)
    counts = kills.kill_many("fit", 2, 0, {})
    assert dict(counts) == {"DEFECT fit ended 20 times before it was killed": 2}


def test_a_defect_is_noticed(fuzzers, tmp_path, monkeypatch):
    """Each check of a case can fail."""
    defect = fuzzers["cases"].Defect

    class Broken:
        def __init__(self, **wrong):
            self.wrong = wrong

        def predict(self, Q, return_std):
            return np.zeros(len(Q)), self.wrong.get("std", np.ones(len(Q)))

        def predict_interval(self, Q):
            return -np.ones(len(Q)), self.wrong.get("high", np.ones(len(Q)))

    check = fuzzers["cases"].check_predictions
    check(Broken(), np.zeros((2, 1)), 2)
    for wrong in ({"std": np.array([1.0, np.nan])}, {"std": np.ones(3)}, {"high": -np.ones(2)}):
        with pytest.raises(defect):
            check(Broken(**wrong), np.zeros((2, 1)), 2)
    with pytest.raises(defect, match=r"became 2\.0"):
        fuzzers["tables"]._check_number(2.0, "3", decimal_comma=False)
    lost = fuzzers["kills"]
    (tmp_path / "stray").write_text("")
    with pytest.raises(defect, match="left behind"):
        lost._check_remains(tmp_path, [])


def test_counts_are_printed_by_outcome(fuzzers, capsys):
    counts = Counter({"api: right": 3, "api: DEFECT": 1})
    assert fuzzers["run"].report(counts, seed=7, seconds=2.0) == 1
    out = capsys.readouterr().out
    assert "4 cases in 2 s, seed 7" in out
    assert "     3  api: right" in out
    assert "1 defects" in out


def test_a_case_is_decided_by_its_number(fuzzers):
    generator = fuzzers["cases"].generator
    first, again, other = (generator("api", 1, i).random() for i in (5, 5, 6))
    assert first == again != other
