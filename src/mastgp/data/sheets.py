"""Sheets of spreadsheets: .xlsx by openpyxl, old .xls by xlrd."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import pandas as pd

from ..errors import DataError, MastError, SheetsWarning, listed, unknown, warn
from ..libraries import import_extra
from .opening import Place
from .source import Source, checked_names, text_source

#: Spreadsheets that would be larger than this, unpacked, are refused.
MOST_UNPACKED = 2**30
#: So are those whose texts, or whose styles and the like, are larger: both are read before sheets.
MOST_TEXTS, MOST_BESIDES = 2**26, 2**22
#: Parts of a spreadsheet with fixed names that are read whole; one of them lists the others.
_LISTING = "[Content_Types].xml"
_BESIDES = re.compile(
    r"\[Content_Types\]\.xml|\.rels$|^docProps/|^xl/(workbook|styles|theme/theme1)\.xml$"
)
#: What a sheet may hold: the rows of Excel's own limit, and so many cells and characters.
MOST_ROWS, MOST_CELLS, MOST_CHARACTERS = 2**20, 3_000_000, 2**28
#: What one of its rows may hold, as it is read whole: marks (Excel has 16384 columns) and bytes.
MOST_MARKS, MOST_ROW_BYTES = 2**18, 2**26
_ROW = re.compile(rb"<(?:\w+:)?row[\s/>]")
_CHUNK = 2**20
#: What the list of an encrypted file's parts says, in the two bytes per letter of its format.
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
EXTRA = "files"


def read_sheet(data: bytes, place: Place) -> Source:
    """Read one sheet: the one that is named, or the first."""
    old = data.startswith(b"\xd0\xcf\x11\xe0")
    if old and _ENCRYPTED in data:
        raise DataError(f"{place.path} is protected by a password; save it without one, or as CSV")
    try:
        cells = _rows_of_xls(data, place) if old else _rows_of_xlsx(data, place)
        rows = _bounded(cells, place)
    except MastError:
        raise
    except Exception as error:  # the libraries' errors share no base class
        raise DataError(f"{place} cannot be read as a spreadsheet: {error}") from error
    return _source(rows, str(place))


def write_sheet(table: pd.DataFrame, file: Any, path: str) -> None:
    """Write a table as the only sheet of an .xlsx file."""
    openpyxl = import_extra("openpyxl", EXTRA, f"the spreadsheet {path}")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("predictions")
    try:
        sheet.append(_cell(sheet, str(name)) for name in table.columns)
        for row in table.itertuples(index=False, name=None):
            sheet.append(_cell(sheet, value) for value in row)
    except openpyxl.utils.exceptions.IllegalCharacterError as error:
        raise DataError(
            f"{path}: control characters cannot be written to a spreadsheet: {str(error)!r}"
        ) from None
    book.save(file)


def _cell(sheet: Any, value: Any) -> Any:
    """A value as openpyxl knows it; text stays text, and ``=1+1`` is no formula."""
    from openpyxl.cell import WriteOnlyCell

    value = value.item() if hasattr(value, "item") else value
    if not isinstance(value, str):
        return None if value is pd.NA or value is pd.NaT else value
    cell = WriteOnlyCell(sheet, value)
    cell.data_type = "s"
    return cell


def _bounded(cells: Iterator[list[str]], place: Place) -> list[list[str]]:
    """All rows of a sheet, unless there are more than its file explains.

    A few bytes may name a cell of the last row and the last column, or one long text many times.
    """
    rows: list[list[str]] = []
    width = characters = 0
    for row in cells:
        rows.append(row)
        width = max(width, len(row))
        characters += sum(map(len, row))
        if len(rows) > MOST_ROWS or len(rows) * width > MOST_CELLS or characters > MOST_CHARACTERS:
            raise DataError(
                f"{place} has more than {MOST_ROWS} rows, {MOST_CELLS} cells or "
                f"{MOST_CHARACTERS} characters, counted from its first to its last cell; remove "
                "what does not belong there, or save it as CSV"
            )
    return rows


def _rows_of_xlsx(data: bytes, place: Place) -> Iterator[list[str]]:
    openpyxl = import_extra("openpyxl", EXTRA, f"the spreadsheet {place.path}")
    _check_size(data, place)
    book = openpyxl.load_workbook(
        io.BytesIO(data), read_only=True, data_only=True, keep_links=False
    )
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    sheet = sheets[_chosen(place, list(sheets))]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        _check_rows(archive.open(sheet._worksheet_path), place)
    sheet.reset_dimensions()  # what files say of their size may be wrong
    for row in sheet.iter_rows(values_only=True):
        yield [_text(cell) for cell in row]


def _rows_of_xls(data: bytes, place: Place) -> Iterator[list[str]]:
    xlrd = import_extra("xlrd", EXTRA, f"the spreadsheet {place.path}")
    book = xlrd.open_workbook(file_contents=data, logfile=io.StringIO())
    sheet = book.sheet_by_name(_chosen(place, book.sheet_names()))
    for i in range(sheet.nrows):
        yield [_text_of_xls(cell, book) for cell in sheet.row(i)]


def _check_size(data: bytes, place: Place) -> None:
    """Refuse a spreadsheet that would be too large unpacked, as a whole or in a part."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            sizes = {member.filename: member.file_size for member in archive.infolist()}
            parts = list(_parts_read_whole(archive, sizes))
    except zipfile.BadZipFile:
        raise DataError(
            f"{place.path} is no spreadsheet; if it is text, name it .csv instead"
        ) from None
    for size, most in ((sum(sizes.values()), MOST_UNPACKED), *parts):
        if size > most:
            raise DataError(
                f"{place.path} or a part of it would be {size / 2**20:.0f} MB unpacked, and no "
                f"more than {most / 2**20:.0f} are read; save it as CSV"
            )


def _check_rows(file: Any, place: Place) -> None:
    """Refuse a sheet of which a row, or what is between rows, is too large to be read whole."""
    marks = size = 0
    while chunk := file.read(_CHUNK):
        first, *others = _ROW.split(chunk)
        pieces = [(marks + first.count(b"<"), size + len(first))]
        pieces += [(piece.count(b"<"), len(piece)) for piece in others]
        if any(m > MOST_MARKS or n > MOST_ROW_BYTES for m, n in pieces):
            raise DataError(
                f"{place} has a row of more than {MOST_MARKS} marks or "
                f"{MOST_ROW_BYTES / 2**20:.0f} MB; remove what does not belong there, or save it "
                "as CSV"
            )
        marks, size = pieces[-1]


def _parts_read_whole(
    archive: zipfile.ZipFile, sizes: Mapping[str, int]
) -> Iterator[tuple[int, int]]:
    """Sizes of the parts that are read before any sheet is, each with the most that is allowed."""
    from xml.etree import ElementTree

    yield from ((size, MOST_BESIDES) for name, size in sizes.items() if _BESIDES.search(name))
    if 0 < sizes.get(_LISTING, 0) <= MOST_BESIDES:
        for part in ElementTree.fromstring(archive.read(_LISTING)):
            size, kind = sizes.get(part.get("PartName", "")[1:], 0), part.get("ContentType", "")
            if kind.endswith(("sharedStrings+xml", "main+xml")):
                yield size, MOST_BESIDES if kind.endswith("main+xml") else MOST_TEXTS


def _chosen(place: Place, sheets: Sequence[str]) -> str:
    if not sheets:
        raise DataError(f"{place.path} has no sheet with cells")
    if place.sheet is None:
        if len(sheets) > 1:
            warn(
                f"{place.path} has the sheets {listed(sheets)}: the first one is read. Name the "
                f"one that you mean, as {place.path}:{sheets[0]}",
                SheetsWarning,
            )
        return sheets[0]
    if place.sheet not in sheets:
        raise unknown(f"sheet of {place.path}", place.sheet, sheets)
    return place.sheet


def _text(value: Any) -> str:
    """A cell as text; numbers keep every digit."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value)


def _text_of_xls(cell: Any, book: Any) -> str:
    """Old files keep dates, yes and no, and errors as numbers of another type."""
    import xlrd

    if cell.ctype == xlrd.XL_CELL_DATE:
        moment: datetime = xlrd.xldate_as_datetime(cell.value, book.datemode)
        return moment.isoformat()
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return str(bool(cell.value))
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#ERROR"))
    return _text(cell.value)


def _source(rows: list[list[str]], path: str) -> Source:
    """The table below the first row that is not blank."""
    above = next((i for i, row in enumerate(rows) if any(cell.strip() for cell in row)), None)
    if above is None:
        raise DataError(f"{path} has no rows of data")
    width = max(len(row) for row in rows)
    names, *below = (_padded(row, width) for row in rows[above:])
    table = pd.DataFrame(below, columns=range(width), dtype=str)
    return text_source(checked_names(names, path), table, path, first=above + 2, unit="row")


def _padded(row: Iterable[str], width: int) -> list[str]:
    cells = list(row)
    return cells + [""] * (width - len(cells))
