"""Units in a row below the header."""

from __future__ import annotations

import pytest

from mastgp import DataError
from mastgp.data.units import common_units, looks_like_unit, units_of_row


@pytest.mark.parametrize(
    "cell", ["m", "m/s", "kg/m3", "kg m^-3", "°C", "%", "[counts]", "(N)", "kPa", "W/(m K)", "deg"]
)
def test_units(cell):
    assert looks_like_unit(cell)


@pytest.mark.parametrize(
    "cell", ["", "-", "0.5", "nan", "failed", "two", "[0.5]", "run A", "foo", "W0", "C1", "m12"]
)
def test_other_cells(cell):
    assert not looks_like_unit(cell)


def test_a_row_of_units_has_nothing_else():
    assert units_of_row(["-", "[deg]", "m/s", ""]) == ["", "deg", "m/s", ""]
    assert units_of_row(["-", "[-]"]) == ["", ""]
    assert units_of_row(["-", ""]) is None
    assert units_of_row([]) is None
    assert units_of_row(["m", "0.5"]) is None
    assert units_of_row(["m", "case A"]) is None


def test_files_must_not_contradict_each_other():
    assert common_units({"a": {"x": "m"}, "b": {"x": "m", "y": "s"}}) == {"x": "m", "y": "s"}
    with pytest.raises(DataError, match="'x' is in 'm' in a, but in 'mm' in b; convert one"):
        common_units({"a": {"x": "m"}, "b": {"x": "mm"}})
