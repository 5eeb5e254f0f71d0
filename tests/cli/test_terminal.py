"""Options of the form name=value, and what is printed where."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import pandas as pd
import pytest

from mastgp import DataError
from mastgp.cli import terminal
from mastgp.errors import CostWarning


@pytest.mark.parametrize(
    ("text", "names"),
    [(None, None), ("", None), ("a", ["a"]), (" a, b ,c", ["a", "b", "c"]), ("a,,b", ["a", "b"])],
)
def test_lists_of_names(text, names):
    assert terminal.names(text) == names


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (None, {}),
        (["a=1", "b=2.5"], {"a": 1.0, "b": 2.5}),
        (["a=1,b=2.5"], {"a": 1.0, "b": 2.5}),
        (["a = 1"], {"a": 1.0}),
        (["a=b=1"], {"a=b": 1.0}),  # a name may hold the sign, a number may not
    ],
)
def test_numbers_by_name(values, numbers):
    assert terminal.numbers(values, "--cost") == numbers


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["a"], "--cost a: expected a name and a value, as --cost fine=10"),
        (["=1"], "expected a name and a value"),
        (["a=1", "a=2"], "--cost is given twice for 'a'"),
        (["a=cheap"], "--cost a=cheap: 'cheap' is not a number"),
    ],
)
def test_wrong_numbers_are_named(values, words):
    with pytest.raises(DataError, match=words):
        terminal.numbers(values, "--cost")


def test_ranges_by_name():
    assert terminal.ranges(["mach=0.5:0.9,alpha=-2:3"]) == {"mach": (0.5, 0.9), "alpha": (-2, 3)}
    assert terminal.ranges(None) == {}
    for text in ("mach=0.5", "mach=low:high", "mach=1:2:3"):
        with pytest.raises(DataError, match="expected low:high"):
            terminal.ranges([text])


def test_text_is_printed_as_it_is(wide, capsys):
    terminal.say("[red]100[/red]")
    terminal.note("[b]look[/b]")
    captured = capsys.readouterr()
    assert captured.out == "[red]100[/red]\n"
    assert captured.err == "Note: [b]look[/b]\n"


def test_json_holds_numbers_only(capsys):
    terminal.print_json({"a": [1, 0.5]})
    assert json.loads(capsys.readouterr().out) == {"a": [1, 0.5]}
    with pytest.raises(ValueError, match="JSON"):
        terminal.print_json({"a": float("nan")})


def test_warnings_of_the_package_become_notes_each_once(wide, capsys):
    with terminal.notes():
        for _ in range(2):
            warnings.warn("costs are odd", CostWarning, stacklevel=1)
        warnings.warn("not for users", DeprecationWarning, stacklevel=1)
    assert capsys.readouterr().err == "Note: costs are odd\n"


def test_control_characters_never_reach_the_terminal(mast, tmp_path):
    """Neither from names of columns, files and fidelities, nor from cells."""
    bad = "a\x1b[31mb"
    Path(f"{bad}.csv").write_text("x,y\n1,2\n2,3\n4,4\n")
    (tmp_path / "b.csv").write_text(f"x,{bad}\n1,2\n")
    for arguments in (
        ("fit", f"{bad}.csv", "--target", "y", "-o", "m.mast"),
        ("fit", f"{bad}.csv", "--target", "none"),
        ("fit", "b.csv", "--target", "y"),
        ("fit", f"{bad}-none.csv", "--target", "y"),
        ("show", "m.mast"),
        ("predict", "m.mast", f"none{bad}.csv"),
    ):
        _, out, err = mast(*arguments)
        assert "\x1b[31m" not in out + err
        assert "x1b[31m" in out + err


def test_what_is_printed_to_a_terminal_is_escaped(monkeypatch):
    table = pd.DataFrame({"case": ["a\x1b]0;b\x07"], "x\x1b[2J": [1.0]})
    assert terminal.printable(table) is table
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert terminal.printable(table)["case"].tolist() == ["a\\x1b]0;b\\x07"]
    assert list(terminal.printable(table).columns) == ["case", "x\\x1b[2J"]
