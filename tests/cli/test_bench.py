"""The benchmark's commands, as a user types them."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from rich.console import Console

from mastgp.bench.store import Store
from mastgp.bench.units import Unit
from mastgp.bench.version import code_version
from mastgp.cli import main as cli
from mastgp.cli import terminal


@pytest.fixture
def mast(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("MASTGP_DATA", raising=False)
    monkeypatch.setattr(terminal, "out", lambda: Console(width=200))
    monkeypatch.setattr(terminal, "err", lambda: Console(width=200, stderr=True, highlight=False))

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
    assert "4 units computed, 4 in all (1 method and the HF-only yardstick)" in out
    code, out, _ = mast(*run, "--seeds", "3", "--test-size", "30")
    assert "2 units computed, 6 in all" in out
    code, out, _ = mast(*run, "--seeds", "2-4", "--test-size", "30")
    assert "4 units computed, 6 in all" in out
    assert {r["seed"] for r in Store("bench-results").read()} == {0, 1, 2, 3, 4}
    code, out, _ = mast("report", "--page", "results.md")
    assert code == 0
    assert (tmp_path / "bench-results" / "report.html").exists()
    text = (tmp_path / "results.md").read_text()
    versions = ", ".join(f"{name} {code_version(name)}" for name in ("baseline", "mast"))
    assert f"Versions of the code: {versions}. Seeds 0 to 4." in text


def test_record_and_continue(mast, tmp_path):
    run = ["run", "two-fidelity", "--methods", "mast", "--problems", "branin", "--jobs", "1"]
    run += ["--test-size", "30", "--seeds"]
    mast(*run, "1", "--out", "first")
    mast(*run, "1-1", "--out", "second")
    code, out, _ = mast("record", "first", "second", "-o", "runs.csv.gz")
    assert (code, out) == (0, "4 units are in runs.csv.gz.\n")
    code, out, _ = mast(*run, "3", "--out", "third", "--continue", "runs.csv.gz")
    assert "2 units computed, 6 in all" in out
    mast("record", "runs.csv.gz", "third", "-o", "all.csv.gz")
    mast("record", "third", "-o", "third.csv.gz")
    assert (tmp_path / "all.csv.gz").read_bytes() == (tmp_path / "third.csv.gz").read_bytes()
    code, _, err = mast("record", "nowhere")
    assert code == 1
    assert "there are no results in nowhere" in err


def write_store(folder, **values):
    scores = dict.fromkeys(("rmse", "mean_pdf", "r2", "nlpd"), 1.0) | values
    with Store(folder).appending() as store:
        for method in ("baseline", "mast"):
            store.append(Unit("two-fidelity", "branin", method, 0).record(status="ok", **scores))


def test_report_of_a_recorded_one(mast, tmp_path):
    write_store("first")
    assert mast("report", "--out", "first")[0] == 0
    code, out, _ = mast("report", "--recorded", "first/report.csv", "--page", "page.md")
    assert (code, out.split()) == (0, ["page.md"])
    assert "| branin | 1.00 [1.19] |" in (tmp_path / "page.md").read_text()
    code, out, _ = mast("report", "--recorded", "first/report.csv", "--out", "again")
    assert code == 0
    again = (tmp_path / "again" / "report.csv").read_text()
    assert again == (tmp_path / "first" / "report.csv").read_text()


def test_report_on_several_pages_from_two_records(mast, tmp_path):
    write_store("first")
    assert mast("report", "--out", "first")[0] == 0
    assert mast("record", "first", "-o", "runs.csv.gz")[0] == 0
    recorded = ["--recorded", "runs.csv.gz", "--recorded", "first/report.csv"]
    code, out, _ = mast("report", *recorded, "--page", "page.md", "--split")
    assert code == 0
    assert out.split()[:2] == ["page.md", "page/two-fidelity.md"]
    assert "| branin | 1.00 [1.19] |" in (tmp_path / "page" / "two-fidelity.md").read_text()


def test_report_notes_mixed_versions(mast):
    write_store("bench-results")
    with Store("bench-results").appending() as store:
        store.append({**Store("bench-results").read()[-1], "seed": 1, "version": "old"})
    code, _, err = mast("report")
    assert code == 0
    assert "different versions of the code computed the results of 'mast'" in err


def test_compare(mast):
    write_store("before", rmse=1.0)
    write_store("same", rmse=1.0)
    write_store("other", rmse=1.5)
    code, out, _ = mast("compare", "before", "same")
    assert (code, out.splitlines()[-1]) == (
        0,
        "2 units in both, 0 differ (largest relative difference 0.0e+00), 0 in one folder only",
    )
    code, out, _ = mast("compare", "before", "other")
    assert code == 1
    assert "two-fidelity branin mast, seed 0: rmse 1.0 -> 1.5 (relative 3.3e-01)" in out


def test_compare_stores_of_other_units(mast):
    write_store("before")
    write_store("after")
    with Store("after").appending() as store:
        store.append(Unit("two-fidelity", "park1", "mast", 0).record(status="ok", rmse=1.0))
    code, out, _ = mast("compare", "before", "after")
    assert code == 1
    assert "not in before: Unit(experiment='two-fidelity', problem='park1'" in out
    assert "0 differ" in out
    assert "1 in one folder only" in out


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
        (["run", "two-fidelities"], "unknown experiment 'two-fidelities': did you mean 'two-fid"),
        (["run", "two-fidelity", "--methods", "magic"], "unknown method 'magic'"),
        (["run", "two-fidelity", "--problems", "magic"], "unknown problem 'magic'"),
        (["run", "two-fidelity", "--pool", "a.csv"], "--pool needs --target"),
        (["run", "two-fidelity", "--seeds", "many"], "as 25, or a range, as 25-49"),
        (["run", "two-fidelity", "--seeds", "1:5"], "as 25, or a range, as 25-49"),
        (["run", "two-fidelity", "--seeds=-3"], "as 25, or a range, as 25-49"),
        (["run", "two-fidelity", "--seeds", "0"], "give 1 or more"),
        (["run", "two-fidelity", "--seeds", "9-3"], "first seed is greater than its last"),
        (["report"], "there are no results in bench-results"),
        (["report", "--recorded", "none.csv"], "there is no file none.csv"),
        (["compare", "a", "b"], "there are no results in a"),
        (["download", "concrete"], "UCI data set 165"),
        (["download", "mnist"], "unknown data set 'mnist'"),
    ],
)
def test_failures(mast, tmp_path, arguments, words):
    code, _, err = mast(*arguments)
    assert code == 1
    assert words in err
    assert not list(tmp_path.iterdir())  # no folder is left behind


def test_list(mast):
    code, out, _ = mast("list")
    assert code == 0
    for name in ("sweep-discrepancy", "hf-only", "rosenbrock", "drivaernet"):
        assert name in out


def test_what_a_page_is_made_of_is_never_overwritten(mast, tmp_path):
    write_store(tmp_path / "out")
    assert mast("report", "--out", "out")[0] == 0
    (tmp_path / "text.md").write_text("mine")
    before = (tmp_path / "out" / "report.csv").read_bytes()
    for options in (
        ["--page", "text.md", "--comment", "./text.md"],
        ["--recorded", "out/report.csv"],
        ["--recorded", "out/report.csv", "--page", "out/../out/report.csv"],
        ["--page", "out/results.jsonl"],
        ["--page", "text.txt", "--split", "--comment", "text.md"],
    ):
        code, _, err = mast("report", "--out", "out", *options)
        assert code == 1
        assert "is one of the files to read" in err
    assert (tmp_path / "text.md").read_text() == "mine"
    assert (tmp_path / "out" / "report.csv").read_bytes() == before


def test_a_record_is_never_written_over_what_it_is_made_of(mast, tmp_path):
    write_store(tmp_path / "out")
    assert mast("record", "out", "-o", "a.csv.gz")[0] == 0
    (tmp_path / "hard.csv.gz").hardlink_to(tmp_path / "a.csv.gz")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()}
    for stores, output in ((["out"], "out/results.jsonl"), (["out", "a.csv.gz"], "hard.csv.gz")):
        code, _, err = mast("record", *stores, "-o", output)
        assert code == 1
        assert "is one of the files to read" in err
    assert before == {path: path.read_bytes() for path in before}


def test_a_comment_that_is_no_text_is_named(mast, tmp_path):
    write_store(tmp_path / "out")
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe")
    for comment, words in (("/dev/zero", "a device"), ("bytes.md", "not a text file in UTF-8")):
        code, _, err = mast("report", "--out", "out", "--page", "p.md", "--comment", comment)
        assert code == 1
        assert words in err


def test_a_pool_is_never_a_store(mast, tmp_path):
    (tmp_path / "out").mkdir()
    rows = "".join(f"{i / 40},{i}\n" for i in range(40))
    for path in (tmp_path / "out" / "results.jsonl", tmp_path / "lo.csv"):
        path.write_text("x,y\n" + rows)
    pool = ["--pool", "lo=lo.csv", "--pool", "hi=out/results.jsonl", "--target", "y"]
    options = [*pool, "--cost", "lo=1,hi=10", "--methods", "mast", "--out", "out"]
    code, _, err = mast("run", "two-fidelity", *options)
    assert code == 1
    assert "is one of the files to read" in err
    assert (tmp_path / "out" / "results.jsonl").read_text() == "x,y\n" + rows


def test_searches_are_run_packed_and_reported(mast, tmp_path):
    run = ["run", "next-optimum", "--methods", "lhs,random", "--problems", "branin-bad"]
    code, out, _ = mast(*run, "--seeds", "100-101", "--jobs", "1")
    assert code == 0
    assert "4 units computed, 4 in all (2 methods)" in out
    code, out, _ = mast("record", "bench-results", "-o", "runs.csv.gz")
    assert "4 units are in runs.csv.gz." in out
    code, _, _ = mast("report", "--recorded", "runs.csv.gz", "--page", "searches.md")
    assert code == 0
    text = (tmp_path / "searches.md").read_text()
    assert "next-optimum: regret of the recommended point at the end" in text
    assert "Agreement with the paper" not in text
    assert (tmp_path / "images" / "next-optimum.png").exists()
    code, out, _ = mast("list")
    assert "next-accuracy" in out
    assert "chem-mfei" in out
    code, _, err = mast("run", "next-accuracy", "--methods", "hf-logei")
    assert code != 0
    assert "does not search for accuracy" in err
