"""Units in a row of their own, right below the names of the columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..errors import DataError

_WORDS = re.compile(r"\S+")
_PREFIXES = ("", *"fpnuµμmcdhkMGTP", "da")
_SCALED = _WORDS.findall(
    "m s g N Pa K W J V A Hz mol cd rad sr C F H S T Wb lm lx Bq Gy Sv L l bar eV Ohm Ω cal t "
    "Wh VA var"
)
_PLAIN = _WORDS.findall(
    "% ‰ ° °C °F °R degC degF deg degree degrees rad radian radians grad rev rpm rps min h hr d "
    "day days wk yr year years sec seconds hours minutes ft in inch yd mi nmi kn kt kts knot knots "
    "mph lb lbs lbf lbm slug oz psi psf ksi atm torr mmHg hp Btu BTU dB dBA ppm ppb pH count "
    "counts gal px pixel cycles sq sqft cu cfm gpm USD EUR $ € £ wt vol mol% wt% vol% Mach"
)
_KNOWN = frozenset(_PLAIN) | {prefix + unit for prefix in _PREFIXES for unit in _SCALED}
#: Cells that say that a column has no unit.
_NONE = frozenset({"", "-", "--", "1", "[-]", "[]", "(-)", "[1]", "()"})
_BRACKETS = re.compile(r"^(\[[^\[\]]{1,30}\]|\([^()]{1,30}\)|<[^<>]{1,30}>)$")
#: What stands between the words of a unit; powers that follow a word at once are 2 to 9.
_BETWEEN = re.compile(r"[\s*/·.^()\[\]⁰¹²³⁴⁵⁶⁷⁸⁹⁻+-]+|(?<=[A-Za-zµμΩ°])[2-9](?![0-9])")


def looks_like_unit(cell: str) -> bool:
    """Whether a cell is written as units are.

    >>> [looks_like_unit(cell) for cell in ("m/s", "kg m^-3", "[counts]", "0.5", "failed", "")]
    [True, True, True, False, False, False]
    """
    cell = cell.strip()
    if cell in _NONE:
        return False
    if _BRACKETS.match(cell):
        return not _is_number(cell[1:-1])
    words = [word for word in _BETWEEN.split(cell) if word and not word.isdigit()]
    return bool(words) and len(cell) <= 30 and all(word in _KNOWN for word in words)


def units_of_row(cells: Sequence[str]) -> list[str] | None:
    """Units that a row holds, empty where a column has none; None if it is not a row of units."""
    stripped = [cell.strip() for cell in cells]
    if stripped and all(cell in _NONE - {"", "1"} for cell in stripped):
        return [""] * len(stripped)
    if not any(looks_like_unit(cell) for cell in stripped):
        return None
    if not all(looks_like_unit(cell) or cell in _NONE for cell in stripped):
        return None
    return [_bare(cell) if looks_like_unit(cell) else "" for cell in stripped]


def may_have_unit(cells: Sequence[str]) -> bool:
    """Whether the cells below one that looks like a unit may be measured in it.

    Labels may look like units, too: A2, below it B2. A column of numbers has one number at least.

    >>> may_have_unit(["failed", "0,5"]), may_have_unit(["B2", "C3"]), may_have_unit(["", ""])
    (True, False, True)
    """
    filled = [cell for cell in cells if cell.strip()]
    return not filled or any(_is_number(cell.replace(",", ".")) for cell in filled)


def common_units(by_file: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Units of the columns of several files, which must not contradict each other."""
    known: dict[str, tuple[str, str]] = {}
    for path, units in by_file.items():
        for column, unit in units.items():
            other, first = known.setdefault(column, (unit, path))
            if other != unit:
                raise DataError(
                    f"column {column!r} is in {other!r} in {first}, but in {unit!r} in {path}; "
                    "convert one of them"
                )
    return {column: unit for column, (unit, _) in known.items()}


def _bare(cell: str) -> str:
    return cell[1:-1].strip() if _BRACKETS.match(cell) else cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
