"""Bytes of files as text."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma

import pytest

from mastgp import DataError
from mastgp.data.text import decoded

TEXT = "Länge;Höhe\n1,5;2\n"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("latin-1"),
        TEXT.encode("cp1252"),
        TEXT.encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode("latin-1"),
    ],
)
def test_usual_encodings_and_line_ends(data):
    assert decoded(data, "a.csv") == TEXT


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (gzip.compress(b"x,y\n", mtime=0), "is compressed; decompress it first"),
        (bz2.compress(b"x,y\n"), "is compressed"),
        (lzma.compress(b"x,y\n"), "is compressed"),
        (b"PK\x03\x04rest", r"is a zip archive; .* name it \.xlsx"),
        (b"PAR1rest", r"is a Parquet file; name it \.parquet"),
        (b"\xd0\xcf\x11\xe0rest", "is an old spreadsheet"),
        (b"\x80\x81\xff\n\xfe", "is not a text file"),
        (b"x,y\n1,\x00\n", "is not a text file"),
        (b"x,y\n1,\x07\n", "is not a text file"),
    ],
)
def test_what_is_no_text_is_named(data, words):
    with pytest.raises(DataError, match=f"a.csv {words}"):
        decoded(data, "a.csv")
