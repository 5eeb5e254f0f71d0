"""The page itself: one file that holds everything, and asks no server for anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

from ... import __version__
from ...errors import DataError
from ...files import atomic_write
from ...models.estimator import MultiFidelityRegressor
from . import exploring, sections
from .compact import size_of
from .facts import Advice, Entry, entry_of
from .heading import heading
from .live import MOST_BYTES
from .markup import Markup, joined, json_for_page, tag, void
from .parts import listed
from .sources import policy, scripts, style

#: Scripts that run in the page, in this order.
_SCRIPTS = (
    "predictor",
    "worker",
    "charts",
    "gestures",
    "tools",
    "inputs",
    "checks",
    "surrogates",
    "page",
)


def write_page(
    models: Sequence[tuple[str, MultiFidelityRegressor]],
    path: str | PathLike[str],
    *,
    title: str | None = None,
    command: str = "mast report",
    advice: Mapping[str, Advice] | None = None,
) -> None:
    """Write the page of one or several models.

    Parameters
    ----------
    models : sequence of (name, fitted estimator)
        Names are shown where there are several.
    path : path of the file
    title : str, optional
    command : str
        What is said to have written the page.
    advice : mapping of name to Advice, optional
        Which runs to do next, for each model.
    """
    page = page_html(models, title=title, command=command, advice=advice)
    with atomic_write(path) as file:
        file.write(page.encode("utf-8", "replace"))


def page_html(
    models: Sequence[tuple[str, MultiFidelityRegressor]],
    *,
    title: str | None = None,
    command: str = "mast report",
    advice: Mapping[str, Advice] | None = None,
) -> str:
    """The page as text; see :func:`write_page`."""
    if not models:
        raise DataError("a report needs at least one model")
    runs = advice or {}
    entries: list[Entry] = []
    room = MOST_BYTES
    for name, model in models:
        entries.append(entry_of(name, model, runs.get(name), room))
        room -= size_of(entries[-1].page["document"])
    return _document(entries, title or _title(entries), command)


def _title(entries: Sequence[Entry]) -> str:
    return f"Surrogate of {listed([str(entry.page['target']) for entry in entries])}"


def _document(entries: Sequence[Entry], title: str, command: str) -> str:
    body = joined(
        [
            tag("a", "To the content", href="#main", class_="skip"),
            heading(entries, title),
            _navigation(entries),
            tag("main", *_sections(entries, command), id="main"),
            tag("footer", _footer(), class_="foot"),
            _data(entries),
            *scripts(_SCRIPTS),
        ]
    )
    head = joined(
        [
            void("meta", charset="utf-8"),
            void("meta", name="viewport", content="width=device-width, initial-scale=1"),
            void("meta", http_equiv="Content-Security-Policy", content=policy(_SCRIPTS)),
            void("meta", name="referrer", content="no-referrer"),
            tag("title", title),
            style(),
        ]
    )
    return f"<!doctype html>\n{tag('html', tag('head', head), tag('body', body), lang='en')}\n"


def _sections(entries: Sequence[Entry], command: str) -> list[Markup | str]:
    return [
        sections.data_section(entries),
        sections.quality_section(entries),
        sections.cheap_section(entries),
        exploring.explore_section(entries),
        exploring.inputs_section(entries),
        exploring.unsure_section(entries),
        sections.trust_section(entries),
        sections.made_section(entries, command),
    ]


def _navigation(entries: Sequence[Entry]) -> Markup:
    links = {"explore": "Predict", "data": "Data", "quality": "Quality", "cheap": "Cheap data"}
    links |= {"inputs": "Inputs", "unsure": "Next runs", "trust": "Trust", "made": "Method"}
    if not any(entry.data.cheaper for entry in entries):
        del links["cheap"], links["trust"]
    items = [
        tag(
            "li", tag("a", words, href=f"#{anchor}", class_="main" if anchor == "explore" else None)
        )
        for anchor, words in links.items()
    ]
    theme = tag("button", "Dark / light", type="button", id="theme", aria_pressed="false")
    return tag("nav", tag("ul", *items, tag("li", theme)), aria_label="Sections")


def _footer() -> str:
    return (
        f"Written by mastgp {__version__}. This file holds everything it shows and asks no server "
        "for anything."
    )


def _data(entries: Sequence[Entry]) -> Markup:
    content = json_for_page({"entries": [entry.page for entry in entries]})
    return tag("script", content, type="application/json", id="report-data")
