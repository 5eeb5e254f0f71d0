"""What commands print of a model: its summary, its held-out check, and its verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import terminal

if TYPE_CHECKING:
    from rich.table import Table

    from ..data.dataset import Dataset

#: Rows of the tables that `mast fit` prints; the rest is in the model.
MOST_CANDIDATES_SHOWN = 8
#: Levels of a categorical input that a table names.
MOST_LEVELS_SHOWN = 5
#: A held-out error this many times that of the expensive points alone is worth a word.
LOSING = 1.1
#: So is an NLPD this much above theirs, and intervals that cover this much less.
LESS_LIKELY, COVERS_LESS = 0.5, 0.15
#: Intervals that cover at least this share are not called too narrow.
COVERS_ENOUGH = 0.85
#: Errors of this share of the target's spread are rounding.
ROUNDING = 1e-6

#: Facts that have a place of their own in what is printed, or are for JSON only.
_PLACED = frozenset(
    {
        "method",
        "label",
        "target",
        "unit",
        "predicts",
        "costs_assumed",
        "output",
        "seconds",
        "factors",
    }
)

#: What the columns of a held-out check mean.
_SCORES = (
    "NLPD: mean negative log density of the held-out values. CRPS: mean ranked probability score.\n"
    "Both judge the mean and its uncertainty together. Smaller is better."
)

#: What is known of one row of a table.
Row = Mapping[str, Any]
#: How each column of a table is written, by its heading.
Columns = dict[str, Callable[[Row], str]]


def print_summary(facts: Row) -> None:
    """Print what a model was fitted to and what it learned; `facts` are of `summarise`."""
    what = _with_unit({"name": facts["target"] or "y", "unit": facts.get("unit")})
    terminal.say(f"{facts['label']} surrogate of {what} as {facts['predicts']} sees it")
    terminal.out().print(_fidelity_table(facts["fidelities"]))
    terminal.out().print(_input_table(facts["inputs"], facts["predicts"]))
    for line in _learned(facts):
        terminal.say(line)
    if facts["costs_assumed"]:
        terminal.out().print(
            "Costs were not given: a ratio of 10 per step of the order is assumed."
        )


def _fidelity_table(fidelities: Sequence[Row]) -> Table:
    """The fidelities, most expensive first."""
    columns: Columns = {
        "fidelity": lambda row: row["name"],
        "points": lambda row: str(row["points"]),
        "cost": lambda row: _number(row["cost"], "g"),
        "noise std": _noise,
    }
    if any("trust" in row for row in fidelities):
        columns["trust"] = _trust
    return _table(reversed(fidelities), columns)


def _input_table(inputs: Sequence[Row], top: str) -> Table:
    """The inputs, their range, and that of the expensive points."""
    columns: Columns = {
        "input": _with_unit,
        "range": _range,
        f"{top} points": _range_of_expensive,
    }
    if "lengthscale" in inputs[0]:
        columns["lengthscale (share of range)"] = lambda row: _number(row["lengthscale"], ".2f")
    return _table(inputs, columns)


def _range(row: Row) -> str:
    """Range of an input, or its levels."""
    if "levels" in row:
        return _some(row["levels"])
    scale = " (log)" if row.get("log") else ""
    return f"{row['low']:g} to {row['high']:g}{scale}"


def _range_of_expensive(row: Row) -> str:
    """Range of the expensive points, or how many levels they have."""
    if "levels" in row:
        return f"{len(row['expensive_levels'])} of {len(row['levels'])} levels"
    return "{:g} to {:g}".format(*row["expensive_points"])


def _some(levels: Sequence[str]) -> str:
    """The first levels of an input."""
    return ", ".join(levels[:MOST_LEVELS_SHOWN]) + (", ..." if levels[MOST_LEVELS_SHOWN:] else "")


def _learned(facts: Row) -> Iterator[str]:
    """What only some models have to say: factors, the members of a blend."""
    if facts.get("factors"):
        factors = ", ".join(f"{factor:.3g}" for factor in facts["factors"])
        yield f"Factor between fidelities: {factors}"
    for name, value in facts.items():
        if name not in _PLACED and isinstance(value, str | int | float):
            yield f"{name.replace('_', ' ')}: {_plain(value)}"
    if facts.get("weights"):
        yield f"Blend of {_members(facts['weights'])}"


def print_verdict(facts: Row) -> None:
    """Print what the cheap data are worth, if the model says so; below the table it is from."""
    for entry in facts.get("verdict", []):
        terminal.say(entry["sentence"])


def _plain(value: str | float) -> str:
    """A fact in words or as a number."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:.4g}"


def _members(weights: Mapping[str, float]) -> str:
    """The heaviest members of a blend, and what the others weigh together."""
    heaviest = list(weights.items())[:MOST_CANDIDATES_SHOWN]
    shown = {_in_print(name): weight for name, weight in heaviest if weight >= 0.01}
    rest = sum(weights.values()) - sum(shown.values())
    if rest >= 0.005:
        shown["others"] = rest
    return "; ".join(f"{name} {weight:.2f}" for name, weight in shown.items())


def _in_print(name: str) -> str:
    """A candidate's name with its traits in brackets: ar1 (warped)."""
    family, comma, traits = name.partition(", ")
    return f"{family} ({traits})" if comma else name


def print_check(rows: Sequence[Row], data: Dataset) -> None:
    """Print the rows of a held-out check, and whether the cheap data made things worse."""
    if not rows:
        return
    terminal.out().print(_check_table(rows, f"Held-out check on the {data.top.name} points"))
    terminal.say(_SCORES)
    note_a_loss(rows, data)


def _check_table(rows: Sequence[Row], title: str) -> Table:
    """The heaviest models, and the expensive points alone."""
    columns: Columns = {
        "model": lambda row: _in_print(row["model"]),
        "weight": lambda row: f"{row['weight']:.2f}",
        **_score_columns(),
    }
    if "weight" not in rows[0]:
        del columns["weight"]
    return _table(_worth_showing(rows), columns, title)


def comparison_table(rows: Sequence[Row], title: str) -> Table:
    """Models side by side."""
    columns: Columns = {
        "model": lambda row: row["model"],
        "points": lambda row: str(row["points"]),
        **_score_columns(),
    }
    return _table([finite(row) for row in rows], columns, title)


def finite(row: Row) -> dict[str, Any]:
    """A row in which numbers that are not finite are None."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in row.items()
    }


def _score_columns() -> Columns:
    return {
        "RMSE": lambda row: _number(row["rmse"], ".4g"),
        "NLPD": lambda row: _number(row["nlpd"], ".4g"),
        "CRPS": lambda row: _number(row["crps"], ".4g"),
        "95 % covers": lambda row: _number(row["coverage95"], ".0%"),
    }


def _worth_showing(rows: Sequence[Row]) -> Iterator[Row]:
    """The first rows, the expensive points alone, and what the others weigh together."""
    from ..check.validation import ALONE

    first, others = rows[:MOST_CANDIDATES_SHOWN], rows[MOST_CANDIDATES_SHOWN:]
    yield from first
    yield from (row for row in others if row["model"] == ALONE)
    rest = sum(row.get("weight", 0.0) for row in others if row["model"] != ALONE)
    if rest >= 0.005:
        unknown = dict.fromkeys(("rmse", "nlpd", "crps", "coverage95"))
        yield {"model": "others", "weight": rest, **unknown}


def note_a_loss(rows: Sequence[Row], data: Dataset) -> None:
    """Say so where the expensive points alone do better, in error or in their intervals."""
    from ..check.validation import ALONE

    fused, alone = rows[0], {row["model"]: row for row in rows}.get(ALONE)
    if alone is None or fused["rmse"] is None or alone["rmse"] is None:
        return
    advice = "" if "weight" in fused else " --method auto weighs both."
    if fused["rmse"] <= ROUNDING * data.scale_of(data.top.y):
        return
    if fused["rmse"] > LOSING * alone["rmse"]:
        terminal.note(_larger_error(fused, alone) + advice)
    elif loss := _worse_intervals(fused, alone):
        terminal.note(loss + advice)


def _larger_error(fused: Row, alone: Row) -> str:
    return (
        f"{fused['model']} does worse on held-out points than the expensive points alone "
        f"(RMSE {fused['rmse']:.4g} against {alone['rmse']:.4g}). Do the cheap data belong to "
        "these points, and is every input column one?"
    )


def _worse_intervals(fused: Row, alone: Row) -> str:
    """What is wrong with the intervals, if it is worth a word; else nothing."""
    losses = []
    if _exceeds(fused["nlpd"], alone["nlpd"], LESS_LIKELY):
        losses.append(f"NLPD {fused['nlpd']:.4g} against {alone['nlpd']:.4g}")
    covers, others_cover = fused["coverage95"], alone["coverage95"]
    if _exceeds(others_cover, covers, COVERS_LESS) and covers < COVERS_ENOUGH:
        losses.append(f"95 % intervals that cover {covers:.0%} against {others_cover:.0%}")
    if not losses:
        return ""
    return (
        f"{fused['model']} is surer of itself than held-out points allow "
        f"({', '.join(losses)} of the expensive points alone). Take its intervals with care."
    )


def _exceeds(value: float | None, other: float | None, by: float) -> bool:
    return value is not None and other is not None and value > other + by


def _table(rows: Iterable[Row], columns: Columns, title: str | None = None) -> Table:
    """A table with its first column to the left and the others to the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=None if title is None else Text(terminal.plain(title)), title_justify="left"
    )
    for number, heading in enumerate(columns):
        table.add_column(Text(terminal.plain(heading)), justify="right" if number else "left")
    for row in rows:
        table.add_row(*(Text(terminal.plain(write(row))) for write in columns.values()))
    return table


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _with_unit(row: Row) -> str:
    """An input's name, and its unit where it is known."""
    return f"{row['name']} ({row['unit']})" if row.get("unit") else str(row["name"])


def _noise(row: Row) -> str:
    if row["noise_std"] is None:
        return "-"
    words = {"given": row["noise_known"], "at its floor": row.get("noise_at_floor", False)}
    return " ".join([f"{row['noise_std']:.3g}", *(word for word, true in words.items() if true)])


def _trust(row: Row) -> str:
    if "trust" not in row:
        return "-"
    return "{mean:.2f} ({min:.2f} to {max:.2f})".format(**row["trust"])
