from __future__ import annotations

import pytest

from mastgp import FileError
from mastgp.bench.store import Store


def test_results_come_back_in_order(tmp_path):
    store = Store(tmp_path / "new" / "folder")
    assert store.read() == []
    with store.appending() as appender:
        for i in range(3):
            appender.append({"i": i})
    with store.appending() as appender:
        appender.append({"i": 3})
    assert [record["i"] for record in Store(store.folder).read()] == [0, 1, 2, 3]


@pytest.mark.parametrize("torn", [b'{"i": 1', b'{"i": 1}', b"\xff\xfe"])
def test_a_torn_last_line_is_cut_off(tmp_path, torn):
    store = Store(tmp_path)
    store.path.write_bytes(b'{"i": 0}\n' + torn)
    if torn != b'{"i": 1}':
        assert store.read() == [{"i": 0}]
    with store.appending() as appender:
        appender.append({"i": 2})
    assert store.read() == [{"i": 0}, {"i": 2}]


def test_a_damaged_line_in_the_middle_is_named(tmp_path):
    store = Store(tmp_path)
    store.path.write_bytes(b'{"i": 0}\nnonsense\n{"i": 2}\n')
    with pytest.raises(FileError, match="line 2 is damaged"):
        store.read()


def test_two_runs_at_once_are_refused(tmp_path):
    store = Store(tmp_path)
    second = Store(tmp_path).appending()
    with store.appending(), pytest.raises(FileError, match="another run"):
        second.__enter__()


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot use"):
        Store(tmp_path / "file")
