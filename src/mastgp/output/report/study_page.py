"""The page of a study: where it stands, what was found, what was spent, and all trials."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from ... import __version__
from ...errors import MastWarning, silenced
from ...files import atomic_write
from .markup import Markup, joined, json_for_page, number, percent, table, tag, void
from .sources import policy, scripts, style
from .study_charts import study_data, study_pictures

if TYPE_CHECKING:
    from ...next.standing import Standing
    from ...next.study import Study
    from ...next.trials import Trial

#: Trials that the table of a page shows, the newest first.
MOST_TRIALS = 500
#: Scripts that run in the page, in this order.
_SCRIPTS = ("charts", "gestures", "tools", "inputs", "checks", "study")


def write_study_page(study: Study, path: str | PathLike[str]) -> None:
    """Write the page of a study to a file.

    Parameters
    ----------
    study : Study
    path : path of the file
    """
    with atomic_write(path) as file:
        file.write(study_html(study).encode("utf-8", "replace"))


def study_html(study: Study, refresh: int | None = None) -> str:
    """The page of a study as text.

    Parameters
    ----------
    study : Study
    refresh : int, optional
        Seconds after which a browser asks for the page again.
    """
    trials = study.trials()
    with silenced(MastWarning):
        standing = study.standing()
        data = study_data(study, trials)
    title = f"Study of {standing.definition.target}"
    main = tag(
        "main",
        _standing_section(standing),
        tag("section", tag("h2", "Progress"), study_pictures(data), id="progress"),
        _spent_section(standing),
        _trials_section(standing, trials),
        id="main",
    )
    content = tag("script", json_for_page(data), type="application/json", id="report-data")
    body = joined([_heading(standing, title), main, _footer(), content, *scripts(_SCRIPTS)])
    whole = tag("html", _head(title, refresh), tag("body", body), lang="en", data_every=refresh)
    return f"<!doctype html>\n{whole}\n"


class StudyPage:
    """The page of a study that others may write to: made anew when there is something new.

    Parameters
    ----------
    open_study : callable
        Opens the study as it is now.
    refresh : int
        Seconds after which a browser asks for the page again.
    """

    def __init__(self, open_study: Callable[[], Study], refresh: int) -> None:
        self._open, self._refresh = open_study, refresh
        self._page = ""
        self._state: Any = None

    def __call__(self) -> str:
        """The page, now."""
        study = self._open()
        state = (study.definition, study.trials())
        if state != self._state:
            self._page, self._state = study_html(study, self._refresh), state
        return self._page


def _head(title: str, refresh: int | None) -> Markup:
    again = void("meta", http_equiv="refresh", content=refresh)  # where no scripts run
    return tag(
        "head",
        void("meta", charset="utf-8"),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", http_equiv="Content-Security-Policy", content=policy(_SCRIPTS)),
        tag("noscript", again) if refresh else "",
        tag("title", title),
        style(),
    )


def _footer() -> Markup:
    return tag("footer", f"Written by mastgp {__version__}.", class_="foot")


def _heading(standing: Standing, title: str) -> Markup:
    goal = standing.definition.goal
    cards = [
        _card("Best so far", _best_value(standing), _best_place(standing)),
        _card("Spent", number(standing.spent), _of_budget(standing)),
        _card("Trials done", str(sum(own.done for own in standing.tallies)), _others(standing)),
    ]
    if standing.check is not None and math.isfinite(standing.check.share):
        more = "held-out error as a share of the spread"
        cards.append(_card("Surrogate", percent(standing.check.share), more))
    lead = tag("p", f"Goal: {goal}.", class_="lead")
    return tag("header", tag("h1", title), lead, tag("div", *cards, class_="cards"), class_="head")


def _card(what: str, value: str, more: str) -> Markup:
    parts = [("what", what), ("number", value), ("more", more)]
    return tag("div", *(tag("div", text, class_=kind) for kind, text in parts), class_="card")


def _best_value(standing: Standing) -> str:
    return "–" if standing.best is None else number(standing.best.value)


def _best_place(standing: Standing) -> str:
    best = standing.best
    if best is None:
        return "There is no expensive result yet."
    places = ", ".join(f"{name} = {_shown(value)}" for name, value in best.where.items())
    low, high = best.interval
    known = f" (95 %: {number(low)} to {number(high)})" if math.isfinite(low + high) else ""
    return f"at {places}{known}"


def _shown(value: Any) -> str:
    return number(value) if isinstance(value, float) else str(value)


def _of_budget(standing: Standing) -> str:
    budget = standing.definition.budget
    limit = "no budget is set" if budget is None or math.isinf(budget) else f"of {number(budget)}"
    return f"{limit}; {number(standing.promised)} in open trials"


def _others(standing: Standing) -> str:
    failed, waiting = (sum(getattr(t, key) for t in standing.tallies) for key in ("failed", "open"))
    return f"{failed} failed, {waiting} open"


def _standing_section(standing: Standing) -> Markup:
    """What the cheap runs are worth, failures, and whether to go on."""
    said = [*standing.verdict, standing.failures]
    said += [] if standing.prospect is None else [standing.prospect.sentence]
    shown = [tag("p", sentence) for sentence in said if sentence]
    nothing = tag("p", "There are too few results to say more.")
    return tag("section", tag("h2", "Where it stands"), *(shown or [nothing]), id="standing")


def _spent_section(standing: Standing) -> Markup:
    rows = [
        [t.fidelity, number(t.cost), t.done, t.failed, t.open, number(t.spent)]
        for t in standing.tallies
    ]
    headings = ["fidelity", "cost", "done", "failed", "open", "spent"]
    shown = table(headings, rows, caption="Runs of each fidelity, and what one costs")
    return tag("section", tag("h2", "Spent per fidelity"), shown, id="spent")


def _trials_section(standing: Standing, trials: Sequence[Trial]) -> Markup:
    """A table of the trials, the newest first."""
    definition = standing.definition
    names = list(definition.domain.names)
    shown = sorted(trials, key=lambda trial: -trial.id)[:MOST_TRIALS]
    rows = [
        [
            trial.id,
            trial.fidelity,
            *(_shown(trial.inputs[name]) for name in names),
            trial.status,
            _shown(trial.values[definition.target]) if definition.target in trial.values else "–",
        ]
        for trial in shown
    ]
    headings = ["trial", "fidelity", *names, "status", definition.target]
    more = f"The newest {MOST_TRIALS} of {len(trials)}." if len(trials) > MOST_TRIALS else ""
    told = table(headings, rows, caption="Trials, the newest first", texts=[0, 1])
    return tag("section", tag("h2", "Trials"), told, tag("p", more), id="trials")
