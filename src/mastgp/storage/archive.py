"""The container of a saved model: plain values as JSON, and arrays beside them.

A ``.mast`` file is an uncompressed zip archive with ``model.json`` and one ``.npy`` per array.
Reading it never executes anything: arrays are loaded with ``allow_pickle=False``. Before anything
is read, the list of members is checked: each has a name of its own and a place of its own in the
file, so that all of them together are no larger than the file. Then ``model.json`` is read, and of
the arrays only those that it names, each once.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import struct
import zipfile
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FileError, MastError, ModelFileError
from ..files import atomic_write

FORMAT = "mastgp model"
FORMAT_VERSION = 6
_MANIFEST = "model.json"
#: Largest description, in bytes; numbers belong in arrays.
_LARGEST_MANIFEST = 32 * 1024**2
#: What a member of a zip archive needs besides its name and its content, in bytes.
_LOCAL_HEADER = 30
_DTYPES = ("float64", "int64")
#: Bytes of an array before its header: a mark, the version, and the header's length.
_PREAMBLE = 10

Arrays = dict[str, NDArray[Any]]


def write_archive(manifest: dict[str, Any], arrays: Arrays, path: str | os.PathLike[str]) -> None:
    """Write plain values and arrays to a file; an interrupted write leaves an old file untouched.

    Parameters
    ----------
    manifest : dict
        Plain values. The format, its version and a checksum of everything are added.
    arrays : dict of name to array
    path : path
    """
    manifest = {"format": FORMAT, "format_version": FORMAT_VERSION, **manifest}
    manifest["sha256"] = _content_hash(manifest, arrays)
    with atomic_write(path) as file, zipfile.ZipFile(file, "w") as archive:
        _add(archive, _MANIFEST, json.dumps(manifest, indent=1, allow_nan=False).encode())
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
            _add(archive, f"{name}.npy", buffer.getvalue())


def read_archive(path: Path) -> tuple[dict[str, Any], Arrays]:
    """Read what :func:`write_archive` wrote, its checksum checked."""
    try:
        if not path.exists():
            raise FileError(f"there is no file {path}")
        if not path.is_file():
            raise FileError(f"{path} is not an ordinary file; name the file of a model")
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            manifest, arrays = _content_of(archive, file, path)
        found = _content_hash(manifest, arrays)
    except MastError:
        raise
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error
    except Exception as error:  # a damaged archive fails in many ways, none of them ours
        raise ModelFileError(
            f"{path} is not a mastgp model, or it is damaged or incomplete ({error})"
        ) from error
    if found != manifest.get("sha256"):
        raise ModelFileError(f"{path} is damaged: its content does not match its checksum")
    return manifest, arrays


def is_archive(path: Path) -> bool:
    """Whether a file is a model's, by its list of members; what is no file, or endless, is none."""
    try:
        if not path.is_file():
            return False
        with zipfile.ZipFile(path) as archive:
            return _MANIFEST in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name), content)  # a fixed date: same model, same bytes


def _content_of(
    archive: zipfile.ZipFile, file: IO[bytes], path: Path
) -> tuple[dict[str, Any], Arrays]:
    check_members(archive, path.stat().st_size)
    if _MANIFEST not in archive.namelist():
        raise ModelFileError(f"{path} is not a mastgp model: it has no {_MANIFEST}")
    if archive.getinfo(_MANIFEST).file_size > _LARGEST_MANIFEST:
        raise ValueError(f"its {_MANIFEST} has more than {_LARGEST_MANIFEST} bytes")
    manifest = json.loads(archive.read(_MANIFEST), parse_constant=_no_number)
    _check_format(manifest, path)
    names = list(_named_arrays(manifest))
    members = {*(f"{name}.npy" for name in names), _MANIFEST}
    if len(set(names)) < len(names) or members != set(archive.namelist()):
        raise ValueError("the arrays are not those that its description names")
    return manifest, {name: _array(_stored(file, archive.getinfo(f"{name}.npy"))) for name in names}


def _stored(file: IO[bytes], member: zipfile.ZipInfo) -> bytes:
    """Content of a member that is stored as it is.

    A model has a thousand small arrays, and the zip module takes ten times as long for each. What
    it would check beside their sizes is in the checksum of everything.
    """
    file.seek(member.header_offset)
    header = file.read(_LOCAL_HEADER)
    name_size, extra_size = struct.unpack("<HH", header[-4:])
    file.seek(name_size + extra_size, os.SEEK_CUR)
    return file.read(member.file_size)


def check_members(archive: zipfile.ZipFile, size: int) -> None:
    """Refuse an archive of `size` bytes whose members are not what :func:`write_archive` makes.

    Nothing of their content is read. Members that share a name or a place in the file could be
    read as many times the file's own size.
    """
    end = 0
    for member in sorted(archive.infolist(), key=lambda member: member.header_offset):
        if member.compress_type != zipfile.ZIP_STORED:
            raise ValueError(f"{member.filename} is compressed, which mastgp never does")
        if member.flag_bits & 1 or member.compress_size != member.file_size:
            raise ValueError(f"{member.filename} is not stored as it is")
        if member.header_offset < end:
            raise ValueError(f"{member.filename} overlaps another member")
        name = member.orig_filename.encode(errors="surrogateescape")
        end = member.header_offset + _LOCAL_HEADER + len(name) + member.compress_size
    if end > min(size, archive.start_dir):
        raise ValueError("its members are larger than the file")
    if len(set(archive.namelist())) < len(archive.infolist()):
        raise ValueError("two of its members have the same name")


def _no_number(constant: str) -> Any:
    raise ValueError(f"{constant} is no number")


def _named_arrays(value: Any) -> Iterator[str]:
    """Names of the arrays that a description refers to."""
    if isinstance(value, dict):
        if set(value) == {"$array"}:
            yield str(value["$array"])
            return
        value = list(value.values())
    if isinstance(value, list):
        for entry in value:
            yield from _named_arrays(entry)


def _check_format(manifest: Any, path: Path) -> None:
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ModelFileError(f"{path} is not a mastgp model")
    version = manifest.get("format_version")
    if not isinstance(version, int) or version < 1:
        raise ModelFileError(f"{path} is damaged: its format version is {version!r}")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"{path} was written by mastgp {manifest.get('mastgp_version')} in format {version}; "
            f"this version reads up to format {FORMAT_VERSION}: upgrade with "
            "'pip install --upgrade mastgp'"
        )


def _array(content: bytes) -> NDArray[Any]:
    """Read an array, after checking that its header promises what the file holds."""
    size = _PREAMBLE + int.from_bytes(content[_PREAMBLE - 2 : _PREAMBLE], "little")
    shape, by_column, dtype = _array_header(content[:size])
    expected = size + math.prod(shape) * dtype.itemsize
    if expected != len(content):
        raise ValueError("an array's header does not fit its content")
    values = np.frombuffer(content, dtype, offset=size).copy()
    return values.reshape(shape, order="F" if by_column else "C")


@lru_cache(maxsize=1000)
def _array_header(content: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and type of an array; models have many arrays with the same header."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    if version != (1, 0):
        raise ValueError(f"array format {version} is not used by mastgp")
    shape, by_column, dtype = np.lib.format.read_array_header_1_0(stream)
    if str(dtype) not in _DTYPES:
        raise ValueError(f"arrays of {dtype} are not used by mastgp")
    return shape, by_column, dtype


def take_out_arrays(value: Any, name: str, arrays: Arrays) -> Any:
    """Replace the arrays inside plain data by references, and collect them in `arrays`."""
    if isinstance(value, np.ndarray):
        arrays[name] = value.astype("int64" if value.dtype.kind in "iu" else "float64")
        return {"$array": name}
    if isinstance(value, Mapping):
        return {
            str(k): take_out_arrays(v, f"{name}/{i}", arrays)
            for i, (k, v) in enumerate(value.items())
        }
    if isinstance(value, list | tuple):
        return [take_out_arrays(v, f"{name}/{i}", arrays) for i, v in enumerate(value)]
    if isinstance(value, np.generic):
        return value.item()
    return value


def put_back_arrays(value: Any, arrays: Arrays) -> Any:
    """Inverse of :func:`take_out_arrays`."""
    if isinstance(value, dict):
        if set(value) == {"$array"}:
            return arrays[value["$array"]]
        return {k: put_back_arrays(v, arrays) for k, v in value.items()}
    if isinstance(value, list):
        return [put_back_arrays(v, arrays) for v in value]
    return value


def _content_hash(manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Checksum of everything in a file, so that no change goes unnoticed."""
    rest = {key: value for key, value in manifest.items() if key != "sha256"}
    digest = hashlib.sha256(json.dumps(rest, sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
