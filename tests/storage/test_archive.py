from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import mastgp
from mastgp import FileError, ModelFileError
from mastgp.storage.archive import (
    FORMAT,
    FORMAT_VERSION,
    is_archive,
    put_back_arrays,
    read_archive,
    take_out_arrays,
    write_archive,
)


def _pickled():
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    return buffer.getvalue()


def _huge():
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    )
    return buffer.getvalue() + b"\0" * 8


@pytest.mark.parametrize("content", [_pickled(), _huge(), b"nonsense"])
def test_hostile_arrays_are_refused(saved, rewrite, content):
    _, path = saved
    rewrite(path, replace={"evil.npy": content})
    with pytest.raises(ModelFileError, match="damaged"):
        mastgp.load(path)


def test_compressed_archives_are_refused(saved, rewrite):
    _, path = saved
    rewrite(path, compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(ModelFileError, match="compressed"):
        mastgp.load(path)


def zipped(path, members, **options):
    """An archive of members as they are given, sealed by nobody."""
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content)
    return path


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused(tmp_path):
    path = zipped(tmp_path / "a.mast", [("model.json", "{}"), ("a.npy", "a"), ("a.npy", "b")])
    with pytest.raises(ModelFileError, match="two of its members have the same name"):
        read_archive(path)


def test_a_bomb_of_overlapping_members_is_refused_before_it_is_read(tmp_path, monkeypatch):
    """All members point to one content: the file is small, and what is read is huge."""
    content = bytes(10_000)
    path = zipped(tmp_path / "a.mast", [("model.json", "{}"), ("a0.npy", content)])
    with zipfile.ZipFile(path, "a") as archive:
        first = archive.getinfo("a0.npy")
        for i in range(1, 500):
            copy = zipfile.ZipInfo(f"a{i}.npy")
            copy.header_offset, copy.CRC = first.header_offset, first.CRC
            copy.file_size = copy.compress_size = len(content)
            archive.filelist.append(copy)
            archive.NameToInfo[copy.filename] = copy
        archive._didModify = True
    assert path.stat().st_size < 100_000
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("something was read"))
    with pytest.raises(ModelFileError, match="overlaps another member"):
        read_archive(path)


def test_members_larger_than_the_file_are_refused(tmp_path):
    path = zipped(tmp_path / "a.mast", [("model.json", "{}")])
    content = path.read_bytes()
    start = content.rindex(b"PK\x01\x02")
    sizes = (10**9).to_bytes(4, "little") * 2  # compressed and not, in the central directory
    path.write_bytes(content[: start + 20] + sizes + content[start + 28 :])
    with pytest.raises(ModelFileError, match="larger than the file"):
        read_archive(path)


def test_only_arrays_that_the_description_names_are_there(saved, rewrite):
    _, path = saved
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(3))
    rewrite(path, replace={"more.npy": buffer.getvalue()}, reseal=True)
    with pytest.raises(ModelFileError, match="not those that its description names"):
        mastgp.load(path)


def test_an_array_is_named_once(tmp_path):
    twice = {"a": {"$array": "a"}, "b": {"$array": "a"}}
    write_archive(twice, {"a": np.zeros(3)}, tmp_path / "a.mast")
    with pytest.raises(ModelFileError, match="not those that its description names"):
        read_archive(tmp_path / "a.mast")


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_numbers_of_the_description_are_numbers(tmp_path, constant):
    path = zipped(tmp_path / "a.mast", [("model.json", f'{{"format": {constant}}}')])
    with pytest.raises(ModelFileError, match=f"{constant} is no number"):
        read_archive(path)


def test_a_description_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("mastgp.storage.archive._LARGEST_MANIFEST", 10)
    path = zipped(tmp_path / "a.mast", [("model.json", '{"a": "long"}')])
    with pytest.raises(ModelFileError, match="more than 10 bytes"):
        read_archive(path)


def test_truncated_files(saved):
    _, path = saved
    content = path.read_bytes()
    for size in (0, 1, 100, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(ModelFileError, match=r"not a mastgp model|damaged"):
            mastgp.load(path)


def test_damaged_files_never_load_silently_wrong(saved, rng):
    model, path = saved
    content = path.read_bytes()
    Q = rng.random((5, 2))
    expected = model.predict(Q)
    for position in rng.integers(0, len(content), 150):
        damaged = bytearray(content)
        damaged[position] ^= 0xFF
        path.write_bytes(bytes(damaged))
        try:
            got = mastgp.load(path).predict(Q)
        except ModelFileError:
            continue
        np.testing.assert_array_equal(got, expected)  # a byte that means nothing, such as a date


def test_an_edited_number_does_not_go_unnoticed(saved, rewrite):
    _, path = saved
    rewrite(path, change=lambda manifest: manifest["data"]["hierarchy"]["costs"].update(coarse=2))
    with pytest.raises(ModelFileError, match="does not match its checksum"):
        mastgp.load(path)


def test_files_that_are_something_else(tmp_path):
    (tmp_path / "a.mast").write_text("x,y\n1,2\n")
    with pytest.raises(ModelFileError, match="not a mastgp model"):
        mastgp.load(tmp_path / "a.mast")
    with zipfile.ZipFile(tmp_path / "b.mast", "w") as archive:
        archive.writestr("hello.txt", "hello")
    with pytest.raises(ModelFileError, match=r"no model\.json"):
        mastgp.load(tmp_path / "b.mast")
    with pytest.raises(FileError, match="there is no file"):
        mastgp.load(tmp_path / "c.mast")


def test_what_is_no_ordinary_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(FileError, match="is not an ordinary file"):
            mastgp.load(path)


def test_a_description_that_is_nested_without_end_is_damaged(tmp_path):
    nested = '{"format": "mastgp model", "format_version": 5, "a": ' + "[" * 900 + "]" * 900 + "}"
    for text in (nested, nested.replace("[" * 900, "[" * 10**6)):
        with pytest.raises(ModelFileError, match=r"damaged"):
            read_archive(zipped(tmp_path / "a.mast", [("model.json", text)]))


def test_no_pickle_anywhere(saved):
    _, path = saved
    with zipfile.ZipFile(path) as archive:
        assert {name.rsplit(".")[-1] for name in archive.namelist()} == {"json", "npy"}
        for name in archive.namelist():
            if name.endswith(".npy"):
                np.load(io.BytesIO(archive.read(name)), allow_pickle=False)


def test_plain_values_and_arrays_come_back(tmp_path, rng):
    arrays = {"a/0": rng.random((3, 2)), "b": np.arange(4), "empty": np.empty((0, 5))}
    references = [{"$array": name} for name in arrays]
    manifest = {"text": "Grüße", "number": 0.1, "nothing": None, "list": [1, {"a": references}]}
    write_archive(manifest, arrays, tmp_path / "a.mast")
    got, again = read_archive(tmp_path / "a.mast")
    assert manifest.items() <= got.items()
    assert (got["format"], got["format_version"]) == (FORMAT, FORMAT_VERSION)
    assert set(again) == set(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(again[name], array)
        assert again[name].dtype == array.dtype


def test_what_json_cannot_hold_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_archive({"number": np.nan}, {}, tmp_path / "a.mast")
    assert list(tmp_path.iterdir()) == []


def test_arrays_are_taken_out_of_plain_data_and_put_back(rng):
    value = {
        "a": [rng.random(3), 2.5, None, {"b": np.arange(3, dtype=np.int32)}],
        "c": (np.float64(1.5), np.int64(2), "text"),
    }
    arrays = {}
    plain = take_out_arrays(value, "state", arrays)
    assert json.loads(json.dumps(plain)) == plain
    assert len(arrays) == 2
    assert {str(array.dtype) for array in arrays.values()} == {"float64", "int64"}
    again = put_back_arrays(plain, arrays)
    np.testing.assert_array_equal(again["a"][0], value["a"][0])
    np.testing.assert_array_equal(again["a"][3]["b"], [0, 1, 2])
    assert again["c"] == [1.5, 2, "text"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.update(format_version=99, mastgp_version="9.0"), "9.0 in format 99.*upgrade"),
        (lambda m: m.update(format_version="1"), "format version is '1'"),
        (lambda m: m.update(format_version=0), "format version is 0"),
        (lambda m: m.update(format="other"), "not a mastgp model"),
        (lambda m: m.pop("sha256"), "does not match its checksum"),
    ],
)
def test_foreign_and_newer_files(saved, rewrite, change, words):
    _, path = saved
    rewrite(path, change=change)
    with pytest.raises(ModelFileError, match=words):
        read_archive(path)


def test_a_save_killed_in_the_middle_leaves_the_old_file(saved):
    _, path = saved
    before = path.read_bytes()
    code = (
        "import sys, os, mastgp, mastgp.storage.archive as s; m = mastgp.load(sys.argv[1]);"
        "real = s._add; calls = [];\n"
        "def add(*a):\n"
        "    calls.append(1); real(*a)\n"
        "    if len(calls) == 5: os.kill(os.getpid(), 9)\n"
        "s._add = add; m.save(sys.argv[1])"
    )
    result = subprocess.run([sys.executable, "-c", code, path], check=False)
    assert result.returncode == -9
    assert path.read_bytes() == before
    mastgp.load(path)


def test_what_is_no_file_or_has_no_end_is_no_archive(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/zero"), tmp_path / "pipe", tmp_path, tmp_path / "none"):
        assert not is_archive(path)


def test_a_name_that_is_too_long_is_an_error_of_ours():
    with pytest.raises(FileError, match="cannot read a"):
        mastgp.load("a" * 5000)
