"""The head of a report: its title, one sentence, and the figures that matter most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...check.heldout import HeldOut
from .facts import Entry
from .markup import Markup, joined, number, percent, table, tag
from .parts import listed, target_of

#: Models whose figures are on cards; those of more are in a table.
_MOST_CARDS = 3


def heading(entries: Sequence[Entry], title: str) -> Markup:
    """Title, one sentence, and the figures that matter most."""
    several = len(entries) > 1
    many = len(entries) > _MOST_CARDS
    shown = _at_a_glance(entries) if many else joined(_cards(own, several) for own in entries)
    lead = tag("p", _lead(entries), class_="lead")
    return tag("header", tag("h1", title), lead, shown, class_="head")


def _lead(entries: Sequence[Entry]) -> str:
    """What was modelled from what, in one sentence for all models of the same kind and points."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        counts = " + ".join(f"{len(f.y)} {f.name}" for f in reversed(entry.data.fidelities))
        kinds.setdefault((entry.facts["label"], counts), []).append(target_of(entry))
    return " ".join(
        f"{label} surrogate of {listed(targets)} from {counts} points."
        for (label, counts), targets in kinds.items()
    )


def _at_a_glance(entries: Sequence[Entry]) -> Markup:
    """Score, error, coverage and verdict of many models in one table."""
    rows = []
    for entry in entries:
        own = entry.checked
        scored = ["–"] * 3 if own is None else [_score(own), number(own.rmse), inside(own)]
        rows.append([entry.name, *scored, _effect(entry) or "–"])
    headings = ["model", "prognosis", "RMSE", "inside their 95 % interval", "the cheap data"]
    return table(headings, rows, caption="At a glance, on held-out points", texts=[0, 4])


def _score(checked: HeldOut) -> str:
    """Coefficient of prognosis; less than nothing is nothing."""
    finite = math.isfinite(checked.prognosis)
    return percent(max(checked.prognosis, 0.0), 1) if finite else "–"


def inside(checked: HeldOut) -> str:
    """How many held-out points are inside their 95 % intervals."""
    n = len(checked.y)
    return f"{round(checked.coverage95 * n)} of {n}"


def _effect(entry: Entry) -> str | None:
    """What the cheap data do, in a word or as a change of the error."""
    verdicts = entry.facts.get("verdict")
    if verdicts:
        return _capital(str(verdicts[0]["word"]))
    if entry.alone is None or entry.checked is None:
        return None
    change = entry.checked.rmse / entry.alone["rmse"] - 1.0 if entry.alone["rmse"] else 0.0
    return f"{100.0 * change:+.0f} %".replace("-", "−")


def _cards(entry: Entry, named: bool) -> Markup:
    """Score, error, coverage and verdict at a glance."""
    cards = [_score_card(entry.checked), _error_card(entry), _coverage_card(entry.checked)]
    cards.append(_verdict_card(entry))
    shown = tag("div", *(card for card in cards if card is not None), class_="cards")
    return joined([tag("h3", entry.name) if named else "", shown])


def _card(what: str, value: Any, more: Any, kind: str = "") -> Markup:
    return tag(
        "div",
        tag("div", what, class_="what"),
        tag("div", value, class_=f"number {kind}".strip()),
        tag("div", more, class_="more"),
        class_="card",
    )


def _score_card(checked: HeldOut | None) -> Markup:
    if checked is None or not math.isfinite(checked.prognosis):
        more = (
            "There is nothing to hold out: the expensive points are at one place or all the same."
        )
        return _card("Coefficient of prognosis", "–", more)
    more = "of the variation between held-out expensive points is predicted"
    return _card("Coefficient of prognosis", _score(checked), more)


def _error_card(entry: Entry) -> Markup | None:
    if entry.checked is None:
        return None
    unit = f" {entry.page['unit']}" if entry.page["unit"] else ""
    values = entry.data.top.y
    more = f"held-out values range from {number(values.min())} to {number(values.max())}"
    return _card("Typical error (RMSE)", number(entry.checked.rmse) + unit, more)


def _coverage_card(checked: HeldOut | None) -> Markup | None:
    if checked is None:
        return None
    return _card("Inside their 95 % interval", inside(checked), "held-out expensive points")


def _verdict_card(entry: Entry) -> Markup | None:
    effect, verdicts = _effect(entry), entry.facts.get("verdict")
    if effect is None:
        return None
    if verdicts:
        kind = {"helps": "good", "hurts": "bad"}.get(str(verdicts[0]["word"]), "")
        return _card("The cheap data", effect, verdicts[0]["name"], f"words {kind}")
    kind = "good" if effect.startswith("−") else "bad" if effect.strip("+0 %") else ""
    return _card("Error with the cheap data", effect, "compared with the expensive alone", kind)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
