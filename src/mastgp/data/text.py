"""Bytes of a file as text: Unicode in its usual forms, and what Windows writes instead."""

from __future__ import annotations

import codecs
import re

from ..errors import DataError

#: What files begin with that are no text, and what to do about them.
_SIGNATURES = {
    b"\x1f\x8b": "is compressed; decompress it first",
    b"BZh": "is compressed; decompress it first",
    b"\xfd7zXZ\x00": "is compressed; decompress it first",
    b"\x28\xb5\x2f\xfd": "is compressed; decompress it first",
    b"PK\x03\x04": "is a zip archive; unpack it first, or name it .xlsx if it is a spreadsheet",
    b"\xd0\xcf\x11\xe0": "is an old spreadsheet; name it .xls, or save it as CSV",
    b"PAR1": "is a Parquet file; name it .parquet",
    b"ARROW1": "is a Feather file; name it .feather",
    b"%PDF": "is a PDF; save the table as CSV",
}
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def decoded(data: bytes, name: str) -> str:
    """Text of a file, its lines ended by line feeds.

    Parameters
    ----------
    data : bytes
    name : str
        What the file is called in messages.

    Examples
    --------
    >>> decoded("Länge;Höhe".encode("cp1252"), "a.csv")
    'Länge;Höhe'
    """
    for signature, advice in _SIGNATURES.items():
        if data.startswith(signature):
            raise DataError(f"{name} {advice}")
    text = _in_unicode(data)
    if text is None:
        text = _in_windows(data)
    if text is None or _CONTROL.search(text):
        raise DataError(
            f"{name} is not a text file in UTF-8; save it as CSV (UTF-8), .xlsx or .parquet"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _in_unicode(data: bytes) -> str | None:
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return _decode(data, encoding)
    if (order := _order_of_bytes(data)) is not None:  # UTF-16 without its mark
        return _decode(data, f"utf-16-{order}")
    return _decode(data, "utf-8")


def _order_of_bytes(data: bytes) -> str | None:
    """Order of the bytes of characters, where every second byte is zero; None elsewhere."""
    zeros = [data[start:200:2].count(0) for start in (0, 1)]
    if max(zeros) > 0.2 * len(data[:200]) and min(zeros) == 0:
        return "le" if zeros[1] else "be"
    return None


def is_wide(beginning: bytes) -> bool:
    """Whether a text that begins so has two bytes for each character."""
    wide = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return beginning.startswith(wide) or _order_of_bytes(beginning) is not None


def _in_windows(data: bytes) -> str | None:
    """Text of programs that know no Unicode. Latin-1 is part of it but for control characters."""
    return _decode(data, "cp1252")


def _decode(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None
