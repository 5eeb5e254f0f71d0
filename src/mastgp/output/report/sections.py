"""The sections of a report, in the order in which an engineer asks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .facts import Entry
from .heading import inside
from .markup import Markup, joined, number, percent, table, tag, text
from .parts import N_COLOURS, each, figure, listed, mark, section, target_of

#: Levels of a category that a table names.
_MOST_LEVELS = 6
#: Files that a sentence names.
_MOST_FILES = 6
#: Models of a blend that are listed.
_MOST_MEMBERS = 8
#: A member of a blend with less weight is not worth a line.
_LEAST_WEIGHT = 0.005
#: An expensive set as small as this tells little about how good a model is.
_FEW = 10


def data_section(entries: Sequence[Entry]) -> Markup:
    """What was modelled from what; once, where all models are of the same data."""
    alike = len({repr(_same_data(entry)) for entry in entries}) == 1
    shown = _data_of(entries) if alike else each(entries, lambda entry, _: _data_of([entry]))
    return section("data", "What was modelled, from what?", shown)


def _same_data(entry: Entry) -> list[Any]:
    """What must be the same for models to be of the same data, whatever their targets are."""
    facts = entry.facts
    sources = [(f["name"], f["points"], f["cost"]) for f in facts["fidelities"]]
    inputs = [_input_row(own) for own in facts["inputs"]]
    return [sources, inputs, facts["origin"]["files"], facts["costs_assumed"]]


def _data_of(entries: Sequence[Entry]) -> Markup:
    """Sources and inputs of models of the same data."""
    facts = entries[0].facts
    noises = [[_noise(f) for f in reversed(entry.facts["fidelities"])] for entry in entries]
    rows = [
        [f["name"], f["points"], number(f["cost"]), *(own[k] for own in noises)]
        for k, f in enumerate(reversed(facts["fidelities"]))
    ]
    several = len(entries) > 1
    headings = [f"noise of {entry.name}" if several else "noise (std)" for entry in entries]
    fidelities = table(
        ["source", "points", "cost", *headings],
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
    said = tag("p", _predicted(entries), _read_from(facts["origin"]["files"]), _assumed(facts))
    return joined([said, tag("div", fidelities, inputs, class_="pair")])


def _predicted(entries: Sequence[Entry]) -> str:
    targets = listed([target_of(entry) for entry in entries])
    them = "them" if " and " in targets else "it"
    who = "The models predict" if len(entries) > 1 else "The model predicts"
    return f"{who} {targets} as {entries[0].facts['predicts']} would give {them}."


def _assumed(facts: dict[str, Any]) -> str:
    words = " Costs were not given; a ratio of 10 per step of the order is assumed."
    return words if facts["costs_assumed"] else ""


def _read_from(files: Sequence[dict[str, Any]]) -> str:
    """Which files it was made from."""
    names = [file["path"] for file in files]
    if not names:
        return ""
    more = f" and {len(names) - _MOST_FILES} more files" if len(names) > _MOST_FILES else ""
    return f" It was made from {', '.join(names[:_MOST_FILES])}{more}."


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
    shown = each(entries, _quality_of, _how_checked)
    return section("quality", "How good is it?", comparison, shown)


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


def _how_checked(entry: Entry) -> str:
    checked = entry.checked
    if checked is None:
        return "All expensive points are at one place, so nothing can be held out."
    n = len(checked.y)
    how = "each in turn" if checked.one_at_a_time else f"in {checked.n_folds} groups"
    few = " With so few points it is itself uncertain." if n < _FEW else ""
    return (
        f"The {n} {entry.facts['predicts']} points were left out, {how}, and predicted from all "
        "other data. The coefficient of prognosis is the share of their variation that these "
        f"predictions explain: 100 % is perfect, 0 % is no better than the mean.{few}"
    )


def _quality_of(entry: Entry, i: int) -> Markup:
    checked = entry.checked
    if checked is None:
        return text("")
    bars = f"bars: 95 % intervals; {inside(checked)} are inside"
    held = "line: held-out points; band: what chance allows"
    charts = tag(
        "div",
        figure("parity", i, "Predicted against observed", bars),
        figure("calibration", i, "Do the intervals hold?", held),
        class_="pair",
    )
    return joined([charts, _scores(entry)])


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
        "cheap", "Did the cheap data help?", each(entries, lambda entry, _: _cheap_of(entry))
    )


def _without_cheap(entry: Entry) -> Markup | None:
    """What is said of a model that knows nothing of cheap data."""
    if not entry.data.cheaper:
        return tag("p", "This model has no cheap data.")
    if not entry.model.uses_cheap_data:
        return tag("p", "This model does not use the cheap data.")
    return None


def _cheap_of(entry: Entry) -> Markup:
    if (without := _without_cheap(entry)) is not None:
        return without
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


def trust_section(entries: Sequence[Entry]) -> Markup | str:
    """What became of the cheap points."""
    if not any(entry.data.cheaper for entry in entries):
        return ""
    return section("trust", "What became of the cheap points?", each(entries, _trust_of))


def _trust_of(entry: Entry, i: int) -> Markup:
    if (without := _without_cheap(entry)) is not None:
        return without
    if entry.page["trust"]:
        return _trust_chart(entry, i)
    weights = entry.facts.get("weights")
    if not weights:
        return tag("p", f"{entry.facts['label']} uses all cheap points as they are.")
    heavy = [pair for pair in weights.items() if pair[1] >= _LEAST_WEIGHT]
    shown = sorted(heavy, key=lambda pair: -pair[1])[:_MOST_MEMBERS]
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
    rows = [
        [
            own.name,
            len(own.trust),
            *(f"{v:.2f}" for v in (own.trust.min(), own.trust.mean(), own.trust.max())),
        ]
        for own in entry.model.trusted_points()
    ]
    shown = table(["source", "points", "least", "mean", "most trust"], rows, caption="Trust")
    chart = figure("trust", i, "Trust in each cheap point", "")
    marks = [
        mark(f"b-cheap{k % N_COLOURS}", own["name"], f"of {own['name']}")
        for k, own in enumerate(entry.page["trust"])
    ]
    legend = tag("ul", *marks, class_="legend")
    return joined([tag("p", said), tag("div", tag("div", legend, chart), shown, class_="pair")])


def made_section(entries: Sequence[Entry], command: str) -> Markup:
    """How it was made."""
    return section(
        "made",
        "How was it made?",
        _made_table(entries),
        each(entries, lambda entry, _: _made_from(entry)),
        tag("p", "This page was written by:"),
        tag("pre", tag("code", command), tabindex="0"),
    )


def _made_table(entries: Sequence[Entry]) -> Markup:
    """Method, options and marks of all models, one column each."""
    names = [entry.name for entry in entries] if len(entries) > 1 else ["value"]
    columns = [_made_of(entry) for entry in entries]
    rows = [[what, *(column[what] for column in columns)] for what in columns[0]]
    whose = "The models" if len(entries) > 1 else "The model"
    return table(["what", *names], rows, caption=whose, texts=range(len(names) + 1))


def _made_of(entry: Entry) -> dict[str, str]:
    facts, origin = entry.facts, entry.facts["origin"]
    options = {key: value for key, value in facts["options"].items() if value is not None}
    return {
        "method": f"{facts['method']} ({facts['label']})",
        "options": ", ".join(f"{key}={value}" for key, value in options.items()) or "none",
        "response": facts.get("response") or "as it is",
        "calibration": f"standard deviations × {number(entry.model.calibration_)}",
        "random state": str(entry.model.random_state),
        "fitted by": f"mastgp {origin['version'] or '(an earlier version)'}",
        "its data (SHA-256)": origin["data_sha256"],
    }


def _made_from(entry: Entry) -> Markup:
    """Files, warnings, and how to make the model again."""
    origin = entry.facts["origin"]
    return joined([_files(origin), _warnings(origin), _again(entry)])


def _files(origin: dict[str, Any]) -> Markup | str:
    """The files that were read, each with its hash."""
    rows = [[file["path"], file["sha256"] or "–"] for file in origin["files"]]
    return table(["file", "SHA-256"], rows, caption="Files", texts=[0, 1]) if rows else ""


def _warnings(origin: dict[str, Any]) -> Markup:
    """What was said when the model was made."""
    if origin["version"] is None:
        return text("")
    if not origin["warnings"]:
        return tag("p", "There were no warnings when the model was fitted.")
    said = [tag("li", warning) for warning in origin["warnings"]]
    return joined([tag("p", "Warnings when the model was fitted:"), tag("ul", *said)])


def _again(entry: Entry) -> Markup:
    """How to make the model again."""
    commands = entry.facts["origin"]["commands"]
    if commands:
        words, shown = "To make the model again:", "\n".join(commands)
    else:
        words = "The model was fitted in Python. With its rows this fits it again:"
        shown = f"{entry.model!r}.fit(X, y, fidelity=labels)"
    return joined([tag("p", words), tag("pre", tag("code", shown), tabindex="0")])
