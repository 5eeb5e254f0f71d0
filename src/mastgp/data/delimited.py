"""Text with separators as a table: commas, semicolons, tabs, bars or spaces, and comments.

Cells are kept as the text they are until they are needed as numbers, so that fidelity names and
columns that are only passed through stay as the user wrote them.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from itertools import islice
from typing import NamedTuple

import pandas as pd

from ..errors import DataError
from .source import Source, checked_names, text_source

#: What may stand between cells, the likelier first.
_SEPARATORS = (",", ";", "\t", "|")
#: The separator of cells with any number of spaces between them.
_SPACES = r"\s+"
#: A quoted cell, or a comment: a line whose first character is a number sign.
_QUOTED_OR_COMMENT = re.compile(r'(?:(?<=[,;\t|\n])|\A)[ ]*"[^"]*"|^[ \t]*#[^\n]*', re.MULTILINE)
_WORD = re.compile(r'"((?:[^"]|"")*)"|(\S+)')
#: Records that are looked at to find the separator.
_LOOKED_AT = 6


class TextHeader(NamedTuple):
    """Where a table begins: its separator and names, and the number of lines above the data.

    Attributes
    ----------
    separator : str
    names : list of str
    lines : int
    """

    separator: str
    names: list[str]
    lines: int


def read_delimited(text: str, path: str) -> Source:
    """Read a table from text; errors name the file and the line."""
    header = find_header(text, path)
    return read_lines(after_line(text, header.lines), header, path)


def read_lines(text: str, header: TextHeader, path: str, begins: bool = True) -> Source:
    """Read lines of a table whose header is known.

    Parameters
    ----------
    text : str
        The lines below the header, or some of them.
    header : TextHeader
        With the number of lines above `text`.
    path : str
    begins : bool
        Whether these are the first lines, which may have a row of units.
    """
    rest = _without_comments(text)
    table = _read_cells(rest, header, path)
    _number_lines(table, rest, header)
    source = text_source(
        header.names,
        table,
        path,
        first=header.lines + 1,
        unit="line",
        separator=" " if header.separator == _SPACES else header.separator,
        begins=begins,
    )
    if header.separator == _SPACES:
        _refuse_short_rows(source, rest, len(header.names))
    return source


def _refuse_short_rows(source: Source, rest: str, n_cells: int) -> None:
    """Refuse rows that lack a cell between spaces: nobody can tell which."""
    lines = rest.split("\n")
    for label in source.rows.index:
        if len(_words(lines[label])) < n_cells:
            raise DataError(
                f"{source.place(label)} has fewer cells than the header has names, and between "
                "spaces nobody can tell which is missing; write NaN in its place"
            )


def find_header(text: str, path: str) -> TextHeader:
    """The first line that is no comment; or the last comment, where numbers follow at once."""
    if not text.strip():
        raise DataError(f"{path} is empty; it needs a header row")
    above, last = 0, ""
    for line in io.StringIO(text):
        if line.strip() and not line.lstrip().startswith("#"):
            break
        above, last = above + 1, line.strip()
    else:
        raise DataError(f"{path} has no rows of data, only comments")
    header = _header_at(text, above, path)
    if all(_looks_numeric(name) for name in header.names if name):
        header = _header_in_comment(last, header, above, path)
    return header._replace(names=checked_names(header.names, path))


def _header_in_comment(comment: str, numbers: TextHeader, above: int, path: str) -> TextHeader:
    """Names in a comment right above the numbers, as NumPy's savetxt writes them."""
    words = comment.lstrip("#").strip()
    names = _records(words, numbers.separator, 1)[0][0] if words else []
    if len(names) != len(numbers.names) or all(_looks_numeric(name) for name in names):
        raise DataError(f"{path}: the first line looks like numbers; is the header row missing?")
    return TextHeader(numbers.separator, names, above)


def _header_at(text: str, above: int, path: str) -> TextHeader:
    """The header that begins below some lines; a name may go on in the next line."""
    body = after_line(text, above)
    try:
        separator = _separator(body)
        records = _records(body, separator, 1)
    except csv.Error as error:
        raise DataError(f"{path}: line {above + 1} cannot be read as a header: {error}") from None
    names, lines = records[0]
    return TextHeader(separator, names, above + lines)


def _separator(body: str) -> str:
    """What divides the first lines into the same number of cells; else the commonest."""
    body = _without_comments(body[:1_000_000])
    best, most = None, (False, 1)
    for separator in (*_SEPARATORS, _SPACES):
        counts = _cell_counts(body, separator)
        even = len(counts) > 1 and len(set(counts)) == 1
        if separator == _SPACES and not (even and not most[0] and _has_words_only(body)):
            continue  # spaces are in names and in texts
        if counts and counts[0] > 1 and (even, counts[0]) > most:
            best, most = separator, (even, counts[0])
    return best or ","


def _cell_counts(body: str, separator: str) -> list[int]:
    """Numbers of cells of the first records; none if quotation marks are not where they belong."""
    try:
        records = _records(body, separator, _LOOKED_AT, strict=True)
    except csv.Error:
        return []
    if any(cell.count('"') % 2 for cells, _ in records[:1] for cell in cells):
        return []
    return [len(cells) for cells, _ in records if any(cells)]


def _has_words_only(body: str) -> bool:
    """Whether no word of the first lines begins or ends with another separator.

    An empty cell between tabs, below a header without one, is such a word, too.
    """
    first, _, below = body.partition("\n")
    if "\t" in first and "\t\t" not in first and "\t\t" in below:
        return False
    words = (bare for line in body.split("\n", _LOOKED_AT)[:-1] for _, bare in _WORD.findall(line))
    others = (",", ";", "|")
    return not any(w.startswith(others) or w.endswith(others) or '"' in w for w in words)


def _records(
    body: str, separator: str, n: int, strict: bool = False
) -> list[tuple[list[str], int]]:
    """The first records of a text, each with the number of its last line."""
    if separator == _SPACES:
        lines = islice(io.StringIO(body), n)
        return [(_words(line), number) for number, line in enumerate(lines, 1)]
    reader = csv.reader(
        io.StringIO(body), delimiter=separator, skipinitialspace=True, strict=strict
    )
    return [(cells, reader.line_num) for cells in islice(reader, n)]


def _words(line: str) -> list[str]:
    return [quoted.replace('""', '"') or bare for quoted, bare in _WORD.findall(line)]


def after_line(text: str, n: int) -> str:
    """What stands below the first n lines."""
    start = 0
    for _ in range(n):
        end = text.find("\n", start)
        if end < 0:
            return ""
        start = end + 1
    return text[start:]


def _without_comments(text: str) -> str:
    """The same lines, those of comments empty. A number sign in a quoted cell is none."""
    if "#" not in text:
        return text
    return _QUOTED_OR_COMMENT.sub(lambda m: m[0] if '"' in m[0].split("#")[0] else "", text)


def _read_cells(rest: str, header: TextHeader, path: str) -> pd.DataFrame:
    """All cells as text; rows that are too long are an error."""
    between = " " if header.separator == _SPACES else header.separator
    numbered = between.join(f"c{i}" for i in range(len(header.names)))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                io.StringIO(f"{numbered}\n{rest}"),
                sep=header.separator,
                header=0,
                dtype=str,
                keep_default_na=False,
                skipinitialspace=True,
                skip_blank_lines=False,
                index_col=False,
                low_memory=False,
            )
    except pd.errors.ParserWarning:
        raise DataError(
            f"{path}: rows have more cells than the header has names; is there a decimal comma "
            "in a comma-separated file, or a first column without a name?"
        ) from None
    except (pd.errors.ParserError, ValueError) as error:
        reason = _with_line_numbers(" ".join(str(error).split()), header.lines - 1)
        raise DataError(f"{path} cannot be read as a table: {reason}") from error


def _with_line_numbers(message: str, above: int) -> str:
    """What pandas says, with the lines of the file."""
    counted = re.sub(r"\bline (\d+)", lambda m: f"line {int(m[1]) + above}", message)
    return re.sub(r"\brow (\d+)", lambda m: f"line {int(m[1]) + above + 1}", counted)


def _number_lines(table: pd.DataFrame, rest: str, header: TextHeader) -> None:
    """Let the index count lines, where cells go on in the next line."""
    whole = len(table) == rest.count("\n") + (not rest.endswith("\n"))
    if whole or '"' not in rest or header.separator == _SPACES:
        return
    reader = csv.reader(io.StringIO(rest), delimiter=header.separator, skipinitialspace=True)
    begins, begin = [], 0
    try:
        for _ in reader:
            begins.append(begin)
            begin = reader.line_num
    except csv.Error:
        return
    if len(begins) >= len(table):
        table.index = pd.Index(begins[: len(table)])


def _looks_numeric(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True
