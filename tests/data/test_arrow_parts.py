"""Sizes of the parts of an Arrow file, from their descriptions alone."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest

from mastgp.data.arrow_parts import MAGIC, unpacked_sizes

pyarrow = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")


def written(table, **options):
    file = io.BytesIO()
    feather.write_feather(table, file, **options)
    assert file.getvalue().startswith(MAGIC)
    return file


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_sizes_are_those_of_the_unpacked_buffers(rng, compression):
    table = pyarrow.table(
        {
            "zeros": np.zeros(3000),
            "noise": rng.random(3000),
            "text": ["long text " * 3] * 3000,
            "code": pyarrow.array(["a", "b"] * 1500).dictionary_encode(),
        }
    )
    file = written(table, compression=compression, chunksize=1000)
    sizes = list(unpacked_sizes(file))
    assert len(sizes) == 4  # a dictionary and three batches
    reader = pyarrow.ipc.open_file(file)
    for i, size in enumerate(sizes[1:]):
        batch = reader.get_batch(i)
        buffers = sum(b.size for c in batch.columns for b in c.buffers() if b is not None)
        assert buffers <= size <= buffers + 8 * 64  # buffers are padded


@pytest.mark.parametrize("at", range(0, 400, 3))
def test_a_damaged_list_of_parts_is_no_crash(at):
    content = bytearray(written(pyarrow.table({"x": np.zeros(100)})).getvalue())
    content[-at - 1] ^= 0x5A
    with_error = (ValueError, struct.error)
    try:
        sizes = list(unpacked_sizes(io.BytesIO(bytes(content))))
    except with_error:
        return
    assert all(size >= 0 for size in sizes)


def test_what_is_too_short_is_an_error():
    with pytest.raises((ValueError, struct.error)):
        list(unpacked_sizes(io.BytesIO(MAGIC)))
