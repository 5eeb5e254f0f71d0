"""CSV files in all dialects, compared with Python's own reader cell by cell."""

from __future__ import annotations

import csv
import io
import re

from cases import Defect, attempted, chosen

from mastgp.data.cells import numeric
from mastgp.data.reading import read_table

CELLS = ("1", "-2.5", "1e3", "+4", ".5", "6.", "1E-7", "00", "123456789012345678", " 7", "8 ", "-0")
BAD = ("", "nan", "abc", "1,5", "1.2.3", "inf", "1_000", "0x10", "'5'", "٣", "1 2", "\x00", "1e999")
HEADERS = ("x", "y", "a b", 'q"q', "x,y", "x;y", "Größe", " z", "", "x", "1", "-", "line\nbreak")


def prepare(folder):
    return folder


def case(rng, folder):
    path = folder / "table.csv"
    separator = chosen(rng, (",", ",", ";", "\t"))
    content = _content(rng, separator)
    path.write_bytes(content)
    source, refused = attempted(lambda: read_table(path))
    if refused:
        return f"refused, {refused}"
    rows = _as_python_reads(content, separator)
    if rows is None:
        return "read what Python does not decode"
    return _compare(source, rows)


def _content(rng, separator):
    n, d = int(rng.integers(0, 6)), int(rng.integers(1, 5))
    header = [f"c{i}" for i in range(d)]
    if rng.random() < 0.2:
        header[int(rng.integers(d))] = chosen(rng, HEADERS)
    rows = [[_cell(rng) for _ in range(d)] for _ in range(n)]
    if n and rng.random() < 0.1:
        rows[-1] = rows[-1][:-1] if rng.random() < 0.5 else [*rows[-1], "1"]
    text = io.StringIO()
    quoting = chosen(rng, (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC))
    end = chosen(rng, ("\n", "\n", "\r\n", "\r"))
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=end)
    writer.writerows([header, *rows])
    content = text.getvalue().encode(chosen(rng, ("utf-8", "utf-8", "utf-8-sig", "utf-16")))
    if rng.random() < 0.1:
        content = content[: int(rng.integers(len(content) + 1))]
    if content and rng.random() < 0.05:
        i = int(rng.integers(len(content)))
        content = content[:i] + bytes([int(rng.integers(256))]) + content[i + 1 :]
    return content


def _cell(rng):
    return chosen(rng, BAD) if rng.random() < 0.03 else chosen(rng, CELLS)


def _as_python_reads(content, separator):
    try:
        text = re.sub(r"(?<![^\r\n])#[^\r\n]*", "", content.decode("utf-8-sig"))  # comments
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except (UnicodeDecodeError, csv.Error):
        return None
    return [row for row in rows if row]


def _compare(source, rows):
    """Same numbers where ours takes them for numbers; blank lines are left out by both."""
    header, *body = rows
    names = list(source.rows.columns)
    if len(names) != len(header):
        return "read with another separator"
    kept = [row for row in body if any(cell.strip() for cell in row)]
    if len(source.rows) not in (len(body), len(kept)):
        raise Defect(f"{len(source.rows)} rows, and Python reads {len(body)}: {rows}")
    if len(source.rows) != len(body):
        body = kept
    right = 0
    for i, name in enumerate(names):
        values, refused = attempted(lambda name=name: numeric(source, [name]))
        if refused:
            continue
        for got, row in zip(values[name], body, strict=True):
            _check_number(got, row[i], source.decimal_comma)
        right += 1
    return "right" if right else "read, no column of numbers"


def _check_number(got, cell, decimal_comma):
    text = cell.replace(",", ".") if decimal_comma else cell
    try:
        expected = float(text)
    except ValueError:
        raise Defect(f"{cell!r} became {got!r}") from None
    if got != expected:
        raise Defect(f"{cell!r} became {got!r}, not {expected!r}")
