"""What each column of a table is for: target, fidelity, noise, input, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import NamedTuple

from ..errors import DataError, listed

#: The column of the response, one for each of several responses, or one for each fidelity.
Target = str | Sequence[str] | Mapping[str, str]


class Header(NamedTuple):
    """Names of a table's columns.

    Attributes
    ----------
    path : str
        What the table is called in messages.
    columns : list of str
    """

    path: str
    columns: list[str]

    def check_has(self, needed: Iterable[str]) -> None:
        """Raise an error that names the columns which are needed and not there."""
        known = set(self.columns)
        missing = [column for column in needed if column not in known]
        if missing:
            raise DataError(
                f"{self.path} has no column {listed(missing)}; its columns are "
                f"{listed(self.columns)}{_did_you_mean(missing[0], self.columns)}"
            )


@dataclass(frozen=True)
class Roles:
    """What the user says each column is for.

    Attributes
    ----------
    target : str, sequence of str, or mapping of fidelity name to str
        One column of results, one for each of several targets, or with a mapping one for each
        fidelity.
    fidelity, noise : str or None
    inputs : sequence of str or None
        None for all columns that have no other role.
    ignore : sequence of str
    """

    target: Target
    fidelity: str | None = None
    noise: str | None = None
    inputs: Sequence[str] | None = None
    ignore: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuse columns with two roles."""
        for what, names in (("inputs", self.inputs), ("ignore", self.ignore)):
            if isinstance(names, str):
                raise DataError(f"{what} must be a list of column names, as [{names!r}]")
        if self.results and self.fidelity is not None:
            raise DataError(
                "either a column names each row's fidelity, or each fidelity has a column of "
                "results; not both"
            )
        inputs = self.inputs or ()
        if "" in self.named or not (self.results or self.targets):
            raise DataError("a column name is empty; say which column holds the target")
        _check_once("column", self.named)
        _check_once("input", inputs)
        for column in self.named:
            if column in inputs:
                raise DataError(f"column {column!r} cannot be both an input and something else")
            if column in self.ignore:
                raise DataError(f"column {column!r} is needed and cannot be ignored")

    @property
    def results(self) -> dict[str, str]:
        """The column of results of each fidelity; empty where all share one column."""
        return dict(self.target) if isinstance(self.target, Mapping) else {}

    @property
    def targets(self) -> list[str]:
        """The columns of results that every table has: one for each target."""
        if isinstance(self.target, Mapping):
            return []
        return [str(c) for c in ([self.target] if isinstance(self.target, str) else self.target)]

    @property
    def named(self) -> list[str]:
        """Columns of targets, fidelity and noise, as far as there are any."""
        targets = self.results.values() if self.results else self.targets
        return [str(c) for c in (*targets, self.fidelity, self.noise) if c is not None]

    def resolved(self, headers: Sequence[Header]) -> Roles:
        """The same with targets that were joined by commas taken apart.

        A column that has such a name itself stays what it is.
        """
        known = {column for header in headers for column in header.columns}
        if isinstance(self.target, Mapping) or all(name in known for name in self.targets):
            return self
        parts = [
            part.strip()
            for name in self.targets
            for part in ([name] if name in known else name.split(","))
        ]
        return replace(self, target=parts)

    def needed_in(self, header: Header) -> list[str]:
        """Columns of target, fidelity and noise that a table must have.

        Of the columns of results of several fidelities it is those that are there, or the first.
        """
        results = list(self.results.values())
        there = [column for column in results if column in header.columns] or results[:1]
        return [c for c in self.named if c not in results or c in there]

    def inputs_of(self, headers: Sequence[Header]) -> list[str]:
        """Check the columns of all tables, and return the names of the inputs."""
        for header in headers:
            header.check_has(self.needed_in(header))
        known = {column for header in headers for column in header.columns}
        unknown = [column for column in self.ignore if column not in known]
        if unknown:
            raise DataError(
                f"there is no column {listed(unknown)} to ignore{_did_you_mean(unknown[0], known)}"
            )
        if not self.inputs:
            return _common_inputs(headers, {*self.named, *self.ignore})
        for header in headers:
            header.check_has(self.inputs)
        return list(self.inputs)


def target_name(roles: Roles) -> str | Mapping[str, str] | None:
    """Name of the only target, or of each fidelity's; several are columns with names."""
    if roles.results:
        return roles.results
    return roles.targets[0] if len(roles.targets) == 1 else None


def how_to_ignore(column: str) -> str:
    """Say how a column is ignored, on the command line and in Python."""
    return f"--ignore {column!r}, in Python ignore=[{column!r}]"


def _check_once(kind: str, names: Sequence[str]) -> None:
    repeated = sorted({name for name in names if list(names).count(name) > 1})
    if repeated:
        raise DataError(f"{kind} {listed(repeated)} is named twice")


def _common_inputs(headers: Sequence[Header], not_inputs: set[str]) -> list[str]:
    """Columns without another role, which must be the same in all tables."""
    first, *others = (
        Header(path, [column for column in columns if column not in not_inputs])
        for path, columns in headers
    )
    if not first.columns:
        raise DataError(f"{first.path} has no columns besides {listed(sorted(not_inputs))}")
    for other in others:
        _check_same_columns(first, other)
    return first.columns


def _check_same_columns(first: Header, other: Header) -> None:
    here, there = set(first.columns), set(other.columns)
    lacking = [column for column in first.columns if column not in there]
    beyond = [column for column in other.columns if column not in here]
    if not lacking and not beyond:
        return
    differences = "; ".join(
        f"{here.path} has no column {listed(missing)}, but {there.path} has"
        for here, there, missing in ((other, first, lacking), (first, other, beyond))
        if missing
    )
    advice = _misspelt(lacking, beyond) or (
        "All files need the same inputs: rename or add the column, or leave it out "
        f"({how_to_ignore([*lacking, *beyond][0])})"
    )
    raise DataError(f"{differences}. {advice}")


def _misspelt(lacking: list[str], beyond: list[str]) -> str:
    """A question where a column of one file looks like one of another that is spelt otherwise."""
    for name in lacking:
        for similar in get_close_matches(name, beyond, n=1):
            return f"Are {name!r} and {similar!r} the same column? Then give them one name"
    return ""


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    by_lower = {str(column).lower(): str(column) for column in known}
    near = get_close_matches(str(name).lower(), by_lower, n=1, cutoff=0.6)
    return f" (did you mean {by_lower[near[0]]!r}?)" if near else ""
