"""Running, stopping, continuing: whatever happens, the tables are the same."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from mastgp import DataError, FileError, MissingExtraError
from mastgp.bench import experiments, runner
from mastgp.bench.experiments import BASELINE, EXPERIMENTS, Unit, experiment, units_of
from mastgp.bench.problems import problem
from mastgp.bench.report import long_csv, write_page, write_report
from mastgp.bench.results import Key, cells, paper_value, rank_correlation, robustness
from mastgp.bench.runner import run, run_unit
from mastgp.bench.store import Store
from mastgp.methods import METHODS, Method, method

SMALL = {"methods": ["mast"], "problems": ["branin", "hartmann3"], "seeds": 2, "test_size": 50}


def small_units(name="two-fidelity", **change):
    return units_of(experiment(name), **{**SMALL, **change})


def untimed(store: Store) -> str:
    """The final table without its timings."""
    table = {k: c for k, c in cells(store.read()).items() if not k.metric.endswith("_seconds")}
    return long_csv(table)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("whole"))
    run(small_units(), store)
    return untimed(store)


def test_units_are_what_the_experiment_says():
    units = small_units()
    assert len(units) == len(set(units)) == 2 * 2 * 2
    assert {unit.method for unit in units} == {BASELINE, "mast"}
    ablation = small_units("ablation-weight")
    assert len([u for u in ablation if u.method == BASELINE]) == 4  # one for all settings
    assert len([u for u in ablation if u.method == "mast"]) == 4 * 9


def test_a_second_start_computes_nothing_twice(tmp_path, uninterrupted):
    store = Store(tmp_path)
    half = small_units()[:3]
    assert run(half, store) == 3
    assert run(small_units(), store) == 5
    assert run(small_units(), store) == 0
    assert len(store.read()) == 8
    assert untimed(store) == uninterrupted


def test_two_processes_give_the_same_numbers(tmp_path, uninterrupted):
    store = Store(tmp_path)
    units = small_units()
    random.Random(1).shuffle(units)
    run(units, store, jobs=2)
    assert untimed(store) == uninterrupted


def test_killed_ten_times(tmp_path, uninterrupted):
    command = [
        sys.executable, "-m", "mastgp", "bench", "run", "two-fidelity", "--methods", "mast",
        "--problems", "branin,hartmann3", "--seeds", "2", "--test-size", "50", "--jobs", "1",
        "--out", str(tmp_path),
    ]  # fmt: skip
    chance = random.Random(0)
    for _ in range(10):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
        time.sleep(chance.uniform(1.2, 3.0))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    records = Store(tmp_path).read()
    assert len(records) == 8  # nothing lost, nothing double
    assert untimed(Store(tmp_path)) == uninterrupted


@pytest.mark.filterwarnings("ignore")
def test_dask_cluster_that_loses_a_worker(tmp_path, uninterrupted):
    """A real cluster of separate processes; one worker is killed in the middle of the run."""
    pytest.importorskip("distributed")
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        store = Store(tmp_path)
        victim = cluster.workers[0].pid if hasattr(cluster.workers[0], "pid") else None
        killed = []

        def kill_once(what, done, total):
            if done == 2 and not killed and victim:
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

        from mastgp.progress import listening

        with listening(kill_once):
            run(small_units(), store, scheduler=cluster.scheduler_address)
    assert killed
    assert len(store.read()) == 8
    assert untimed(store) == uninterrupted


def test_no_scheduler_there(tmp_path):
    pytest.importorskip("distributed")
    with pytest.raises(DataError, match="no Dask scheduler answers"):
        run(small_units(), Store(tmp_path), scheduler="nonsense://nowhere")


def add_method(monkeypatch, build):
    monkeypatch.setitem(METHODS, "odd", Method("odd", "for a test", build))


def test_a_unit_that_fails_is_recorded_and_the_rest_goes_on(tmp_path, monkeypatch):
    def broken(**_):
        raise RuntimeError("no luck")

    add_method(monkeypatch, broken)
    store = Store(tmp_path)
    run(small_units(methods=["odd", "mast"]), store)
    failed = [r for r in store.read() if r["status"] == "failed"]
    assert len(failed) == 4
    assert failed[0]["error"] == "RuntimeError: no luck"
    assert len([r for r in store.read() if r["status"] == "ok"]) == 8
    assert run(small_units(methods=["odd"]), store) == 0
    assert run(small_units(methods=["odd"]), store, retry_failed=True) == 4


def test_a_unit_that_takes_too_long_is_stopped(monkeypatch):
    def endless(**_):
        while True:
            time.sleep(0.01)

    add_method(monkeypatch, endless)
    started = time.monotonic()
    record = run_unit(Unit("two-fidelity", "branin", "odd", 0, "", 50), time_limit=0.3)
    assert record["status"] == "timeout"
    assert "0.3 s" in record["error"]
    assert time.monotonic() - started < 10


class Deadly:
    """A problem that kills the process that asks for its values."""

    name, n_inputs, bounds = "deadly", 2, np.array([[0.0, 1.0]] * 2)

    def observe(self, *_):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_unit_that_kills_its_process_does_not_stop_the_others(tmp_path):
    store = Store(tmp_path)
    units = [
        Unit("two-fidelity", "deadly", "mast", 0, "", 50),
        *small_units(problems=["branin"], seeds=1),
    ]
    run(units, store, jobs=2, own={"deadly": Deadly()})
    by_problem = {r["problem"]: r for r in store.read()}
    assert by_problem["deadly"]["error"] == "its process died, twice"
    assert by_problem["branin"]["status"] == "ok"
    assert len(store.read()) == 3


def test_unknown_names():
    with pytest.raises(DataError, match="unknown experiment 'magic'"):
        experiment("magic")
    with pytest.raises(DataError, match="unknown method 'magic'"):
        method("magic")
    with pytest.raises(DataError, match="unknown problem 'magic'"):
        experiments.find_problem("magic")


def test_a_method_that_is_not_installed(monkeypatch):
    missing = Method("odd", "", None, needs=("no_such_module",), extra="odd")
    monkeypatch.setitem(METHODS, "odd", missing)
    with pytest.raises(MissingExtraError, match=r"pip install 'mastgp\[odd\]'"):
        method("odd")


@pytest.mark.parametrize("name", sorted(set(EXPERIMENTS) - {"collocated"}))
def test_every_experiment_draws_its_data(name):
    chosen = experiment(name)
    for setting in chosen.settings:
        trial = chosen.draw(problem("branin"), 0, setting, 20)
        assert len(trial.y) == len(trial.X) == len(trial.fidelity) > 0
        assert set(trial.costs) == set(trial.fidelity)


def test_ends_of_the_allocation_sweep():
    draw = experiment("sweep-ratio").draw
    assert set(draw(problem("branin"), 0, "0.0", 20).fidelity) == {"low"}
    assert set(draw(problem("branin"), 0, "1.0", 20).fidelity) == {"high"}


def test_discrepancy_sweep_scales_the_cheap_points():
    trial = experiment("sweep-discrepancy").draw(problem("branin"), 0, "1.5", 20)
    assert int((trial.fidelity == "high").sum()) == 7
    assert int((trial.fidelity == "low").sum()) == 105
    assert len(trial.y_only) == 18  # 7 + 10.5, rounded up


def record(problem_name, method_name, seed, setting="", name="two-fidelity", **values):
    metrics = dict.fromkeys(("rmse", "mean_pdf", "r2", "nlpd", "coverage95", "width95"), 1.0) | {
        "fit_seconds": 0.1,
        "predict_seconds": 0.1,
    }
    return {
        "experiment": name, "problem": problem_name, "method": method_name, "seed": seed,
        "setting": setting, "test_size": 50, "status": "ok", **metrics, **values,
    }  # fmt: skip


def test_ratios_are_paired_per_seed_then_averaged():
    records = [
        record("branin", BASELINE, 0, rmse=1.0), record("branin", BASELINE, 1, rmse=4.0),
        record("branin", "mast", 0, rmse=2.0), record("branin", "mast", 1, rmse=2.0),
    ]  # fmt: skip
    cell = cells(records)[Key("two-fidelity", "branin", "mast", "", "rmse")]
    assert cell.mean == pytest.approx((2.0 + 0.5) / 2)
    assert cell.std == pytest.approx(np.std([2.0, 0.5], ddof=1))
    assert cell.paper == 1.19
    assert not cell.differs


def test_values_of_the_paper():
    def value(*key):
        return paper_value(Key(*key))

    assert value("two-fidelity", "branin", "mast", "", "rmse") == (1.19, 0.4)
    assert value("three-fidelity", "hoip", "mast", "", "mean_pdf")[0] == 1.12
    assert value("ablation-weight", "borehole", "mast", "W9", "rmse")[0] == 1.662
    assert value("collocated", "drivaernet", "mast", "", "rmse")[0] == 1.01
    assert value("sweep-ratio", "branin", "mast", "0.5", "rmse") == (None, None)


def test_difference_is_marked_beyond_two_standard_errors():
    def cell(value):
        records = []
        for seed in range(25):
            records.append(record("hartmann3", BASELINE, seed))
            records.append(record("hartmann3", "mast", seed, rmse=value))
        return cells(records)[Key("two-fidelity", "hartmann3", "mast", "", "rmse")]

    assert not cell(0.69 + 0.07).differs  # the paper's standard error is 0.19 / 5
    assert cell(0.69 + 0.08).differs


def test_consistency_and_worst_case():
    records = []
    for setting, value in (("0.0", 9.0), ("0.1", 5.0), ("0.5", 0.5), ("0.9", 1.5), ("1.0", 1.0)):
        records.append(record("branin", "mast", 0, setting, "sweep-ratio", rmse=value))
    records.append(record("branin", BASELINE, 0, "", "sweep-ratio"))
    summary = robustness(cells(records), "sweep-ratio", "mast")
    assert summary.consistency["rmse"] == pytest.approx(1 / 3)
    assert summary.worst == 1.5


def test_rank_correlation_with_the_papers_ablation():
    records = [record("branin", BASELINE, 0, "", "ablation-radius")]
    for i, setting in enumerate(("R2", "R1", "R3", "R5")):  # the paper's ranking on Branin
        records.append(record("branin", "mast", 0, setting, "ablation-radius", rmse=1.0 + i))
    correlation, n = rank_correlation(cells(records))
    assert n == 4
    assert correlation == pytest.approx(1.0)


def test_report_in_all_formats(tmp_path):
    records = [
        record("branin", BASELINE, 0), record("branin", "mast", 0, rmse=0.5),
        record("branin", "hf-only", 0, rmse=0.7),
        {**record("park1", "mast", 0), "status": "failed", "error": "no <luck>"},
        record("branin", BASELINE, 0, "0.5", "sweep-budget"),
        record("branin", "mast", 0, "0.5", "sweep-budget", rmse=0.9),
        record("branin", BASELINE, 0, "1", "sweep-discrepancy"),
        record("branin", "mast", 0, "1", "sweep-discrepancy", rmse=0.9),
        record("branin", BASELINE, 0, "", "ablation-weight"),
        record("branin", "mast", 0, "W1", "ablation-weight"),
    ]  # fmt: skip
    names = {path.name for path in write_report(records, tmp_path)}
    assert names == {
        "report.md", "report.tex", "report.csv", "report.html", "sweep-budget.svg",
        "sweep-discrepancy.svg",
    }  # fmt: skip
    text = (tmp_path / "report.md").read_text()
    assert "| branin | **0.50 ± 0.00 [1.19≠]** | 0.70 ± 0.00 |" in text
    assert "Wins: mast 1, hf-only 0" in text
    assert "1 units failed" in text
    latex = (tmp_path / "report.tex").read_text()
    assert r"branin & \textbf{0.50 $\pm$ 0.00 [1.19$\neq$]}" in latex
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}")
    page = (tmp_path / "report.html").read_text()
    assert "data:image/svg+xml;base64," in page
    assert "no &lt;luck&gt;" in page
    assert "http" not in page.replace("http-equiv", "")
    lines = (tmp_path / "report.csv").read_text().splitlines()
    assert lines[0].startswith("experiment,problem,method,setting,metric,mean,std,seeds,paper")


def test_the_same_results_give_the_same_figures(tmp_path):
    records = [
        record("branin", BASELINE, 0, "1", "sweep-budget"),
        record("branin", "mast", 0, "1", "sweep-budget", rmse=0.9),
    ]
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write_report(records, tmp_path / folder)
    first, second = ((tmp_path / f / "sweep-budget.svg").read_bytes() for f in ("a", "b"))
    assert first == second


def test_page_of_documentation(tmp_path):
    records = [
        record("branin", BASELINE, 0), record("branin", "mast", 0, rmse=1.5),
        record("branin", BASELINE, 0, "1", "sweep-budget"),
        record("branin", "mast", 0, "1", "sweep-budget", rmse=0.9),
    ]  # fmt: skip
    write_page(records, tmp_path / "results.md", "What was tried.")
    text = (tmp_path / "results.md").read_text()
    assert "What was tried." in text
    assert "0 of 1 rows within 0.15 (absolute) of the paper's; beyond: branin +0.31." in text
    assert "(images/sweep-budget.png)" in text
    assert (tmp_path / "images" / "sweep-budget.png").exists()


def test_report_needs_a_place(tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        write_report([record("branin", BASELINE, 0)], tmp_path / "nowhere")


def test_progress_is_reported(tmp_path):
    from mastgp.progress import listening

    seen = []
    with listening(lambda what, done, total: seen.append((done, total))):
        run(small_units(problems=["branin"], seeds=1), Store(tmp_path))
    assert seen == [(1, 2), (2, 2)]


def test_module_is_importable_without_dask(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    with pytest.raises(MissingExtraError, match=r"mastgp\[dask\]"):
        run(small_units(), Store(tmp_path), scheduler="tcp://127.0.0.1:1")
    assert runner.run is run
