"""Two stores compared unit by unit: the same numbers to the last bit, or what differs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .units import Unit, latest


@dataclass(frozen=True)
class Difference:
    """A value of a unit that is not the same in both stores.

    Attributes
    ----------
    unit : Unit
    name : str
        Name of the value, such as ``rmse``.
    before, after : object
        The values; None where there is none.
    """

    unit: Unit
    name: str
    before: Any
    after: Any

    @property
    def relative(self) -> float:
        """Difference of two numbers over the larger of them; infinite for anything else."""
        pair = (self.before, self.after)
        if not all(isinstance(value, int | float) and math.isfinite(value) for value in pair):
            return math.inf
        return float(abs(self.after - self.before) / max(map(abs, pair)))

    def __str__(self) -> str:
        u = self.unit
        where = f"{u.experiment} {u.problem} {u.method} {u.setting}".rstrip()
        change = f"{self.name} {self.before} -> {self.after}"
        return f"{where}, seed {u.seed}: {change} (relative {self.relative:.1e})"


@dataclass(frozen=True)
class Comparison:
    """What two stores have in common, and where they differ.

    Attributes
    ----------
    n_units : int
        Units that are in both stores.
    only_before, only_after : list of Unit
    differences : list of Difference
        Largest relative difference first.
    """

    n_units: int
    only_before: list[Unit]
    only_after: list[Unit]
    differences: list[Difference]

    @property
    def identical(self) -> bool:
        """Whether both stores have the same units with the same values."""
        return not (self.only_before or self.only_after or self.differences)

    @property
    def n_differing(self) -> int:
        """Number of units of which some value differs."""
        return len({difference.unit for difference in self.differences})


def compare(before: Iterable[Mapping[str, Any]], after: Iterable[Mapping[str, Any]]) -> Comparison:
    """Compare stored results unit by unit; times and versions of the code are left out.

    Of a unit that was tried several times the last result counts. Scores that are new since are
    no difference.
    """
    first, second = latest(before), latest(after)
    differences = [
        difference
        for unit in first
        if unit in second
        for difference in _differences(unit, first[unit], second[unit])
    ]
    return Comparison(
        n_units=len(first.keys() & second.keys()),
        only_before=[unit for unit in first if unit not in second],
        only_after=[unit for unit in second if unit not in first],
        differences=sorted(differences, key=lambda d: -d.relative),
    )


def _differences(
    unit: Unit, before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[Difference]:
    names = [name for name in before if _is_compared(name)]
    return [
        Difference(unit, name, before[name], after.get(name))
        for name in names
        if not _same(before[name], after.get(name))
    ]


def _is_compared(name: str) -> bool:
    return name != "version" and not name.endswith("_seconds")


def _same(a: Any, b: Any) -> bool:
    """Whether two values are equal; NaN equals NaN."""
    return bool(a == b or (a != a and b != b))
