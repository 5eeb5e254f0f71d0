"""What all sections of a report are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .facts import Entry
from .markup import Markup, joined, tag, text

#: Colours that cheap fidelities take in turn.
N_COLOURS = 3


def section(anchor: str, title: str, *content: Any) -> Markup:
    """A section with its heading."""
    return tag("section", tag("h2", title), *content, id=anchor, aria_label=title)


def each(
    entries: Sequence[Entry],
    content: Callable[[Entry, int], Any],
    words: Callable[[Entry], str] | None = None,
) -> Markup:
    """The same for every model, side by side; each under its name where there are several.

    Parameters
    ----------
    entries : sequence of Entry
    content : callable
        Makes the part of one model, of its number.
    words : callable, optional
        A paragraph before that part. Where it is the same for all models, it is said once.
    """
    said = [] if words is None else [words(entry) for entry in entries]
    alike = len(set(said)) == 1
    parts = [content(entry, i) for i, entry in enumerate(entries)]
    if said and not alike:
        parts = [joined([tag("p", own), part]) for own, part in zip(said, parts, strict=True)]
    return joined([tag("p", said[0]) if alike else "", _side_by_side(entries, parts)])


def _side_by_side(entries: Sequence[Entry], parts: Sequence[Any]) -> Markup:
    """Parts of the models under their names; what is the same for all is there once."""
    if len(set(map(text, parts))) == 1:
        return text(parts[0])
    titled = [
        tag("div", tag("h3", entry.name), part)
        for entry, part in zip(entries, parts, strict=True)
        if part
    ]
    return tag("div", *titled, class_="pair models")


def mark(kind: str, words: str, series: str) -> Markup:
    """An entry of a legend, which shows a series or hides it."""
    button = tag(
        "button",
        tag("i", class_=kind),
        words,
        type="button",
        data_series=series,
        aria_pressed="true",
        title="Show or hide",
    )
    return tag("li", button)


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them, each once.

    >>> listed(["lift", "drag", "lift", "moment"])
    'lift, drag and moment'
    """
    *first, last = dict.fromkeys(names)
    return f"{', '.join(first)} and {last}" if first else last


def target_of(entry: Entry) -> str:
    """Name of the target, with its unit if it has one."""
    unit = entry.page["unit"]
    return f"{entry.page['target']} [{unit}]" if unit else str(entry.page["target"])


def figure(kind: str, entry: int, title: str, more: str, column: int | None = None) -> Markup:
    """A place that the script draws a chart in, with its caption."""
    caption = tag("figcaption", tag("b", title), " ", tag("span", more, class_="note"))
    return tag(
        "figure",
        caption,
        tag("div", class_="plot"),
        data_chart=kind,
        data_entry=entry,
        data_column=column,
    )
