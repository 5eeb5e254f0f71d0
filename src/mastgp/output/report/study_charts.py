"""What the charts of a study's page show: results over cost and inputs, and the held-out check."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...check.heldout import held_out
from ...errors import MastError
from ...next.trials import DONE, FAILED, Trial
from ..studies import best_so_far, spent_until
from .facts import held_out_facts
from .markup import Markup, tag
from .parts import N_COLOURS, figure, mark

if TYPE_CHECKING:
    from ...next.study import Study

#: Trials that charts show, the newest.
MOST_TRIALS = 3_000


def study_data(study: Study, trials: Sequence[Trial]) -> dict[str, Any]:
    """What the script of the page needs."""
    definition = study.definition
    ended, spent = spent_until(trials)
    pairs = list(zip(ended, spent, strict=True))[-MOST_TRIALS:]
    return {
        "target": definition.target,
        "goal": definition.goal,
        "fidelities": [_fidelity(study, i) for i in range(len(definition.costs))],
        "trials": [_trial(trial, float(until), definition.target) for trial, until in pairs],
        "best": [list(step) for step in best_so_far(study, ended, spent)],
        "inputs": [_input(study, i) for i in range(len(definition.domain.names))],
        "heldOut": _check(study),
    }


def _fidelity(study: Study, i: int) -> dict[str, Any]:
    """Name and colour: the most expensive one is black, as in all figures."""
    names = list(study.definition.costs)
    colour = "top" if i == len(names) - 1 else f"cheap{i % N_COLOURS}"
    return {"name": names[i], "colour": colour}


def _trial(trial: Trial, spent: float, target: str) -> dict[str, Any]:
    value = trial.values.get(target) if trial.status == DONE else None
    return {
        "id": trial.id,
        "fidelity": trial.fidelity,
        "failed": trial.status == FAILED,
        "spent": spent,
        "value": value if value is not None and math.isfinite(value) else None,
        "inputs": {name: _plain(value) for name, value in trial.inputs.items()},
    }


def _plain(value: Any) -> Any:
    """Numbers as they are, levels as text."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _input(study: Study, i: int) -> dict[str, Any]:
    domain = study.definition.domain
    name = domain.names[i]
    levels = {category.name: category.levels for category in domain.categories}.get(name)
    if levels is not None:
        return {"name": name, "levels": list(levels)}
    low, high = domain.bounds[name]
    return {"name": name, "low": low, "high": high, "varies": high > low}


def _check(study: Study) -> dict[str, Any] | None:
    """Held-out predictions, where there is a model."""
    try:
        return held_out_facts(held_out(study.model()))
    except MastError:
        return None


def study_pictures(data: dict[str, Any]) -> Markup:
    """Places of the charts, with one legend for all of them."""
    of = [mark(f"b-{f['colour']}", f["name"], f"of {f['name']}") for f in data["fidelities"]]
    best = [mark("bar b-model", "best so far", "best")] if data["best"] else []
    failed = [mark("b-bad", "failed", "failed")] if any(t["failed"] for t in data["trials"]) else []
    charts = [figure("progress", 0, f"{data['target']} over what was spent", "")]
    if data["heldOut"] is not None:
        charts.append(figure("parity", 0, "Held-out check", "bars: 95 % intervals"))
    inputs = [
        figure("over", 0, f"over {own['name']}", "", i) for i, own in enumerate(data["inputs"])
    ]
    return tag(
        "div",
        tag("ul", *reversed(of), *best, *failed, class_="legend"),
        tag("div", *charts, class_="pair"),
        tag("h3", "Where it ran"),
        tag("div", *inputs, class_="slices"),
    )
