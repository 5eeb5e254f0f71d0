"""Pieces of HTML, with everything that users have named escaped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

#: Characters that must not appear in JSON inside a page, and how JSON writes them instead.
_DANGEROUS = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(value: Any) -> Markup:
    """Any value as HTML text; what is HTML already stays as it is.

    Characters that no page can hold are shown as a replacement character.

    >>> print(text("a < b"))
    a &lt; b
    """
    if isinstance(value, Markup):
        return value
    allowed = (c if c >= " " or c in "\t\n" else "\ufffd" for c in str(value))
    clean = "".join(allowed).encode("utf-8", "replace").decode("utf-8")
    return Markup(escape(clean))


def tag(name: str, /, *content: Any, **attributes: Any) -> Markup:
    """An element. Underscores at the end of attributes' names are dropped, others become dashes.

    >>> print(tag("p", "1 < 2", class_="note"))
    <p class="note">1 &lt; 2</p>
    """
    shown = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{text(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Markup(f"<{name}{shown}>{''.join(map(text, content))}</{name}>")


def void(name: str, /, **attributes: Any) -> Markup:
    """An element that has no content."""
    return Markup(tag(name, **attributes).removesuffix(f"</{name}>"))


def joined(parts: Iterable[Any], between: str = "") -> Markup:
    """Pieces one after the other."""
    return Markup(between.join(map(text, parts)))


def table(
    headings: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    *,
    caption: str | None = None,
    texts: Iterable[int] = (0,),
    strong: Iterable[int] = (),
) -> Markup:
    """A table that can be wider than the page.

    Parameters
    ----------
    headings, rows
        Of the columns; every row has as many cells as there are headings.
    caption : str, optional
    texts : numbers of columns that hold text, not numbers
    strong : numbers of rows that stand out
    """
    words, outstanding = set(texts), set(strong)

    def cell(kind: str, i: int, content: Any, **more: Any) -> Markup:
        return tag(kind, content, class_="text" if i in words else None, **more)

    head = tag("tr", *(cell("th", i, own, scope="col") for i, own in enumerate(headings)))
    body = [
        tag(
            "tr",
            *(cell("td", i, own) for i, own in enumerate(row)),
            class_="strong" if number in outstanding else None,
        )
        for number, row in enumerate(rows)
    ]
    parts = [tag("caption", caption)] if caption else []
    whole = tag("table", *parts, tag("thead", head), tag("tbody", *body))
    return tag(
        "div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption or "Table"
    )


def json_for_page(value: Any) -> Markup:
    r"""JSON that can stand inside a script element, whatever names it holds.

    >>> print(json_for_page("</script>"))
    "\u003c/script\u003e"
    """
    written = json.dumps(value, allow_nan=False, ensure_ascii=True)
    return Markup("".join(_DANGEROUS.get(letter, letter) for letter in written))


def number(value: float | None, digits: int = 4) -> str:
    """A number as commands print it; a dash where there is none.

    >>> number(0.012345678), number(None)
    ('0.01235', '–')
    """
    return "–" if value is None else f"{value:.{digits}g}"


def percent(value: float, digits: int = 0) -> str:
    """A share as a percentage."""
    return f"{100.0 * value:.{digits}f} %"
