from __future__ import annotations

import json

import pytest

from mastgp import FileError
from mastgp.bench.runner import run
from mastgp.bench.store import MOST_BYTES, Store, what_is_wrong
from mastgp.bench.units import Unit


def result(i, **changes):
    """A unit's result, told apart by its seed."""
    unit = Unit("two-fidelity", "branin", "mast", i)
    return {**unit.record(status="ok", rmse=1.0, fit_seconds=2), **changes}


def line(i, **changes):
    return json.dumps(result(i, **changes)).encode() + b"\n"


def seeds(store):
    return [record["seed"] for record in store.read()]


def test_results_come_back_in_order(tmp_path):
    store = Store(tmp_path / "new" / "folder")
    assert store.read() == []
    with store.appending() as appender:
        for i in range(3):
            appender.append(result(i))
    with store.appending() as appender:
        appender.append(result(3))
    assert seeds(Store(store.folder)) == [0, 1, 2, 3]


@pytest.mark.parametrize("torn", [line(1)[:20], line(1)[:-1], b"\xff\xfe"])
def test_a_torn_last_line_is_never_read_and_cut_off(tmp_path, torn):
    store = Store(tmp_path)
    store.path.write_bytes(line(0) + torn)
    assert seeds(store) == [0]
    with store.appending() as appender:
        assert store.path.read_bytes() == line(0)
        appender.append(result(2))
    assert seeds(store) == [0, 2]


def test_the_unit_of_a_cut_line_is_computed_again(tmp_path, small_units):
    """A last line without its end was taken for done, and then removed."""
    store, units = Store(tmp_path), small_units(problems=["branin"], seeds=1)
    assert run(units, store) == 2
    store.path.write_bytes(store.path.read_bytes()[:-1])
    assert run(units, store) == 1
    assert len(store.read()) == 2


def test_a_damaged_line_in_the_middle_is_named(tmp_path):
    store = Store(tmp_path)
    for damaged in (b"nonsense\n", b"[" * 100_000 + b"\n"):
        store.path.write_bytes(line(0) + damaged + line(2))
        with pytest.raises(FileError, match="line 2 is damaged; remove that line"):
            store.read()


@pytest.mark.parametrize(
    ("foreign", "reason"),
    [
        ([1, 2], "it is a list, not an object"),
        ({}, "'experiment' must be a text"),
        (result(0, seed="0"), "'seed' must be a whole number"),
        (result(0, seed=True), "'seed' must be a whole number"),
        (result(0, method=None), "'method' must be a text"),
        (result(0, status="fine"), "its status is 'fine'"),
        (result(0, status="failed"), "it has no text of its error"),
        (result(0, rmse="small"), "'rmse' is 'small', not a number"),
        (result(0, rmse=10**400), "'rmse' is 1000.*, not a number"),
        (result(0, nlpd=[1]), r"'nlpd' is \[1\], not a number"),
        ({k: v for k, v in result(0).items() if k != "rmse"}, "it has no 'rmse' and no 'regret'"),
    ],
)
def test_a_foreign_line_is_named(tmp_path, foreign, reason):
    store = Store(tmp_path)
    store.path.write_bytes(line(0) + json.dumps(foreign).encode() + b"\n")
    with pytest.raises(FileError, match=f"line 2 is not a result of mast bench: {reason}; remove"):
        store.read()


def test_what_was_computed_is_a_result():
    for record in (result(0), result(0, rmse=float("nan"))):
        assert what_is_wrong(record) is None
    unit = Unit("two-fidelity", "branin", "mast", 0)
    assert what_is_wrong(unit.record(status="timeout", error="took more than 1 s")) is None


def test_two_runs_at_once_are_refused(tmp_path):
    store = Store(tmp_path)
    second = Store(tmp_path).appending()
    with store.appending(), pytest.raises(FileError, match="another run"):
        second.__enter__()


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot use"):
        Store(tmp_path / "file")


def test_results_that_are_a_folder_are_named(tmp_path):
    store = Store(tmp_path)
    store.path.mkdir()
    for use in (store.read, store.appending().__enter__):
        with pytest.raises(FileError, match=r"results\.jsonl(: Is a directory| is a folder)"):
            use()


def test_results_that_are_no_file_or_too_large_are_named(tmp_path):
    store = Store(tmp_path / "a")
    store.path.symlink_to("/dev/zero")
    with pytest.raises(FileError, match="is a device, not a file"):
        store.read()
    store.path.unlink()
    with open(store.path, "wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(FileError, match="use more folders"):
        store.read()
