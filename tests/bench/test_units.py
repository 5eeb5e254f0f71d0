from __future__ import annotations

from mastgp.bench.experiments import BASELINE
from mastgp.bench.units import Unit, latest, still_valid
from mastgp.bench.version import code_version


def test_units_are_what_the_experiment_says(small_units):
    units = small_units()
    assert len(units) == len(set(units)) == 2 * 2 * 2
    assert {unit.method for unit in units} == {BASELINE, "mast"}
    ablation = small_units("ablation-weight")
    assert len([u for u in ablation if u.method == BASELINE]) == 4  # one for all settings
    assert len([u for u in ablation if u.method == "mast"]) == 4 * 9


def test_seeds_are_counted_or_given(small_units):
    assert {unit.seed for unit in small_units(seeds=3)} == {0, 1, 2}
    assert {unit.seed for unit in small_units(seeds=range(25, 27))} == {25, 26}


def test_problems_may_come_from_a_generator(small_units):
    assert small_units(problems=(p for p in ["branin", "hartmann3"])) == small_units()


def test_a_record_names_its_unit_and_the_code():
    unit = Unit("two-fidelity", "branin", "mast", 3)
    record = unit.record(status="ok", rmse=1.0)
    assert Unit.of(record) == unit
    assert record["version"] == code_version("mast")
    assert record["rmse"] == 1.0


def test_the_last_result_of_a_unit_counts(record):
    failed = {**record("branin", "mast", 0), "status": "failed"}
    for order in ([failed, record("branin", "mast", 0)], [record("branin", "mast", 0), failed]):
        (last,) = latest(order).values()
        assert last["status"] == "ok"
    (last,) = latest([record("branin", "mast", 0), record("branin", "mast", 0, rmse=2.0)]).values()
    assert last["rmse"] == 2.0


def test_results_of_other_code_are_not_valid_any_more(record):
    code = code_version("mast").partition("+")[2]
    same = record("branin", "mast", 0, version=f"0.0.1+{code}")
    old = [record("branin", "mast", 1, version="0.0.1+abc"), record("branin", "mast", 2)]
    assert list(still_valid([same, *old]).values()) == [same]
