"""Options of ``mast study`` as the user typed them: inputs, earlier results, values, seconds."""

from __future__ import annotations

from typing import Any

from ..errors import DataError
from ..files import name_and_path
from . import terminal


def inputs_of(
    ranges: list[str] | None, integers: list[str] | None, *, pool: bool = False
) -> dict[str, Any] | None:
    """Inputs as they were typed; none where a table of candidates has them.

    Where there is such a table, the name of a column alone will do: it spans what the column spans.
    """
    bare = [text for text in ranges or [] if pool and "=" not in text]
    found: dict[str, Any] = dict.fromkeys(terminal.all_names(bare))
    ranges = [text for text in ranges or [] if text not in bare]
    for name, value in terminal.pairs(ranges, "--input", "--input mach=0.5:0.9"):
        found[name] = _ends(value, f"--input {name}") if ":" in value else _levels(name, value)
    for name, value in terminal.pairs(integers, "--integer", "--integer blades=2:6"):
        from ..next.inputs import integer

        low, high = _ends(value, f"--integer {name}")
        found[name] = integer(low, high)  # type: ignore[arg-type]
    return found or None


def _ends(text: str, what: str) -> tuple[float, float]:
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        raise DataError(f"{what}={text}: expected low:high, as 0.5:0.9") from None


def _levels(name: str, text: str) -> list[str]:
    levels = terminal.names(text) or []
    if len(levels) < 2:
        raise DataError(
            f"--input {name}={text}: expected a range, as {name}=0.5:0.9, or levels, as {name}=a,b"
        )
    return levels


def earlier_of(text: str) -> tuple[str | None, str]:
    """Fidelity and path of earlier results; a path alone has a column that names fidelities."""
    name, path = name_and_path(text)
    return (None if path == text else name), path


def result_of(values: list[str] | None) -> Any:
    """A result of --value: a number, or numbers by target."""
    if not values:
        return None
    if len(values) == 1 and "=" not in values[0]:
        try:
            return float(values[0])
        except ValueError:
            raise DataError(f"--value {values[0]}: expected a number") from None
    return terminal.numbers(values, "--value")


def seconds_of(texts: list[str] | None) -> dict[str, float] | float | None:
    """Time limits of --time-limit: one for all, or by fidelity."""
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        try:
            return float(texts[0])
        except ValueError:
            raise DataError(f"--time-limit {texts[0]}: expected seconds") from None
    return terminal.numbers(texts, "--time-limit")
