"""Which candidate of a pool a row of results is about: by its inputs, or by its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from .inputs import Domain, Value
from .pools import note
from .store import Candidate

#: Digits of unit-cube inputs that must agree.
_DIGITS = 9


class Matcher:
    """Finds rows of a pool.

    Parameters
    ----------
    domain : Domain
    pool : sequence of Candidate
    """

    def __init__(self, domain: Domain, pool: Sequence[Candidate]) -> None:
        self._domain = domain
        self._pool = pool

    @cached_property
    def naming(self) -> dict[str, dict[str, int]]:
        """Columns of notes that name every candidate differently, with the rows by their names."""
        if not self._pool:
            return {}
        columns = {c: [one.notes[c] for one in self._pool] for c in self._pool[0].notes}
        return {
            column: {name: row for row, name in enumerate(names)}
            for column, names in columns.items()
            if len(set(names)) == len(names)
        }

    @cached_property
    def _places(self) -> dict[tuple[float, ...], list[int]]:
        found: dict[tuple[float, ...], list[int]] = {}
        for row, key in enumerate(self._keys([one.inputs for one in self._pool])):
            found.setdefault(key, []).append(row)
        return found

    def _keys(self, points: Sequence[Mapping[str, Any]]) -> Iterable[tuple[float, ...]]:
        return (tuple(row) for row in self._domain.unit(points).round(_DIGITS).tolist())

    def at(self, inputs: Mapping[str, Value]) -> list[int]:
        """Rows of the candidates with these inputs."""
        (key,) = self._keys([inputs])
        return self._places.get(key, [])

    def named(self, column: str, name: Any) -> int | None:
        """Row of the candidate of a name, if there is one."""
        return self.naming[column].get(note(name))
