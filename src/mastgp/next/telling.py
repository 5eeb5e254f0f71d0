"""What is told of a trial: values by target, or why there are none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import DataError, listed
from .trials import FAILED, Trial, is_result


def outcome_of(result: Any, targets: Sequence[str], where: str) -> dict[str, float] | str:
    """Values by target of what a user told, or why they count as a failure."""
    if not isinstance(result, Mapping):
        if len(targets) > 1:
            raise DataError(f"{where}: expected a mapping with {listed(targets)}")
        result = {targets[0]: result}
    if missing := [name for name in targets if name not in result]:
        raise DataError(f"{where} has no {listed(missing)}")
    values = {name: _value(result[name], f"{where}: {name}") for name in targets}
    for name, value in values.items():
        if not is_result(value):
            return f"{name} is {value}"
    return values


def _value(value: Any, what: str) -> float:
    plain = value.item() if hasattr(value, "item") and getattr(value, "size", 1) == 1 else value
    if isinstance(plain, bool):
        raise DataError(f"{what} is {plain!r}, not a number")
    if plain is None:
        return math.nan
    try:
        return float(plain)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{what} is {str(plain)[:60]!r}, not a number") from None


def check_agrees(trial: Trial, outcome: Mapping[str, float] | str) -> None:
    """Refuse to change a result that has been told; the same one again is no news."""
    if trial.is_open:
        return
    before: Any = trial.failure if trial.status == FAILED else dict(trial.values)
    after = outcome if isinstance(outcome, str) else dict(outcome)
    if before != after and not (isinstance(before, str) and isinstance(after, str)):
        raise DataError(
            f"trial {trial.id} has been told as {before!r} already, and now {after!r}; "
            "replace=True (--replace) changes it"
        )
