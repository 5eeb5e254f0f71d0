"""The benchmark's commands, as a user types them."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from rich.console import Console

from mastgp.bench.store import Store
from mastgp.cli import main as cli
from mastgp.cli import terminal


@pytest.fixture
def mast(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("MASTGP_DATA", raising=False)
    monkeypatch.setattr(terminal, "out", Console(width=200))
    monkeypatch.setattr(terminal, "err", Console(width=200, stderr=True, highlight=False))

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["mast", "bench", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return run


def test_run_and_report(mast, tmp_path):
    run = ["run", "two-fidelity", "--methods", "mast", "--problems", "branin", "--jobs", "1"]
    code, out, _ = mast(*run, "--seeds", "2", "--test-size", "30")
    assert code == 0
    assert "4 units computed, 4 in all" in out
    code, out, _ = mast(*run, "--seeds", "3", "--test-size", "30")
    assert "2 units computed, 6 in all" in out
    code, out, _ = mast("report", "--page", "results.md")
    assert code == 0
    assert (tmp_path / "bench-results" / "report.html").exists()
    assert "seeds 0 to 2" in (tmp_path / "results.md").read_text()


def test_real_problems_without_their_data_are_left_out_with_a_note(mast, tmp_path):
    code, out, err = mast("run", "collocated", "--methods", "mast", "--seeds", "1", "--jobs", "1")
    assert code == 0
    assert "Note: hoip is left out" in err
    assert "0 units computed" in out
    code, _, err = mast("run", "collocated", "--problems", "hoip", "--seeds", "1")
    assert code == 1
    assert "Put HOIP_noisy.csv at" in err


def test_pools_of_the_users_own(mast, tmp_path, rng):
    for name, n in (("fine", 60), ("coarse", 90)):
        X = rng.random((n, 2))
        table = np.column_stack([X, X.sum(axis=1) + (name == "coarse")])
        np.savetxt(tmp_path / f"{name}.csv", table, delimiter=",", header="a,b,y", comments="")
    code, out, _ = mast(
        "run", "two-fidelity", "--pool", "coarse.csv", "--pool", "fine.csv", "--target", "y",
        "--cost", "coarse=1,fine=10", "--methods", "mast", "--seeds", "2", "--jobs", "1",
    )  # fmt: skip
    assert code == 0
    assert "4 units computed" in out
    assert {record["problem"] for record in Store("bench-results").read()} == {"pool"}
    assert {record["status"] for record in Store("bench-results").read()} == {"ok"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "magic"], "unknown experiment 'magic'"),
        (["run", "two-fidelity", "--methods", "magic"], "unknown method 'magic'"),
        (["run", "two-fidelity", "--problems", "magic"], "unknown problem 'magic'"),
        (["run", "two-fidelity", "--pool", "a.csv"], "--pool needs --target"),
        (["report"], "there are no results in bench-results"),
        (["download", "concrete"], "UCI data set 165"),
        (["download", "mnist"], "unknown data set 'mnist'"),
    ],
)
def test_failures(mast, arguments, words):
    code, _, err = mast(*arguments)
    assert code == 1
    assert words in err


def test_list(mast):
    code, out, _ = mast("list")
    assert code == 0
    for name in ("sweep-discrepancy", "hf-only", "rosenbrock", "drivaernet"):
        assert name in out
