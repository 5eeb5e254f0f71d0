"""Why a run is suggested, in one sentence with the numbers behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .choosing import Chosen, Goal

#: A ratio above this is not worth a number.
_FAR_MORE = 100.0


def reason(
    model: Any,
    chosen: Chosen,
    goal: Goal,
    prices: Sequence[float],
    mean: float,
    interval: tuple[float, float],
) -> str:
    """One sentence: what the run is expected to bring, and what others would."""
    names = [fidelity.name for fidelity in model.training_data_.fidelities]
    target = model.target_name_ or "the response"
    if goal.kind == "accuracy":
        return _of_accuracy(chosen, names, prices, target)
    low, high = interval
    predicted = f"{target} is predicted to be {mean:.4g} ({low:.4g} to {high:.4g}) here"
    sentence = f"{predicted}, {_about(model, chosen, goal, names)}"
    return f"{sentence}; {_fidelity(chosen, names, prices)}."


def _of_accuracy(chosen: Chosen, names: list[str], prices: Sequence[float], target: str) -> str:
    """What each fidelity's best run removes of the variance."""
    level = chosen.level
    text = (
        f"This {names[level]} run is expected to remove {_percent(chosen.gains[level])} of the "
        f"mean variance of {target} for a cost of {prices[level]:g}"
    )
    others = [
        f"the best {names[i]} run {_percent(gain)} for {prices[i]:g}"
        for i, gain in chosen.gains.items()
        if i != level
    ]
    return f"{text}; {' and '.join(others)}." if others else f"{text}."


def _about(model: Any, chosen: Chosen, goal: Goal, names: list[str]) -> str:
    """What the point promises."""
    top = len(names) - 1
    gain = chosen.gains.get(top)
    if goal.value is not None:
        return f"near the target of {goal.value:.4g} and uncertain"
    y = model.training_data_.top.y
    best = y.min() if goal.kind == "minimum" else y.max()
    expected = "" if gain is None else f": an expected improvement of {gain:.3g}"
    return f"where the best {names[top]} value so far is {best:.4g}{expected}"


def _fidelity(chosen: Chosen, names: list[str], prices: Sequence[float]) -> str:
    """Why this fidelity."""
    level, top = chosen.level, len(names) - 1
    if chosen.due is not None:
        return (
            f"{names[top]} is due, after {chosen.due:g} was spent on cheap runs since its last one"
        )
    if len(chosen.gains) == 1:
        return f"a {names[level]} run costs {prices[level]:g}"
    second = max((i for i in chosen.gains if i != level), key=lambda i: chosen.gains[i] / prices[i])
    other = chosen.gains[second] / prices[second]
    own = chosen.gains[level] / prices[level]
    if own == other == 0.0:
        return f"a {names[level]} run costs {prices[level]:g}"
    if own < other and level == top:
        return (
            f"a {names[second]} run would be worth {other / own:.2g} times as much per cost, which "
            f"is too little as only {names[top]} results count in the end"
        )
    if own > _FAR_MORE * other:
        return f"a {names[level]} run is worth far more per cost than a {names[second]} run"
    ratio = f"{own / other:.2g} times as much per cost as"
    return f"a {names[level]} run is worth {ratio} a {names[second]} run"


def _percent(share: float) -> str:
    return f"{100.0 * share:.2g} %"
