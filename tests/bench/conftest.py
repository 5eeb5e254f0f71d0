"""Small runs and made-up results, shared by the benchmark's tests."""

from __future__ import annotations

import pytest

from mastgp.bench.experiments import BASELINE, experiment
from mastgp.bench.report import Results, long_csv
from mastgp.bench.runner import run
from mastgp.bench.store import Store
from mastgp.bench.units import units_of

SMALL = {"methods": ["mast"], "problems": ["branin", "hartmann3"], "seeds": 2, "test_size": 50}


@pytest.fixture(scope="session")
def small_units():
    """Eight units of two problems; what differs is given by keyword."""

    def units(name="two-fidelity", **change):
        return units_of(experiment(name), **{**SMALL, **change})

    return units


@pytest.fixture(scope="session")
def untimed():
    """A function of a store: its final table without times."""

    def table(store: Store) -> str:
        lines = long_csv(Results.of(store.read())).splitlines()
        return "\n".join(line for line in lines if "_seconds" not in line)

    return table


@pytest.fixture(scope="session")
def uninterrupted(tmp_path_factory, small_units, untimed):
    """The final table of a run that nothing disturbed."""
    store = Store(tmp_path_factory.mktemp("whole"))
    run(small_units(), store)
    return untimed(store)


@pytest.fixture(scope="session")
def record():
    """A function that makes up a stored result; scores are 1 unless given."""

    def make(problem, method, seed, setting="", name="two-fidelity", **values):
        names = ("rmse", "mean_pdf", "r2", "nlpd", "coverage95", "width95")
        scores = dict.fromkeys(names, 1.0) | {"fit_seconds": 0.1, "predict_seconds": 0.1}
        return {
            "experiment": name, "problem": problem, "method": method, "seed": seed,
            "setting": setting, "test_size": 50, "status": "ok", **scores, **values,
        }  # fmt: skip

    return make


@pytest.fixture(scope="session")
def runs(record):
    """A function that makes up results of one problem: method -> one RMSE per seed."""

    def make(problem="branin", name="two-fidelity", seeds=None, **methods):
        records = []
        for method, values in methods.items():
            own = (seeds or {}).get(method, range(len(values)))
            for seed, value in zip(own, values, strict=True):
                label = method.replace("_", "-")
                records.append(record(problem, label, seed, name=name, rmse=value))
                records.append(record(problem, BASELINE, seed, name=name))
        return list({(r["method"], r["seed"]): r for r in records}.values())

    return make
