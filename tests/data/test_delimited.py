"""Text with separators, comments and odd headers."""

from __future__ import annotations

import pytest

from mastgp import DataError
from mastgp.data.cells import numeric
from mastgp.data.delimited import read_delimited


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("x y\n1.5 2\n2 3\n", ["x", "y"]),
        ("  x    y\n 1.5  2\n  2   3\n", ["x", "y"]),
        ("x|y\n1.5|2\n2|3\n", ["x", "y"]),
        ("# a comment, with commas\n# more\nx,y\n1.5,2\n# inside\n2,3\n", ["x", "y"]),
        ("# x y\n1.5 2\n2 3\n", ["x", "y"]),  # as numpy.savetxt writes names
        ("#x,y\n1.5,2\n2,3\n", ["x", "y"]),
        ("\n\nx,y\n1.5,2\n2,3\n", ["x", "y"]),
        ('"x","y"\n1.5,2\n2,3\n', ["x", "y"]),
        ('x, "y"\n1.5, 2\n2, 3\n', ["x", "y"]),  # spaces before quotes
        ('"x","drag\n(counts)"\n1.5,2\n2,3\n', ["x", "drag (counts)"]),
        ("x;y, in m\n1,5;2\n2;3\n", ["x", "y, in m"]),
        ("x\tthe y, z\n1,5\t2\n2\t3\n", ["x", "the y, z"]),
        ("run number\n1.5\n2\n", ["run number"]),
    ],
)
def test_dialects(text, columns):
    source = read_delimited(text, "a.csv")
    assert list(source.rows.columns) == columns
    assert numeric(source, columns[:1]).iloc[:, 0].tolist() == [1.5, 2.0]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# note\n\nx,y\n1,2\n# note\n3,z\n", 6),
        ('"x","a\nb"\n1,2\n3,z\n', 4),
        ('x,y\n1,"2\n"\n3,z\n', 4),
        ("# x,y\n1,2\n3,z\n", 3),
        ("x,y\nm,s\n3,z\n", 3),
    ],
)
def test_lines_are_those_of_the_file(text, line):
    source = read_delimited(text, "a.csv")
    with pytest.raises(DataError, match=f"line {line} of a.csv, column .*'z' is not a number"):
        numeric(source, list(source.rows.columns))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# only a comment\n", "has no rows of data"),
        ("# two words here\n1,2\n3,4\n", "is the header row missing"),
        ("1;2\n1,5;2\n", "is the header row missing"),
        ("# note\nx,y\n1,2\n3,4,5\n", "Expected 2 fields in line 4, saw 3"),
        ('x,y\n1,"2\n', "EOF inside string"),
        ("x" * 200_000 + ",y\n1,2\n", "line 1 cannot be read as a header: field larger"),
        ("x" * 120_000 + ",y\n1,2\n", "a name of 120000 characters"),
    ],
    ids=lambda value: value[:20],
)
def test_errors_say_what_is_wrong(text, words):
    with pytest.raises(DataError, match=f"a.csv.*{words}"):
        read_delimited(text, "a.csv")


def test_number_signs_inside_cells_stay():
    source = read_delimited('case,x\n"a\n#b",1\nc#d,2\n', "a.csv")
    assert source.rows["case"].tolist() == ["a\n#b", "c#d"]


def test_very_wide_tables_are_refused_before_they_are_read(monkeypatch):
    monkeypatch.setattr("pandas.read_csv", None)
    names = [f"c{i}" for i in range(20_000)]
    text = "\n".join([",".join(names), *[",".join(["1"] * len(names))] * 3])
    with pytest.raises(DataError, match=r"a\.csv has 20000 columns, and no more than 5000"):
        read_delimited(text, "a.csv")


@pytest.mark.parametrize(
    "text", ['a;"b (m)"\n1;2\n3\n', '"a#"|b c\n1|2\n3\n', "x, y\n1, 2\n3\n", 'a\t"x,y"\n1\t2\n3\n']
)
def test_a_short_row_does_not_change_the_separator(text):
    source = read_delimited(text, "a.csv")
    assert source.rows.shape == (2, 2)
    with pytest.raises(DataError, match=r"line 3 of a\.csv, column .*the value is missing"):
        numeric(source, list(source.rows.columns))


def test_underscores_divide_no_digits():
    with pytest.raises(DataError, match="'1_000' is not a number"):
        numeric(read_delimited("x\n1_000\n", "a.csv"), ["x"])


def test_a_short_row_between_spaces_is_refused():
    long = "x y z\n" + "1 2 3\n" * 8
    with pytest.raises(DataError, match=r"line 10 of a\.txt has fewer cells than the header"):
        read_delimited(f"{long}1 2\n1 2 3\n", "a.txt")
    assert len(read_delimited(f"{long}\n1 2 3\n", "a.txt").rows) == 9
