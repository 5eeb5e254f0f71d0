"""The sections of a report that answer what the response looks like, and what drives it."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from .facts import MOST_POINTS, Entry
from .markup import Markup, joined, number, percent, table, tag, text, void
from .parts import N_COLOURS, each, figure, mark, section, target_of


def explore_section(entries: Sequence[Entry]) -> Markup:
    """What does the response look like: the live model."""
    live = [(i, entry) for i, entry in enumerate(entries) if entry.page["document"]]
    said = (
        "Move a slider, type a number, or click into a picture. The page computes the prediction "
        "itself, with its interval, from the numbers of the model."
        if live
        else "Curves through the middle of the expensive points, computed when this page was made."
    )
    notes = [
        tag("p", f"{entry.name}: " if len(entries) > 1 else "", note, class_="note")
        for entry in entries
        if (note := entry.page["whyNot"])
    ]
    side = _controls(entries, live) if live else ""
    body = tag("div", side, _pictures(entries), class_="explore" if live else "")
    return section(
        "explore",
        "What does the response look like?",
        tag("p", said, class_="screen-only"),
        *notes,
        body,
    )


def _controls(entries: Sequence[Entry], live: Sequence[tuple[int, Entry]]) -> Markup:
    """The value at the chosen point, and a control for every input."""
    values = tag(
        "div",
        *(_value(i, entry, len(entries) > 1) for i, entry in live),
        class_="values",
        aria_live="polite",
    )
    known: dict[str, dict[str, Any]] = {}
    for _, entry in live:
        for own in entry.page["inputs"]:
            known.setdefault(own["name"], own)
    shown = [_control(i, own) for i, own in enumerate(known.values())]
    buttons = tag(
        "p",
        tag("button", "Back to the middle of the data", type="button", id="reset"),
        " ",
        tag("button", "Copy", type="button", id="copy", title="Copy the point and its values"),
        " ",
        tag("span", id="copied", role="status"),
    )
    return tag("div", values, tag("form", *shown, onsubmit=None), buttons, class_="controls")


def _value(i: int, entry: Entry, named: bool) -> Markup:
    return tag(
        "div",
        tag("div", entry.name if named else target_of(entry), class_="name"),
        tag("div", "…", class_="mean"),
        tag("div", class_="interval"),
        tag("div", class_="far"),
        class_="value",
        data_value=i,
    )


def _control(i: int, own: dict[str, Any]) -> Markup:
    name = f"{own['name']} [{own['unit']}]" if own["unit"] else own["name"]
    label = tag("label", name, " ", tag("span", class_="print-only"), for_=f"input{i}")
    if "levels" in own:
        options = [tag("option", level, value=level) for level in own["levels"]]
        row = tag("div", tag("select", *options, id=f"input{i}"), class_="row")
    else:
        row = tag("div", *_range(i, own, name), class_="row")
    return tag("div", label, row, class_="control", data_control=own["name"])


def _range(i: int, own: dict[str, Any], name: str) -> list[Markup]:
    """A slider and a field for the number itself."""
    low, high = own["low"], own["high"]
    if own.get("log"):
        low, high = math.log(low), math.log(high)
    step = "1" if own["integer"] else "any"
    fixed = not own["varies"]
    slider = void(
        "input",
        type="range",
        min=repr(low),
        max=repr(high),
        step=step,
        aria_label=name,
        disabled=fixed,
    )
    field = void(
        "input", type="number", id=f"input{i}", step="any", disabled=fixed, inputmode="decimal"
    )
    return [slider, field]


def _pictures(entries: Sequence[Entry]) -> Markup:
    """Slices, and a map of two inputs."""
    chooser = ""
    if len(entries) > 1:
        options = [tag("option", entry.name, value=i) for i, entry in enumerate(entries)]
        choice = tag("label", "pictures of", tag("select", *options, id="shown-entry"))
        chooser = tag("div", choice, class_="choices")
    live = any(entry.page["document"] for entry in entries)
    words = "These curves were computed when the page was made; they do not follow the sliders."
    only = tag("p", words if live else "", class_="note", id="only-slices", hidden=True)
    slices = tag("div", class_="slices", id="slices")
    several = any(sum(own["varies"] for own in entry.page["inputs"]) > 1 for entry in entries)
    return tag(
        "div",
        chooser,
        tag("h3", "Along each input"),
        _legend(entries),
        tag("p", class_="note", id="held"),
        only,
        slices,
        _map() if several else "",
    )


def _legend(entries: Sequence[Entry]) -> Markup:
    names = list(dict.fromkeys(f.name for entry in entries for f in entry.data.cheaper))
    tops = list(dict.fromkeys(entry.data.top.name for entry in entries))
    return tag(
        "ul",
        mark("bar b-model", "prediction", "model"),
        mark("wide b-band", "95 % interval", "band"),
        *(mark("b-top", name, f"of {name}") for name in tops),
        mark("wide b-beyond", f"outside the {' and '.join(tops)} points", "beyond"),
        *(
            mark(f"b-cheap{i % N_COLOURS}", f"{name}, as observed", f"of {name}")
            for i, name in enumerate(names)
        ),
        tag("li", "Points are near the slice, not on it; paler is further away."),
        *(tag("li", words) for words in _left_out(entries)),
        class_="legend",
    )


def _left_out(entries: Sequence[Entry]) -> list[str]:
    """Of which fidelities not all points are in the page."""
    counts = {f.name: len(f.y) for entry in entries for f in entry.data.fidelities}
    return [
        f"Of the {n} {name} points {MOST_POINTS} are drawn."
        for name, n in counts.items()
        if n > MOST_POINTS
    ]


def _map() -> Markup:
    """The map of two inputs, with menus."""
    kinds = [
        tag("option", "prediction", value="mean"),
        tag("option", "uncertainty (std)", value="std"),
    ]
    menus = tag(
        "div",
        tag("label", "across", tag("select", id="contour-x")),
        tag("label", "up", tag("select", id="contour-y")),
        tag("label", "show", tag("select", *kinds, id="contour-what")),
        class_="choices",
        id="contour-choices",
    )
    scale = tag("div", class_="scale", id="contour-scale")
    ends = tag(
        "div",
        tag("span", id="contour-low"),
        tag("span", id="contour-title"),
        tag("span", id="contour-high"),
        class_="scale-row",
    )
    caption = tag(
        "figcaption",
        tag("b", "Map "),
        tag("span", class_="fixed note"),
        tag("span", " Dots are expensive points, the ring is the chosen one.", class_="note"),
    )
    figure = tag("figure", caption, tag("div", class_="plot click"), scale, ends, id="contour")
    return joined([tag("h3", "Over two inputs"), menus, figure])


def inputs_section(entries: Sequence[Entry]) -> Markup:
    """Which inputs matter."""
    shown = each(entries, lambda entry, _: _indices_of(entry), _about_indices)
    return section("inputs", "Which inputs matter?", shown)


def _about_indices(entry: Entry) -> str:
    if entry.indices is None:
        return "The prediction is the same everywhere, so no input matters."
    return (
        "Sobol indices of the surrogate: the share of the response's variance over the whole range "
        "that an input explains alone (dark) and together with others (light). Lines are 95 % "
        f"intervals of the sampling ({entry.indices.n} points)."
    )


def _indices_of(entry: Entry) -> Markup:
    indices = entry.indices
    if indices is None:
        return text("")
    order = sorted(range(len(indices.total)), key=lambda i: -indices.total[i])
    open_share = entry.unsure["mean_std"] / entry.unsure["spread"]
    said = (
        f"The surrogate's own standard deviation is on average {percent(open_share)} of the spread "
        "of its predictions."
    )
    bars = tag(
        "div",
        *(_bar(entry, i) for i in order),
        class_="bars",
        role="img",
        aria_label=_spoken(entry),
    )
    rows = [
        [
            entry.page["inputs"][i]["name"],
            index_text(indices.first[i]),
            f"{index_text(indices.first_low[i])} to {index_text(indices.first_high[i])}",
            index_text(indices.total[i]),
            f"{index_text(indices.total_low[i])} to {index_text(indices.total_high[i])}",
        ]
        for i in order
    ]
    numbers = table(["input", "alone", "95 %", "in total", "95 %"], rows, caption="Sobol indices")
    folded = tag("details", tag("summary", "Numbers"), numbers)
    return joined([bars, tag("p", said, class_="note"), folded])


def _bar(entry: Entry, i: int) -> Markup:
    indices = entry.indices
    assert indices is not None

    def width(value: float) -> str:
        return f"{100.0 * min(max(float(value), 0.0), 1.0):.2f}%"

    low, high = (
        min(max(float(end[i]), 0.0), 1.0) for end in (indices.total_low, indices.total_high)
    )
    spread = f"left:{100.0 * low:.2f}%;width:{100.0 * (high - low):.2f}%"
    track = tag(
        "div",
        tag("span", class_="total", style=f"width:{width(indices.total[i])}"),
        tag("span", class_="first", style=f"width:{width(indices.first[i])}"),
        tag("span", class_="spread", style=spread),
        class_="track",
    )
    figures = f"{_share(indices.first[i])} / {_share(indices.total[i])}"
    name = entry.page["inputs"][i]["name"]
    return tag("div", tag("div", name), track, tag("div", figures, class_="figures"), class_="bar")


def index_text(value: float) -> str:
    """An index with three decimals; what is rounded to zero has no sign."""
    return f"{round(float(value), 3) + 0.0:.3f}"


def _share(value: float) -> str:
    return percent(max(float(value), 0.0), 1)


def _spoken(entry: Entry) -> str:
    indices = entry.indices
    assert indices is not None
    names = [own["name"] for own in entry.page["inputs"]]
    return "; ".join(
        f"{name}: alone {_share(first)}, in total {_share(total)}"
        for name, first, total in zip(names, indices.first, indices.total, strict=True)
    )


def unsure_section(entries: Sequence[Entry]) -> Markup:
    """Where the model is unsure."""
    title = "Where is the model unsure, and what to run next?"
    if not any(entry.advice.runs for entry in entries):
        title = "Where is the model unsure?"
    words = (
        "The curves show the mean standard deviation of a prediction along each input, all others "
        "anywhere in their ranges."
    )
    return section("unsure", title, each(entries, _unsure_of, lambda _: words))


def _unsure_of(entry: Entry, i: int) -> Markup:
    varying = [c for c, own in enumerate(entry.page["inputs"]) if own["varies"]]
    charts = [
        figure("unsure", i, f"along {entry.page['inputs'][c]['name']}", "", c) for c in varying
    ]
    unit = f" {entry.page['unit']}" if entry.page["unit"] else ""
    mean_std = f"{number(entry.unsure['mean_std'], 3)}{unit}"
    said = f"Over the whole range the standard deviation is {mean_std} on average."
    slices = tag("div", *charts, class_="slices", data_columns=3)
    return joined([tag("p", said), slices, _places(entry), _advice(entry)])


def _advice(entry: Entry) -> Markup:
    """Which runs to do next, each with its reason."""
    if not entry.advice.runs:
        why = entry.advice.why_none
        return tag("p", f"There is no advice on the next run: {why}.") if why else text("")
    names = [own["name"] for own in entry.page["inputs"]]
    runs = [
        {
            "fidelity": run.fidelity,
            **{name: _shown(run.inputs[name]) for name in names},
            "cost": number(run.cost),
            f"predicted {entry.page['target']}": number(run.mean),
            "95 % interval": f"{number(run.interval[0])} to {number(run.interval[1])}",
        }
        for run in entry.advice.runs
    ]
    said = "These runs would make the surrogate more accurate for the least cost."
    shown = _listed(runs, "run", "Next runs, the most valuable for its cost first")
    why = tag("ol", *(tag("li", run.reason) for run in entry.advice.runs))
    return joined([tag("h3", "What to run next"), tag("p", said), shown, tag("p", "Why:"), why])


def _places(entry: Entry) -> Markup:
    """The most uncertain places, with a way to go there."""
    names = [own["name"] for own in entry.page["inputs"]]
    places = [
        {
            **{name: _shown(place["inputs"][name]) for name in names},
            f"predicted {entry.page['target']}": number(place["mean"]),
            "std": number(place["std"], 3),
            **({"": _go(place["inputs"], k)} if entry.page["document"] else {}),
        }
        for k, place in enumerate(entry.unsure["places"], 1)
    ]
    return _listed(places, "place", "The most uncertain places")


def _listed(entries: Sequence[dict[str, Any]], what: str, caption: str) -> Markup:
    """A few places with many inputs each: whichever are fewer are the columns."""
    keys = list(entries[0])
    if len(entries) < len(keys):
        headings = [what, *range(1, len(entries) + 1)]
        return table(
            headings, [[key, *(own[key] for own in entries)] for key in keys], caption=caption
        )
    rows = [[k, *own.values()] for k, own in enumerate(entries, 1)]
    return table([what, *keys], rows, caption=caption)


def _shown(value: Any) -> str:
    return number(value) if isinstance(value, float) else str(value)


def _go(inputs: dict[str, Any], k: int) -> Markup:
    label = f"Go to place {k}"
    return tag("button", "Go there", type="button", data_go=json.dumps(inputs), aria_label=label)
