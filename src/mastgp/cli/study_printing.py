"""What commands print of a study: where it stands, and what happens while it runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from . import terminal

if TYPE_CHECKING:
    from rich.table import Table

    from ..next.runner import Event
    from ..next.standing import Standing, Tally
    from ..next.study import Study
    from ..next.trials import Best


def print_standing(standing: Standing, name: str) -> None:
    """Print where a study stands."""
    definition = standing.definition
    terminal.say(f"{name}: {definition.goal} of {definition.target}")
    terminal.out().print(_tallies(standing.tallies))
    terminal.say(_money(standing))
    for line in _found(standing):
        terminal.say(line)


def _tallies(tallies: tuple[Tally, ...]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for number, heading in enumerate(("fidelity", "cost", "done", "failed", "open", "spent")):
        table.add_column(heading, justify="right" if number else "left")
    for one in tallies:
        done = f"{one.done} ({one.given} from elsewhere)" if one.given else str(one.done)
        cells = (one.fidelity, f"{one.cost:g}", done, str(one.failed), str(one.open))
        table.add_row(*(Text(terminal.plain(cell)) for cell in (*cells, f"{one.spent:g}")))
    return table


def _money(standing: Standing) -> str:
    budget = standing.definition.budget
    text = f"Spent {standing.spent:g}" + ("" if budget is None else f" of {budget:g}")
    if standing.promised:
        text += f", {standing.promised:g} more for open trials"
    if standing.scouted:
        text += f"; {standing.scouted:g} of it to find out whether cheap fidelities help"
    return f"{text}."


def _found(standing: Standing) -> list[str]:
    """What has been found, how sure that is, and whether to go on."""
    lines = [] if standing.best is None else best_lines(standing)
    if standing.check is not None:
        check = standing.check
        lines.append(
            f"Held-out check: the error is {check.rmse:.3g} ({check.share:.0%} of the spread of "
            f"{standing.definition.top} values); 95 % intervals hold {check.coverage95:.0%}."
        )
    elif standing.best is None or standing.prospect is None:
        lines.append(f"There are too few {standing.definition.top} results for a model yet.")
    lines += [*standing.verdict, *([standing.failures] if standing.failures else [])]
    if standing.prospect is not None:
        lines.append(standing.prospect.sentence)
    return lines


def best_lines(standing: Standing) -> list[str]:
    """The best run, and where it is."""
    best, definition = standing.best, standing.definition
    assert best is not None
    number = "" if best.trial is None else f" (trial {best.trial.id})"
    place = ", ".join(f"{name} = {_short(value)}" for name, value in best.where.items())
    lines = [
        f"Best {definition.top} value: {definition.target} = {best.value:.6g}{_interval(best)}"
        f"{number} at {place}"
    ]
    if not best.feasible:
        lines.append("No run satisfies all limits yet; this one comes nearest.")
    return lines


def _interval(best: Best) -> str:
    low, high = best.interval
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    return f", 95 % interval {low:.5g} to {high:.5g}"


def _short(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def print_event(study: Study, event: Event) -> None:
    """Print what happened while a study runs."""
    trial = event.trial
    if event.what in ("started", "found"):
        return
    words = {"done": event.text, "failed": f"failed: {event.text}",
             "again": f"is tried again: {event.text}",
             "slow": f"may hang: {event.text}"}[event.what]  # fmt: skip
    budget = study.definition.budget
    money = f"spent {study.spent:g}" + ("" if budget is None else f" of {budget:g}")
    terminal.say(f"trial {trial.id} {trial.fidelity}: {words} ({money})")
