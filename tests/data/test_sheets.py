"""Sheets of spreadsheets, new and old."""

from __future__ import annotations

import base64
import io
import sys
import zipfile
import zlib

import numpy as np
import pandas as pd
import pytest

from mastgp import DataError, MissingExtraError, SheetsWarning
from mastgp.data import sheets
from mastgp.data.cells import numeric
from mastgp.data.opening import Place
from mastgp.data.reading import read_table
from mastgp.data.sheets import read_sheet, write_sheet

openpyxl = pytest.importorskip("openpyxl")

#: Two sheets, "runs" and "fine", as Excel 97 has them.
OLD = zlib.decompress(
    base64.b85decode(
        "c-rk)OK1~882)Cmd6MQ)Q=u)CP_Wk69>j~6HY(MgQfe<g5HxL~mS`$b5B8wdnxi0iQoK~^!AsSP4^+^b"
        "pb*i6AP7l4dh!Jx+N}TlyGh$Lg{Ek*vR{~gX8xIP=g-bJGrRjX7tBvRXepoqy|AIEyWv>m6O`PgN&wWZ"
        ">#A7FU6gbS>k4icO{Bw)rwwnMY7W(W7a(z8dr20UrF0mlF))@+hU<vk979~F7<z<8+LO3N$%kf+tC8&p"
        "+YM~*ao=Zbce3Xy+aBth7l)9G4n%gCIzAxVxy?sb;1P2^vS%Bb@Ji|U;x%FPwPROiG=6fOHMD77OoOJh"
        "KbcNuRNap|@Bjx1-LY7AUtb;}n(k@*)Wg7!(z<>Tw*2+=3y}ZUQonNrzl$cZ(tllQzy$Q8LWwyGFG8AX"
        "(U3WpKBMZL4x@f-G@YD7D=%^zdvGc~a)Po%CVrgcKbG>SJ)ZZ3z>+<ofme!`Yyy5R2YI~&D5SZ&U*E-s"
        "2ct*WGr{M8aawFrp+Uzb#UQc|Mj$W)h%jR-+sk~_RxY=&4Uw2B?-*<{3wtNI&lPU%pmDY{-bXhtDtA&j"
        "`(@wbw(RHV7Anv57sf*~AEHxer_(DzeD#||m*^5VZzw#8mU3b4E1%dlFWX~WGGNB8n@6G_^J-NQf^3bN"
        "x;vs=ljglrY*E2}P9q9tzh)aT7O`~kju$jpvI<Lb|L<&v$}Gt&!7N)9mW}(j3T4O3ESou2uWZCabz#~;"
        "7f=sP*ey-0sEMI9Y2x;pH1TbjCKO9!?*i+B^suiH?Kx?v2Gvw!!GZ+~7A#o!7a{mrr2IO-&tdA>&S`$v"
        "nWt2=K9l^n7{VC+&eAL89;7MH;CxN`*$BHRT}!NzQ~F-0u%AZHAcbL$BUQ70>6uq7{y(cG2L9X<s&)Kg"
        "Eph(k@qYvTHV_2"
    )
)


@pytest.fixture
def book(tmp_path):
    """A workbook as people have them: a title above, units below the names, a second sheet."""
    workbook = openpyxl.Workbook()
    first, second = workbook.active, workbook.create_sheet("fine")
    first.title = "coarse"
    for row in ([], ["mach", "drag", None, "note"], ["-", "counts"], [0.1, 10], [1 / 3, 20.5]):
        first.append(row)
    for row in (["mach", "drag"], [0.1, "#DIV/0!"], [0.2, None], [0.3, "1,5"]):
        second.append(row)
    path = tmp_path / "wing.xlsx"
    workbook.save(path)
    return path


def test_the_first_sheet_and_one_by_name(book):
    with pytest.warns(SheetsWarning, match=r"the sheets 'coarse', 'fine': the first one is read"):
        source = read_table(book)
    assert list(source.rows.columns) == ["mach", "drag", "note"]
    assert source.units == {"drag": "counts"}
    np.testing.assert_array_equal(numeric(source, ["mach"])["mach"], [0.1, 1 / 3])
    assert source.place(source.rows.index[0]) == f"row 4 of {book}"
    assert len(read_table(f"{book}:fine").rows) == 3
    with pytest.raises(DataError, match=r"unknown sheet of .* 'fin'.* did you mean 'fine'\?"):
        read_table(f"{book}:fin")


def test_wrong_cells_are_named_by_sheet_and_row(book):
    with pytest.raises(DataError, match=r"row 2 of .*wing.xlsx:fine, column 'drag': '#DIV/0!'"):
        numeric(read_table(f"{book}:fine"), ["drag"])


def test_old_spreadsheets(tmp_path):
    pytest.importorskip("xlrd")
    path = tmp_path / "old.xls"
    path.write_bytes(OLD)
    with pytest.warns(SheetsWarning, match=r"as .*old.xls:runs$"):
        source = read_table(path)
    assert numeric(source, ["mach", "drag"]).to_numpy().tolist() == [
        [0.5, 10],
        [0.6, 20],
        [0.7, 30],
    ]
    assert source.rows["ok"].tolist() == ["False", "True", "False"]
    with pytest.raises(DataError, match=r"row 5 of .*:fine, column 'mach': '2026-01-02T00:00:00'"):
        numeric(read_table(f"{path}:fine"), ["mach"])
    with pytest.raises(DataError, match="unknown sheet"):
        read_table(f"{path}:none")


def test_what_is_written_is_read_back_by_us_and_by_pandas(tmp_path, rng):
    table = pd.DataFrame({"x": rng.standard_normal(5), "case": ["a", "b", "c", "d", "e"]})
    with open(tmp_path / "a.xlsx", "wb") as file:
        write_sheet(table, file, "a.xlsx")
    pd.testing.assert_frame_equal(pd.read_excel(tmp_path / "a.xlsx"), table, rtol=1e-15)
    again = read_table(tmp_path / "a.xlsx")
    np.testing.assert_allclose(numeric(again, ["x"])["x"], table["x"], rtol=1e-15)
    with pytest.raises(DataError, match="control characters cannot be written"):
        write_sheet(pd.DataFrame({"x": ["a\x07"]}), io.BytesIO(), "a.xlsx")


def test_text_is_written_as_text_and_never_as_a_formula(tmp_path):
    texts = ["=1+1", '=HYPERLINK("http://a.example")', "#N/A", "@a", "-1+2", "plain"]
    with open(tmp_path / "a.xlsx", "wb") as file:
        write_sheet(pd.DataFrame({"=2*3": texts}), file, "a.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    assert [(row[0].value, row[0].data_type) for row in sheet.rows] == [
        (text, "s") for text in ["=2*3", *texts]
    ]


@pytest.mark.parametrize("rows", [[], [[None, None]]])
def test_sheets_without_a_table(tmp_path, rows):
    workbook = openpyxl.Workbook()
    for row in rows:
        workbook.active.append(row)
    workbook.save(tmp_path / "a.xlsx")
    with pytest.raises(DataError, match="has no rows of data"):
        read_table(tmp_path / "a.xlsx")


def test_what_is_no_spreadsheet(tmp_path, monkeypatch, book):
    place = Place("a.xlsx")
    with pytest.raises(DataError, match="is no spreadsheet; if it is text"):
        read_sheet(b"x,y\n1,2\n", place)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.txt", "text")
    with pytest.raises(DataError, match="cannot be read as a spreadsheet"):
        read_sheet(archive.getvalue(), place)
    with pytest.raises(DataError, match="cannot be read as a spreadsheet"):
        read_sheet(OLD[:1000], place)
    monkeypatch.setattr(sheets, "MOST_UNPACKED", 100)
    with pytest.raises(DataError, match="MB unpacked"):
        read_table(book)


def test_a_missing_library_is_named_with_its_extra(book, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r"needs 'openpyxl'; .* 'mastgp\[files\]'"):
        read_table(book)


def _sheet_of(rows: str, **parts: str) -> bytes:
    """A workbook whose first sheet holds rows as they are given, and whose parts are replaced."""
    original, changed = io.BytesIO(), io.BytesIO()
    openpyxl.Workbook().save(original)
    with zipfile.ZipFile(original) as old, zipfile.ZipFile(changed, "w", 8) as new:
        for name in old.namelist():
            content = old.read(name).decode()
            if name == "xl/worksheets/sheet1.xml":
                start = content.index("<sheetData")
                content = f"{content[:start]}<sheetData>{rows}</sheetData></worksheet>"
            new.writestr(name, parts.get(name.rpartition("/")[2].partition(".")[0], content))
    return changed.getvalue()


@pytest.mark.parametrize(
    "rows",
    [
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="9"><c r="XFD9"><v>1</v></c></row>',
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="2000000000"><c r="A2000000000"/></row>',
        "<row><c><v>1</v></c></row>" * 1001,
        '<row><c t="inlineStr"><is><t>' + 5001 * "x" + "</t></is></c></row>",
    ],
)
def test_a_sheet_is_no_larger_than_its_file_explains(monkeypatch, rows):
    monkeypatch.setattr(sheets, "MOST_ROWS", 1000)
    monkeypatch.setattr(sheets, "MOST_CELLS", 100_000)
    monkeypatch.setattr(sheets, "MOST_CHARACTERS", 5000)
    with pytest.raises(DataError, match="rows, 100000 cells or 5000 characters"):
        read_sheet(_sheet_of(rows), Place("bomb.xlsx"))


@pytest.mark.parametrize(
    "rows",
    [
        "<row>" + "<c/>" * 1001 + "</row>",
        "<row>" + "<other/>" * 1001 + "</row>",
        "<row/>" + "<other/>" * 1001,
        '<row><c t="inlineStr"><is><t>' + 5001 * "x" + "</t></is></c></row>",
    ],
)
@pytest.mark.parametrize("chunk", [97, 2**20])
def test_a_row_that_is_too_large_is_not_read(monkeypatch, rows, chunk):
    monkeypatch.setattr(sheets, "MOST_MARKS", 1000)
    monkeypatch.setattr(sheets, "MOST_ROW_BYTES", 5000)
    monkeypatch.setattr(sheets, "_CHUNK", chunk)
    many = "<row><c t='inlineStr'><is><t>a</t></is></c></row><row><c><v>1</v></c></row>" * 500
    assert len(read_sheet(_sheet_of(many), Place("a.xlsx")).rows) == 999
    with pytest.raises(DataError, match="has a row of more than 1000 marks"):
        read_sheet(_sheet_of(many + rows), Place("bomb.xlsx"))


@pytest.mark.parametrize("part", ["styles", "core", "theme1", "workbook"])
def test_parts_that_are_read_before_sheets_are_small(monkeypatch, part):
    monkeypatch.setattr(sheets, "MOST_BESIDES", 50_000)
    rows = "<row><c t='inlineStr'><is><t>a</t></is></c></row><row><c><v>1</v></c></row>"
    assert read_sheet(_sheet_of(rows), Place("a.xlsx")).rows.shape == (1, 1)
    with pytest.raises(DataError, match="no more than"):
        read_sheet(_sheet_of(rows, **{part: 60_000 * " "}), Place("bomb.xlsx"))


def test_a_spreadsheet_with_a_password_is_named_as_such():
    data = b"\xd0\xcf\x11\xe0" + bytes(600) + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(DataError, match="is protected by a password"):
        read_sheet(data, Place("secret.xlsx"))
