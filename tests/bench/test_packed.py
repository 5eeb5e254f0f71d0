from __future__ import annotations

import gzip

import pytest

from mastgp.bench import packed
from mastgp.bench.packed import is_packed, pack, read_results, unpack
from mastgp.bench.store import Store
from mastgp.bench.units import Unit
from mastgp.errors import FileError


def records():
    good = Unit("next-optimum", "branin-bad", "lhs", 3).record(
        status="ok", regret=0.123456789123, regret_050=2.0, search_seconds=1.0
    )
    late = Unit("next-optimum", "branin-bad", "botorch-mfkg", 3).record(
        status="timeout", error="took more than 5 s"
    )
    return [good, late]


def test_what_is_packed_is_read_again(tmp_path):
    path = tmp_path / "runs.csv.gz"
    assert pack(records(), path) == 2
    assert is_packed(path)
    late, good = unpack(path)
    assert good["regret"] == pytest.approx(0.123456789123, rel=1e-7)
    assert good == {**records()[0], "regret": good["regret"]}
    assert late == records()[1]


def test_the_same_results_make_the_same_file(tmp_path):
    pack(records(), tmp_path / "a.csv.gz")
    pack([*records(), *reversed(records())], tmp_path / "b.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_results_are_read_from_folders_and_files(tmp_path):
    with Store(tmp_path / "out").appending() as store:
        store.append(records()[1])
    pack(records()[1:], tmp_path / "runs.csv.gz")
    found = [read_results(tmp_path / name) for name in ("out", "runs.csv.gz")]
    assert found[0] == found[1] == records()[1:]


def test_damage_is_named(tmp_path):
    path = tmp_path / "runs.csv.gz"
    pack(records(), path)
    text = gzip.decompress(path.read_bytes()).decode()
    (tmp_path / "bad.csv").write_text(text.replace(",2,", ",two,"))
    with pytest.raises(FileError, match=r"bad.csv, line 3.*two"):
        unpack(tmp_path / "bad.csv")
    (tmp_path / "none.csv").write_text("experiment,seed\nx,1\n")
    with pytest.raises(FileError, match="line 2 is no result of a unit"):
        unpack(tmp_path / "none.csv")
    (tmp_path / "torn.csv.gz").write_bytes(path.read_bytes()[:60])
    with pytest.raises(FileError, match="cannot read"):
        unpack(tmp_path / "torn.csv.gz")


@pytest.mark.parametrize(
    "content",
    [b"x" * 2000, b"experiment,seed\n" + b"x" * 200_000 + b",1\n", b"experiment,seed\nx\n"],
)
def test_files_of_strangers_are_refused_with_a_word(tmp_path, monkeypatch, content):
    monkeypatch.setattr(packed, "MOST_BYTES", 1000 if content[:2] == b"xx" else 10**6)
    (tmp_path / "a.csv").write_bytes(content)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(content))
    for name in ("a.csv", "a.csv.gz"):
        with pytest.raises(FileError):
            unpack(tmp_path / name)


def test_damaged_bytes_of_a_compressed_file_are_an_error_of_ours(tmp_path):
    path = tmp_path / "runs.csv.gz"
    pack(records(), path)
    content = bytearray(path.read_bytes())
    for at in range(10, len(content)):
        path.write_bytes(bytes([*content[:at], content[at] ^ 0xFF, *content[at + 1 :]]))
        with pytest.raises(FileError):
            unpack(path)


def test_a_small_file_does_not_become_many_results(tmp_path, monkeypatch):
    """The first line that is no result ends the reading; a record has an end, too."""
    bomb = tmp_path / "bomb.csv.gz"
    bomb.write_bytes(gzip.compress(b"seed\n" + b"1\n" * 10**6))
    with pytest.raises(FileError, match="line 2 is no result"):
        unpack(bomb)
    monkeypatch.setattr(packed, "MOST_BYTES", 10**6)
    with pytest.raises(FileError, match="and no more are read"):
        unpack(bomb)
