"""The sections of a report, in the order in which an engineer asks."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Sequence
from typing import Any

from ... import __version__
from ...check.heldout import HeldOut
from .facts import Entry, data_hash
from .markup import Markup, joined, number, percent, table, tag, text, void

#: Levels of a category that a table names.
_MOST_LEVELS = 6
#: Models of a blend that are listed.
_MOST_MEMBERS = 8
#: Colours that cheap fidelities take in turn.
_N_COLOURS = 3
#: An expensive set as small as this tells little about how good a model is.
_FEW = 10


def heading(entries: Sequence[Entry], title: str) -> Markup:
    """Title, one sentence, and the figures that matter most."""
    cards = joined(_cards(entry, len(entries) > 1) for entry in entries)
    return tag(
        "header", tag("h1", title), tag("p", _lead(entries), class_="lead"), cards, class_="head"
    )


def _lead(entries: Sequence[Entry]) -> str:
    parts = []
    for entry in entries:
        counts = [f"{len(f.y)} {f.name}" for f in reversed(entry.data.fidelities)]
        what = f"{entry.facts['label']} surrogate of {_target(entry)}"
        parts.append(f"{what} from {' + '.join(counts)} points")
    return ". ".join(dict.fromkeys(parts)) + "."


def _target(entry: Entry) -> str:
    unit = entry.page["unit"]
    return f"{entry.page['target']} [{unit}]" if unit else str(entry.page["target"])


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
    score = max(checked.prognosis, 0.0)
    more = "of the variation between held-out expensive points is predicted"
    return _card("Coefficient of prognosis", percent(score, 1), more)


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
    n = len(checked.y)
    inside = round(checked.coverage95 * n)
    return _card("Inside their 95 % interval", f"{inside} of {n}", "held-out expensive points")


def _verdict_card(entry: Entry) -> Markup | None:
    verdicts = entry.facts.get("verdict")
    if verdicts:
        word = str(verdicts[0]["word"])
        kind = {"helps": "good", "hurts": "bad"}.get(word, "")
        return _card("The cheap data", _capital(word), verdicts[0]["name"], f"words {kind}")
    if entry.alone is None or entry.checked is None:
        return None
    change = entry.checked.rmse / entry.alone["rmse"] - 1.0 if entry.alone["rmse"] else 0.0
    return _card("Error with the cheap data", f"{change:+.0%}", "compared with the expensive alone")


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def section(anchor: str, title: str, *content: Any) -> Markup:
    """A section with its heading."""
    return tag("section", tag("h2", title), *content, id=anchor, aria_label=title)


def _each(entries: Sequence[Entry], content: Callable[[Entry, int], Any]) -> Markup:
    """The same for every model, side by side; each under its name where there are several."""
    shown = [content(entry, i) for i, entry in enumerate(entries)]
    if len(entries) == 1:
        return text(shown[0])
    titled = [
        tag("div", tag("h3", entry.name), part)
        for entry, part in zip(entries, shown, strict=True)
        if part
    ]
    return tag("div", *titled, class_="pair")


def data_section(entries: Sequence[Entry]) -> Markup:
    """What was modelled from what."""
    return section(
        "data", "What was modelled, from what?", _each(entries, lambda entry, _: _data_of(entry))
    )


def _data_of(entry: Entry) -> Markup:
    facts = entry.facts
    rows = [
        [f["name"], f["points"], number(f["cost"]), _noise(f)]
        for f in reversed(facts["fidelities"])
    ]
    assumed = "Costs were not given; a ratio of 10 per step of the order is assumed."
    fidelities = table(
        ["source", "points", "cost", "noise (std)"],
        rows,
        caption="Sources, the predicted one first",
        strong=[0],
    )
    inputs = table(
        ["input", "range", f"{facts['predicts']} points"],
        [_input_row(own) for own in facts["inputs"]],
        caption="Inputs",
        texts=[0, 1, 2] if any("levels" in own for own in facts["inputs"]) else [0],
    )
    said = tag(
        "p",
        f"The model predicts {_target(entry)} as {facts['predicts']} would give it.",
        tag("span", " " + assumed) if facts["costs_assumed"] else "",
    )
    return joined([said, tag("div", fidelities, inputs, class_="pair")])


def _noise(fidelity: dict[str, Any]) -> str:
    if fidelity["noise_std"] is None:
        return "–"
    known = " (given)" if fidelity["noise_known"] else ""
    return "none seen" if fidelity["noise_at_floor"] else number(fidelity["noise_std"], 3) + known


def _input_row(own: dict[str, Any]) -> list[str]:
    name = f"{own['name']} [{own['unit']}]" if own["unit"] else own["name"]
    if "levels" in own:
        seen, levels = own["expensive_levels"], own["levels"]
        return [name, _listed(levels), "all levels" if seen == levels else _listed(seen)]
    low, high = own["expensive_points"]
    whole = ", whole numbers" if own.get("integer") else ""
    of_all = f"{number(own['low'])} to {number(own['high'])}{whole}"
    return [name, of_all, f"{number(low)} to {number(high)}"]


def _listed(levels: Sequence[str]) -> str:
    more = f" and {len(levels) - _MOST_LEVELS} more" if len(levels) > _MOST_LEVELS else ""
    return ", ".join(levels[:_MOST_LEVELS]) + more


def quality_section(entries: Sequence[Entry]) -> Markup:
    """How good is it."""
    comparison = _comparison(entries) if len(entries) > 1 else ""
    return section("quality", "How good is it?", comparison, _each(entries, _quality_of))


def _comparison(entries: Sequence[Entry]) -> Markup:
    """All models in one table."""
    rows = []
    for entry in entries:
        own = entry.checked
        if own is None:
            rows.append([entry.name, "–", "–", "–", "–"])
        else:
            score = "–" if math.isnan(own.prognosis) else percent(own.prognosis, 1)
            scores = [number(own.rmse), number(own.crps), percent(own.coverage95)]
            rows.append([entry.name, score, *scores])
    headings = ["model", "coefficient of prognosis", "RMSE", "CRPS", "95 % covers"]
    return table(headings, rows, caption="Held-out predictions of the models of this page")


def _quality_of(entry: Entry, i: int) -> Markup:
    checked = entry.checked
    if checked is None:
        return tag("p", "All expensive points are at one place, so nothing can be held out.")
    n = len(checked.y)
    how = "each in turn" if checked.one_at_a_time else f"in {checked.n_folds} groups"
    said = (
        f"The {n} {entry.facts['predicts']} points were left out, {how}, and predicted from all "
        "other data. The coefficient of prognosis is the share of their variation that these "
        "predictions explain: 100 % is perfect, 0 % is no better than the mean."
    )
    few = " With so few points it is itself uncertain." if n < _FEW else ""
    inside = f"{round(checked.coverage95 * n)} of {n} are inside"
    charts = tag(
        "div",
        _figure("parity", i, "Predicted against observed", f"bars: 95 % intervals; {inside}"),
        _figure(
            "calibration",
            i,
            "Do the intervals hold?",
            "line: held-out points; band: what chance allows",
        ),
        class_="pair",
    )
    return joined([tag("p", said + few), charts, _scores(entry)])


def _figure(kind: str, entry: int, title: str, more: str, column: int | None = None) -> Markup:
    caption = tag("figcaption", tag("b", title), " ", tag("span", more, class_="note"))
    return tag(
        "figure",
        caption,
        tag("div", class_="plot"),
        data_chart=kind,
        data_entry=entry,
        data_column=column,
    )


def _scores(entry: Entry) -> Markup:
    """The table of the held-out check, folded away."""
    weighted = any("weight" in row for row in entry.validation)
    headings = ["model", *(["weight"] if weighted else []), "RMSE", "NLPD", "CRPS", "95 % covers"]
    rows = []
    for own in entry.validation:
        weight = [f"{own['weight']:.2f}"] if weighted else []
        scores = [number(own[key]) for key in ("rmse", "nlpd", "crps")]
        rows.append([own["model"], *weight, *scores, percent(own["coverage95"])])
    said = (
        "NLPD: mean negative log density of the held-out values. CRPS: mean ranked probability "
        "score. Both judge the mean and its uncertainty together. Smaller is better."
    )
    shown = table(headings, rows, caption="Held-out check of all models", strong=[0])
    return tag("details", tag("summary", "All scores"), shown, tag("p", said, class_="note"))


def cheap_section(entries: Sequence[Entry]) -> Markup | str:
    """Did the cheap data help."""
    if not any(entry.data.cheaper for entry in entries):
        return ""
    return section(
        "cheap", "Did the cheap data help?", _each(entries, lambda entry, _: _cheap_of(entry))
    )


def _cheap_of(entry: Entry) -> Markup:
    if not entry.data.cheaper:
        return tag("p", "This model has no cheap data.")
    sentences = [tag("p", own["sentence"]) for own in entry.facts.get("verdict", [])]
    alone, checked = entry.alone, entry.checked
    if alone is None or checked is None:
        return joined(sentences) or tag("p", "There are too few expensive points to tell.")
    rows = [
        ["with the cheap data", *_scored(checked.rmse, checked.crps, checked.coverage95)],
        [
            "a GP of the expensive points alone",
            *_scored(alone["rmse"], alone["crps"], alone["coverage95"]),
        ],
    ]
    compared = table(["", "RMSE", "CRPS", "95 % covers"], rows, caption="Error on held-out points")
    return joined([*sentences, compared])


def _scored(error: float, crps: float, covers: float) -> list[str]:
    return [number(error), number(crps), percent(covers)]


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
    return section("explore", "What does the response look like?", tag("p", said), *notes, body)


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
    reset = tag("button", "Back to the middle of the data", type="button", id="reset")
    return tag("div", values, tag("form", *shown, onsubmit=None), reset, class_="controls")


def _value(i: int, entry: Entry, named: bool) -> Markup:
    return tag(
        "div",
        tag("div", entry.name if named else _target(entry), class_="name"),
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
    only = tag(
        "p",
        "These curves were computed when the page was made; they do not follow the sliders.",
        class_="note",
        id="only-slices",
        hidden=True,
    )
    slices = tag("div", class_="slices", id="slices")
    several = any(sum(own["varies"] for own in entry.page["inputs"]) > 1 for entry in entries)
    return tag(
        "div",
        chooser,
        tag("h3", "Along each input"),
        _legend(entries),
        only,
        slices,
        _map() if several else "",
    )


def _legend(entries: Sequence[Entry]) -> Markup:
    def mark(kind: str, words: str) -> Markup:
        return tag("li", tag("i", class_=kind), words)

    names = list(dict.fromkeys(f.name for entry in entries for f in entry.data.cheaper))
    tops = list(dict.fromkeys(entry.data.top.name for entry in entries))
    cheap = [
        mark(f"b-cheap{i % _N_COLOURS}", f"{name}, as observed") for i, name in enumerate(names)
    ]
    return tag(
        "ul",
        mark("bar b-model", "prediction"),
        mark("wide b-band", "95 % interval"),
        *(mark("b-top", name) for name in tops),
        *cheap,
        tag("li", "Points are near the slice, not on it; paler is further away."),
        class_="legend",
    )


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
        tag("span", " Dots: expensive points; ring: the chosen point.", class_="note"),
    )
    figure = tag("figure", caption, tag("div", class_="plot click"), scale, ends, id="contour")
    return joined([tag("h3", "Over two inputs"), menus, figure])


def inputs_section(entries: Sequence[Entry]) -> Markup:
    """Which inputs matter."""
    return section("inputs", "Which inputs matter?", _each(entries, lambda e, _: _indices_of(e)))


def _indices_of(entry: Entry) -> Markup:
    indices = entry.indices
    if indices is None:
        return tag("p", "The prediction is the same everywhere, so no input matters.")
    order = sorted(range(len(indices.total)), key=lambda i: -indices.total[i])
    open_share = entry.unsure["mean_std"] / entry.unsure["spread"]
    said = (
        "Sobol indices of the surrogate: the share of the response's variance over the whole range "
        "that an input explains alone (dark) and together with others (light). Lines are 95 % "
        f"intervals of the sampling ({indices.n} points). The surrogate's own standard deviation "
        f"is on average {percent(open_share)} of the spread of its predictions."
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
            f"{indices.first[i]:.3f}",
            f"{indices.first_low[i]:.3f} to {indices.first_high[i]:.3f}",
            f"{indices.total[i]:.3f}",
            f"{indices.total_low[i]:.3f} to {indices.total_high[i]:.3f}",
        ]
        for i in order
    ]
    numbers = table(["input", "alone", "95 %", "in total", "95 %"], rows, caption="Sobol indices")
    return joined([tag("p", said), bars, tag("details", tag("summary", "Numbers"), numbers)])


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
    return section("unsure", title, _each(entries, _unsure_of))


def _unsure_of(entry: Entry, i: int) -> Markup:
    varying = [c for c, own in enumerate(entry.page["inputs"]) if own["varies"]]
    charts = [
        _figure("unsure", i, f"along {entry.page['inputs'][c]['name']}", "", c) for c in varying
    ]
    unit = f" {entry.page['unit']}" if entry.page["unit"] else ""
    mean_std = f"{number(entry.unsure['mean_std'], 3)}{unit}"
    said = (
        f"The standard deviation of a prediction is {mean_std} on average over the whole range. "
        "The curves show its mean along each input, all others anywhere in their ranges."
    )
    parts = [tag("p", said), tag("div", *charts, class_="slices"), _places(entry), _advice(entry)]
    return joined(parts)


def _advice(entry: Entry) -> Markup:
    """Which runs to do next, each with its reason."""
    if not entry.advice.runs:
        why = entry.advice.why_none
        return tag("p", f"There is no advice on the next run: {why}.") if why else text("")
    names = [own["name"] for own in entry.page["inputs"]]
    headings = ["run", *names, "cost", "predicted", "95 % interval", "why"]
    rows = [
        [
            run.fidelity,
            *(_shown(run.inputs[name]) for name in names),
            number(run.cost),
            number(run.mean),
            f"{number(run.interval[0])} to {number(run.interval[1])}",
            run.reason,
        ]
        for run in entry.advice.runs
    ]
    said = "These runs would make the surrogate more accurate for the least cost."
    caption = "Next runs, the most valuable for its cost first"
    shown = table(headings, rows, caption=caption, texts=[0, len(headings) - 1])
    return joined([tag("h3", "What to run next"), tag("p", said), shown])


def _places(entry: Entry) -> Markup:
    """The most uncertain places, with a way to go there."""
    names = [own["name"] for own in entry.page["inputs"]]
    live = bool(entry.page["document"])
    rows = [
        [
            *(_shown(place["inputs"][name]) for name in names),
            number(place["mean"]),
            number(place["std"], 3),
        ]
        + ([_go(place["inputs"])] if live else [])
        for place in entry.unsure["places"]
    ]
    headings = [*names, f"predicted {entry.page['target']}", "std", *([""] if live else [])]
    return table(headings, rows, caption="The most uncertain places")


def _shown(value: Any) -> str:
    return number(value) if isinstance(value, float) else str(value)


def _go(inputs: dict[str, Any]) -> Markup:
    return tag("button", "Go there", type="button", data_go=json.dumps(inputs))


def trust_section(entries: Sequence[Entry]) -> Markup | str:
    """What became of the cheap points."""
    if not any(entry.data.cheaper for entry in entries):
        return ""
    return section("trust", "What became of the cheap points?", _each(entries, _trust_of))


def _trust_of(entry: Entry, i: int) -> Markup:
    if not entry.data.cheaper:
        return tag("p", "This model has no cheap data.")
    if entry.page["trust"]:
        return _trust_chart(entry, i)
    weights = entry.facts.get("weights")
    if not weights:
        return tag("p", f"{entry.facts['label']} uses all cheap points as they are.")
    shown = sorted(weights.items(), key=lambda pair: -pair[1])[:_MOST_MEMBERS]
    said = (
        "The blend gives no trust to single points. Its members use the cheap points in different "
        "ways, and have weights by their held-out predictions."
    )
    rows = [[name, f"{weight:.2f}", _uses(entry, name)] for name, weight in shown]
    return joined(
        [
            tag("p", said),
            table(["model", "weight", "uses the cheap data"], rows, caption="Members of the blend"),
        ]
    )


def _uses(entry: Entry, name: str) -> str:
    members = getattr(entry.model, "candidates_", {})
    if name not in members:
        return "–"
    return "yes" if members[name].uses_cheap_data else "no"


def _trust_chart(entry: Entry, i: int) -> Markup:
    top = entry.facts["predicts"]
    said = (
        f"Each cheap point has a trust between 0 and 1. With 0 it is replaced by what the {top} "
        "points say there; with 1 it keeps its own value, corrected."
    )
    rows = []
    for own in entry.page["trust"]:
        mean = sum(own["trust"]) / len(own["trust"])
        rows.append(
            [
                own["name"],
                len(own["trust"]),
                *(f"{v:.2f}" for v in (min(own["trust"]), mean, max(own["trust"]))),
            ]
        )
    shown = table(["source", "points", "least", "mean", "most trust"], rows, caption="Trust")
    chart = _figure("trust", i, "Trust in each cheap point", "")
    return joined([tag("p", said), tag("div", chart, shown, class_="pair")])


def made_section(entries: Sequence[Entry], command: str) -> Markup:
    """How it was made."""
    return section(
        "made",
        "How was it made?",
        _each(entries, lambda entry, _: _made_of(entry)),
        tag("p", "This page was written by:"),
        tag("pre", tag("code", command), tabindex="0"),
    )


def _made_of(entry: Entry) -> Markup:
    facts, data = entry.facts, entry.data
    options = {key: value for key, value in facts["options"].items() if value is not None}
    rows = [
        ["method", f"{facts['method']} ({facts['label']})"],
        ["options", ", ".join(f"{key}={value}" for key, value in options.items()) or "none"],
        ["response", facts.get("response") or "as it is"],
        ["calibration", f"standard deviations × {number(entry.model.calibration_)}"],
        ["data (SHA-256)", data_hash(data)],
        ["mastgp", __version__],
    ]
    told = table(["", ""], rows, caption="The model", texts=[0, 1])
    return joined(
        [
            told,
            tag("p", "To fit it again:"),
            tag("pre", tag("code", fit_command(entry)), tabindex="0"),
        ]
    )


def fit_command(entry: Entry) -> str:
    """The command that fits such a model, with a file named after each source."""
    data, facts = entry.data, entry.facts
    files = " ".join(_quoted(f"{f.name}.csv") for f in data.fidelities)
    costs = ",".join(f"{name}={cost:g}" for name, cost in data.ranking.costs.items())
    order = ",".join(f.name for f in data.fidelities)
    parts = ["mast fit", files, f"--target {_quoted(entry.page['target'])}"]
    if len(data.fidelities) > 1:
        assumed = facts["costs_assumed"]
        parts.append(f"--order {_quoted(order)}" if assumed else f"--cost {_quoted(costs)}")
    return " ".join([*parts, "-o model.mast"])


def _quoted(argument: str) -> str:
    return shlex.quote(argument)
