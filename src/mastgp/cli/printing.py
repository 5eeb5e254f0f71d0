"""What commands print of a model: its summary, and its held-out check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from . import terminal

if TYPE_CHECKING:
    from ..data.dataset import Dataset

#: Rows of the tables that `mast fit` prints; the rest is in the model.
MOST_CANDIDATES_SHOWN = 8
#: A held-out error this many times that of the expensive points alone is worth a word.
LOSING = 1.1
#: Errors of this share of the target's spread are rounding.
ROUNDING = 1e-6

#: What is known of one row of a table.
Row = Mapping[str, Any]
#: How each column of a table is written, by its heading.
Columns = dict[str, Callable[[Row], str]]


def print_summary(facts: Row) -> None:
    """Print what a model was fitted to and what it learned; `facts` are of `summarise`."""
    what = facts["target"] or "y"
    terminal.say(f"{facts['label']} surrogate of {what} as {facts['predicts']} sees it")
    terminal.out.print(_fidelity_table(facts["fidelities"]))
    terminal.out.print(_input_table(facts["inputs"], facts["predicts"]))
    for line in _learned(facts):
        terminal.say(line)
    if facts["costs_assumed"]:
        terminal.out.print("Costs were not given: a ratio of 10 per step of the order is assumed.")


def _fidelity_table(fidelities: Sequence[Row]) -> Table:
    """The fidelities, most expensive first."""
    columns: Columns = {
        "fidelity": lambda row: row["name"],
        "points": lambda row: str(row["points"]),
        "cost": lambda row: _number(row["cost"], "g"),
        "noise (std, learned)": _noise,
    }
    if any("trust" in row for row in fidelities):
        columns["trust"] = _trust
    return _table(reversed(fidelities), columns)


def _input_table(inputs: Sequence[Row], top: str) -> Table:
    """The inputs, their range, and that of the expensive points."""
    columns: Columns = {
        "input": lambda row: row["name"],
        "from": lambda row: f"{row['low']:g}",
        "to": lambda row: f"{row['high']:g}",
        f"{top} points": lambda row: "{:g} to {:g}".format(*row["expensive_points"]),
    }
    if "lengthscale" in inputs[0]:
        columns["lengthscale"] = lambda row: f"{row['lengthscale']:.2f}"
    return _table(inputs, columns)


def _learned(facts: Row) -> Iterator[str]:
    """What only some models have to say: factors, the members of a blend, a verdict."""
    if facts.get("factors"):
        factors = ", ".join(f"{factor:.3g}" for factor in facts["factors"])
        yield f"Factor between fidelities: {factors}"
    if facts.get("weights"):
        heaviest = list(facts["weights"].items())[:MOST_CANDIDATES_SHOWN]
        shown = "; ".join(f"{name} {weight:.2f}" for name, weight in heaviest if weight >= 0.01)
        yield f"Blend of {shown}"
    for entry in facts.get("verdict", []):
        yield entry["sentence"]


def print_check(rows: Sequence[Row], data: Dataset) -> None:
    """Print the rows of a held-out check, and whether the cheap data made things worse."""
    if not rows:
        return
    terminal.out.print(_check_table(rows, f"Held-out check on the {data.top.name} points"))
    terminal.say("NLPD: mean negative log density of the held-out values; smaller is better.")
    if "weight" in rows[0]:
        terminal.say(
            "Co-kriging rows (ar1, general, ...-bias) and the blend look somewhat too good: their "
            "hyperparameters have seen the points."
        )
    note_a_loss(rows, data)


def _check_table(rows: Sequence[Row], title: str) -> Table:
    """The heaviest models, and the expensive points alone."""
    columns: Columns = {
        "model": lambda row: row["model"],
        "weight": lambda row: f"{row['weight']:.2f}",
        "RMSE": lambda row: _number(row["rmse"], ".4g"),
        "NLPD": lambda row: _number(row["nlpd"], ".4g"),
        "95 % covers": lambda row: _number(row["coverage95"], ".0%"),
    }
    if "weight" not in rows[0]:
        del columns["weight"]
    first, others = rows[:MOST_CANDIDATES_SHOWN], rows[MOST_CANDIDATES_SHOWN:]
    alone = [row for row in others if row["model"] == "expensive alone"]
    return _table([*first, *alone], columns, title)


def note_a_loss(rows: Sequence[Row], data: Dataset) -> None:
    """Say so where the cheap data made things worse."""
    name, fused = rows[0]["model"], rows[0]["rmse"]
    alone = {row["model"]: row["rmse"] for row in rows}.get("expensive alone")
    if fused is None or alone is None:
        return
    if fused > LOSING * alone and fused > ROUNDING * data.scale_of(data.top.y):
        advice = "" if "weight" in rows[0] else " --method auto weighs both"
        terminal.note(
            f"{name} does worse on held-out points than the expensive points alone "
            f"(RMSE {fused:.4g} against {alone:.4g}). Do the cheap data belong to these "
            f"points, and is every input column one?{advice}"
        )


def _table(rows: Iterable[Row], columns: Columns, title: str | None = None) -> Table:
    """A table with its first column to the left and the others to the right."""
    table = Table(title=title, title_justify="left")
    for number, heading in enumerate(columns):
        table.add_column(Text(heading), justify="right" if number else "left")
    for row in rows:
        table.add_row(*(Text(write(row)) for write in columns.values()))
    return table


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _noise(row: Row) -> str:
    noise = _number(row["noise_std"], ".3g")
    return f"{noise} given" if row["noise_known"] and row["noise_std"] is not None else noise


def _trust(row: Row) -> str:
    if "trust" not in row:
        return "-"
    return "{mean:.2f} ({min:.2f} to {max:.2f})".format(**row["trust"])
