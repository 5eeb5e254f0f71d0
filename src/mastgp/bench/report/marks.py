"""Which cells of a row are the best, where they can be compared at all.

Cells are compared on the seeds that all of them have, at least ten. A cell with fewer seeds is not
compared, and one that would leave fewer than ten common seeds is left out. Methods whose values are
identical on every common seed, as those of `auto` and of `auto-calibrated`, whose mean it shares,
count as the first of them. So do recorded cells of equal mean, standard deviation and number of
seeds. Interval widths and R² ratios are not ranked: a narrow interval may be
wrong, and R² ratios are erratic where the yardstick's R² is near zero.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ...check.scores import SMALLER_IS_BETTER
from .cells import Cell

#: Fewest common seeds on which cells are compared.
FEWEST_SEEDS = 10
#: How the names of what searches are measured by begin; the smaller, the better.
SEARCHED = ("regret_", "rmse_", "search_")
#: Metrics of which no value is better than another.
UNRANKED = frozenset({"width95", "r2"})

RULE = (
    f"The best of a row is in bold. Cells are compared on the seeds that all of them have, at "
    f"least {FEWEST_SEEDS}; cells with fewer are not compared. Methods with identical values on "
    "every common seed count as the first of them. Interval widths and R² ratios are not ranked."
)
RECORDED_RULE = (
    "The values of the single seeds are not recorded here, so cells are compared if they have the "
    "same number of seeds. Methods with equal mean and standard deviation count as the first of "
    "them."
)
#: Mark of cells that other code computed than the rest of their method's cells.
OTHER_CODE = "°"
OTHER_CODE_NOTE = (
    f"{OTHER_CODE}: some seeds come from other code of the method than its other cells; "
    "not compared."
)


def is_better(metric: str, a: float, b: float) -> bool:
    """Whether a is a better value of a metric than b."""
    if metric.startswith("coverage"):
        share = float(metric.removeprefix("coverage")) / 100.0
        return abs(a - share) < abs(b - share)
    return a < b if metric in SMALLER_IS_BETTER or metric.startswith(SEARCHED) else a > b


def digits(value: float, metric: str = "") -> int:
    """Decimal places with which a value is shown; small regrets have more than other values."""
    if metric.startswith("regret") and abs(value) < 0.01:
        return 4
    return 3 if abs(value) < 0.1 else 2


def best(row: Sequence[Cell | None], metric: str) -> list[int]:
    """Positions of the best cells of a row, ties to the digits that are shown included."""
    if metric in UNRANKED:
        return []
    values = comparable(row)
    if len(values) < 2:
        return []
    shown = {i: round(value, digits(value, metric)) for i, value in values.items()}
    winner = next(iter(shown.values()))
    for value in shown.values():
        winner = value if is_better(metric, value, winner) else winner
    return [i for i, value in shown.items() if value == winner]


def comparable(row: Sequence[Cell | None]) -> dict[int, float]:
    """Means of the cells that can be compared, over what they have in common, by position."""
    known = {i: c for i, c in enumerate(row) if c and _is_comparable(c)}
    if any(not cell.by_seed for cell in known.values()):
        return _with_as_many_seeds(known)
    return _over_common_seeds(known)


def _is_comparable(cell: Cell) -> bool:
    return cell.n >= FEWEST_SEEDS and math.isfinite(cell.mean) and not cell.other_code


def _with_as_many_seeds(known: Mapping[int, Cell]) -> dict[int, float]:
    """Means as recorded, of the largest group of cells with the same number of seeds.

    Of cells that are equal the first alone.
    """
    sizes = Counter(cell.n for cell in known.values())
    most = max(sizes, key=lambda n: (sizes[n], n), default=0)
    return _first_of_equals(
        {i: (cell.mean, cell.std) for i, cell in known.items() if cell.n == most},
        {i: cell.mean for i, cell in known.items()},
    )


def _over_common_seeds(known: Mapping[int, Cell]) -> dict[int, float]:
    """Means over the common seeds; of methods with identical values the first alone."""
    left = dict(known)
    while left and len(common_seeds(left.values())) < FEWEST_SEEDS:
        del left[_most_in_the_way(left)]
    seeds = common_seeds(left.values())
    values = {i: tuple(cell.by_seed[seed] for seed in seeds) for i, cell in left.items()}
    return _first_of_equals(values, {i: float(np.mean(own)) for i, own in values.items()})


def _first_of_equals(
    seen: Mapping[int, tuple[float, ...]], means: Mapping[int, float]
) -> dict[int, float]:
    """Means of the cells whose numbers are not those of a cell before them."""
    first = {seen[i]: i for i in reversed(list(seen))}
    return {i: means[i] for i, own in seen.items() if first[own] == i}


def common_seeds(some: Iterable[Cell]) -> list[int]:
    """Seeds that all of some cells have."""
    sets = [set(cell.by_seed) for cell in some]
    return sorted(set.intersection(*sets)) if sets else []


def _most_in_the_way(left: Mapping[int, Cell]) -> int:
    """The cell without which the others share most seeds; the last of several."""

    def shared(out: int) -> tuple[int, int]:
        return len(common_seeds([c for i, c in left.items() if i != out])), out

    return max(left, key=shared)
