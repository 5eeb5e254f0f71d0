"""The page of a study: where it stands, what was found, what was spent, and all trials."""

from __future__ import annotations

import base64
import io
import math
import warnings
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from ... import __version__
from ...errors import MastWarning, silenced
from ...files import atomic_write
from .markup import Markup, joined, number, percent, table, tag, void
from .page import asset

if TYPE_CHECKING:
    from ...next.standing import Standing
    from ...next.study import Study
    from ...next.trials import Trial

#: Trials that the table of a page shows, the newest first.
MOST_TRIALS = 500
#: Nothing but the page's own style and its picture.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


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
    """The page of a study as text; no script runs in it.

    Parameters
    ----------
    study : Study
    refresh : int, optional
        Seconds after which a browser asks for the page again.
    """
    with silenced(MastWarning):
        standing = study.standing()
        picture = _picture(study)
    trials = study.trials()
    main = tag(
        "main",
        _standing_section(standing),
        tag("section", tag("h2", "Progress"), picture, id="progress"),
        _spent_section(standing),
        _trials_section(standing, trials),
        id="main",
    )
    title = f"Study of {standing.definition.target}"
    head = [
        void("meta", charset="utf-8"),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        void("meta", http_equiv="refresh", content=refresh) if refresh else "",
        tag("title", title),
        tag("style", Markup(asset("page.css"))),
    ]
    body = joined([_heading(standing, title), main, _footer()])
    return f"<!doctype html>\n{tag('html', tag('head', *head), tag('body', body), lang='en')}\n"


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


def _picture(study: Study) -> Markup:
    """The figure of the study, as an image inside the page."""
    from ..studies import plot_study

    drawn = io.BytesIO()
    with warnings.catch_warnings():
        # A panel without any result yet has nothing to lay out, of which matplotlib complains.
        warnings.simplefilter("ignore", UserWarning)
        plot_study(study).savefig(drawn, format="png", dpi=110)
    source = f"data:image/png;base64,{base64.b64encode(drawn.getvalue()).decode()}"
    said = "Results over what was spent, the held-out check, and results over each input"
    return void("img", src=source, alt=said, style="max-width:100%;height:auto")


def _spent_section(standing: Standing) -> Markup:
    rows = [
        [t.fidelity, number(t.cost), t.done, t.failed, t.open, number(t.spent)]
        for t in standing.tallies
    ]
    headings = ["fidelity", "cost of a run", "done", "failed", "open", "spent"]
    shown = table(headings, rows, caption="Runs and cost of each fidelity")
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
