"""Trials as tables: what is asked goes out, and comes back with results, perhaps by hand."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..data.cells import as_floats, is_blank
from ..data.fidelities import fidelity_name
from ..data.reading import read_table
from ..data.source import Source
from ..errors import DataError, listed, unknown
from .definition import Definition
from .inputs import Choice, Value
from .matching import Matcher
from .store import Candidate, Proposal
from .telling import outcome_of
from .trials import GIVEN, Trial

if TYPE_CHECKING:
    import pandas as pd

#: Numbers with fewer digits are still those of the trial, within this share of the range.
_ROUNDING = 1e-3
_REASON = "a result from elsewhere"
#: Values by target, or why there are none.
Outcome = Mapping[str, float] | str


def asked_table(definition: Definition, trials: Sequence[Trial]) -> pd.DataFrame:
    """Trials to be run, with empty columns for their results."""
    import pandas as pd

    return pd.DataFrame([_asked(definition, trial) for trial in trials])


def _asked(definition: Definition, trial: Trial) -> dict[str, Any]:
    predicted = trial.predicted
    return {
        "trial": trial.id,
        "fidelity": trial.fidelity,
        **trial.inputs,
        **trial.notes,
        **dict.fromkeys(definition.targets, ""),
        "failure": "",
        "cost": trial.cost,
        "expected": predicted.get("mean"),
        "low95": predicted.get("low"),
        "high95": predicted.get("high"),
        "reason": trial.reason,
    }


def trial_table(definition: Definition, trials: Sequence[Trial]) -> pd.DataFrame:
    """All that is known of trials."""
    import pandas as pd

    rows = [
        {
            **_asked(definition, trial),
            **{name: trial.values.get(name) for name in definition.targets},
            "failure": trial.failure,
            "status": trial.status,
            "attempts": trial.attempts,
            "asked_by": trial.asked_by,
            "asked_at": _time(trial.asked_at),
            "started_at": _time(trial.started_at),
            "ended_at": _time(trial.ended_at),
        }
        for trial in trials
    ]
    return pd.DataFrame(rows)


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


@dataclass(frozen=True)
class Told:
    """What a table says.

    Attributes
    ----------
    outcomes : mapping of id to values by target, or to the reason of a failure
    new : list of (Proposal, values or reason)
        Runs that nobody asked for.
    empty : int
        Rows without a result.
    """

    outcomes: dict[int, Outcome]
    new: list[tuple[Proposal, Outcome]]
    empty: int


def told(
    definition: Definition, trials: Sequence[Trial], table: Any, pool: Sequence[Candidate] = ()
) -> Told:
    """Read a table of results by trial id; an error names the line.

    A row without a trial's id is a run that nobody asked for: it needs inputs and a fidelity. A row
    without a result is left out. NaN as a result, or text in the column ``failure``, is a failure.
    """
    source = source_of(table)
    rows = _Rows(definition, source, pool=pool)
    known = {trial.id: trial for trial in trials}
    found = Told({}, [], 0)
    empty = 0
    for label in source.rows.index:
        outcome = rows.outcome(label)
        id = rows.trial(label)
        if outcome is None:
            empty += 1
        elif id is None:
            found.new.append((rows.proposal(label), outcome))
        elif id not in known:
            raise DataError(f"{source.place(label)}: there is no trial {id} in this study")
        elif id in found.outcomes:
            raise DataError(f"{source.place(label)}: trial {id} is there twice")
        else:
            rows.check_same_place(label, known[id])
            found.outcomes[id] = outcome
    return Told(found.outcomes, found.new, empty)


def results_of(
    definition: Definition,
    table: Any,
    fidelity: str | None = None,
    pool: Sequence[Candidate] = (),
) -> list[tuple[Proposal, Outcome]]:
    """Results from elsewhere: every row has inputs, targets and a fidelity.

    With a pool, a column that names its candidates may stand for the inputs.
    """
    source = source_of(table)
    rows = _Rows(definition, source, fidelity, pool)
    found = []
    for label in source.rows.index:
        outcome = rows.outcome(label)
        missing = f"{definition.target} is missing"
        found.append((rows.proposal(label), missing if outcome is None else outcome))
    return found


def source_of(table: Any) -> Source:
    """A table of any kind as a source whose rows have places."""
    if isinstance(table, str | os.PathLike):
        return read_table(table)
    if not hasattr(table, "columns"):
        raise DataError("expected a table: a DataFrame, or the path of a file")
    return Source("the table", table.rename(columns=str).reset_index(drop=True), first=0)


class _Rows:
    """Rows of a table, read one by one."""

    def __init__(
        self,
        definition: Definition,
        source: Source,
        fidelity: str | None = None,
        pool: Sequence[Candidate] = (),
    ) -> None:
        self._definition, self._source, self._fidelity = definition, source, fidelity
        self._pool, self._matcher = pool, Matcher(definition.domain, pool)
        columns = source.rows.columns
        if missing := [name for name in definition.targets if name not in columns]:
            raise DataError(
                f"{source.path} has no column {listed(missing)}; it has {listed(columns)}"
            )
        self._blank = {name: is_blank(source.rows[name]) for name in columns}
        self._place = {label: row for row, label in enumerate(source.rows.index)}

    def _cell(self, label: Any, column: str) -> Any:
        """A cell, or None where it is empty or the column is missing."""
        if column not in self._blank:
            return None
        cell = self._source.rows.at[label, column]
        text = str(cell).strip().lower()
        if self._blank[column][self._place[label]] and text not in ("nan", "-nan"):
            return None
        return cell

    def outcome(self, label: Any) -> Outcome | None:
        """What a row says: values, the reason of a failure, or nothing."""
        failure = self._failure(label)
        if failure is not None:
            return failure
        targets = self._definition.targets
        cells = {name: self._cell(label, name) for name in targets}
        if all(cell is None for cell in cells.values()):
            return None
        values = {name: self._number(label, name, cell) for name, cell in cells.items()}
        return outcome_of(values, targets, self._source.place(label))

    def _failure(self, label: Any) -> str | None:
        cell = self._cell(label, "failure")
        text = "" if cell is None else str(cell).strip()
        return None if text.lower() in ("", "nan", "none") else text

    def _number(self, label: Any, name: str, cell: Any) -> float:
        """A result as a number; NaN only where the cell says so."""
        where = f"{self._source.place(label)}, column {name!r}"
        if cell is None:
            raise DataError(f"{where}: the value is missing, and others of this row are there")
        column = self._source.rows[name].loc[[label]]
        value = float(as_floats(column, self._source)[0])
        if value != value and str(cell).strip().lower() not in ("nan", "-nan"):
            raise DataError(
                f"{where}: {str(cell)[:60]!r} is not a number; correct it, or write why the run "
                "failed into the column 'failure'"
            )
        return value

    def trial(self, label: Any) -> int | None:
        """The id of a row's trial, or None."""
        cell = self._cell(label, "trial")
        if cell is None or str(cell).strip().lower() == "nan":
            return None
        try:
            number = float(str(cell))
            if number % 1.0 == 0.0:
                return int(number)
        except (ValueError, OverflowError):
            pass
        raise DataError(f"{self._source.place(label)}: {str(cell)[:40]!r} is no number of a trial")

    def proposal(self, label: Any) -> Proposal:
        """The run of a row that has no trial."""
        where = self._source.place(label)
        fidelity = self._fidelity or self._cell(label, "fidelity")
        costs = self._definition.costs
        if fidelity is None:
            raise DataError(f"{where} has neither a trial nor a fidelity; fill one of them in")
        name = fidelity_name(str(fidelity).strip())
        if name not in costs:
            raise unknown(f"fidelity in {where}", name, costs)
        inputs, row = self._somewhere(label, where)
        return Proposal(inputs, name, _REASON, GIVEN, row, {})

    def _somewhere(self, label: Any, where: str) -> tuple[Mapping[str, Value], int | None]:
        """Inputs of a row without a trial, and the candidate that has them."""
        if (named := self._named(label, where)) is not None:
            inputs = self._pool[named].inputs
            if wrong := self._differing(label, inputs):
                name, cell = wrong
                raise DataError(
                    f"{where}: the candidate that it names has {name} = {inputs[name]}, and this "
                    f"row says {cell}"
                )
            return inputs, named
        point = self._definition.domain.read(self._inputs(label), where)
        return point, next(iter(self._matcher.at(point)), None)

    def _named(self, label: Any, where: str) -> int | None:
        """The candidate that a row names."""
        for column in self._matcher.naming:
            if (name := self._cell(label, column)) is None:
                continue
            if (row := self._matcher.named(column, name)) is None:
                raise DataError(f"{where}: no candidate has {column} = {str(name)[:60]!r}")
            return row
        return None

    def _inputs(self, label: Any) -> dict[str, Any]:
        """Inputs of a row, as far as they are there."""
        found: dict[str, Any] = {}
        for name, one in self._definition.domain.inputs.items():
            if (cell := self._cell(label, name)) is None:
                continue
            column = self._source.rows[name].loc[[label]]
            number = as_floats(column, self._source)[0]
            found[name] = cell if isinstance(one, Choice) or number != number else float(number)
        return found

    def check_same_place(self, label: Any, trial: Trial) -> None:
        """Refuse results of another place or fidelity than the trial's."""
        where = self._source.place(label)
        fidelity = self._cell(label, "fidelity")
        if fidelity is not None and fidelity_name(str(fidelity).strip()) != trial.fidelity:
            raise DataError(
                f"{where}: trial {trial.id} was asked at {trial.fidelity!r}, not {fidelity!r}"
            )
        if wrong := self._differing(label, trial.inputs):
            name, cell = wrong
            raise DataError(
                f"{where}: trial {trial.id} was asked at {name} = {trial.inputs[name]}, and this "
                f"row says {cell}; for a run that was made elsewhere leave the column 'trial' empty"
            )

    def _differing(self, label: Any, inputs: Mapping[str, Value]) -> tuple[str, Any] | None:
        """The first input of a row that is another one, beyond rounding, with its cell."""
        for name, cell in self._inputs(label).items():
            one = self._definition.domain.inputs[name]
            try:
                away = abs(one.unit(cell) - one.unit(inputs[name]))
            except ValueError:
                away = 1.0
            if away > _ROUNDING:
                return name, cell
        return None
