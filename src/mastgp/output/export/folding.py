"""Levels of models of very many rows: a column for each level inside, one column outside.

Tools for very many rows see a categorical input as one column for each level. Programs that predict
have one column with the number of the level. A column of levels at distances of their own says the
same: the squared distance of two levels is the sum of what each adds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.levels import Category

Array = NDArray[np.float64]

#: Arrays of a node whose last axis has an entry for each column.
_OF_EACH_COLUMN = ("X", "lengthscales", "warps")


def folded(node: Any, categories: Sequence[Category], n_inputs: int) -> Any:
    """A predictor's node in which every process has one column for each input.

    Parameters
    ----------
    node : dict
        As ``plain_predictor`` gives it; it stays as it is.
    categories : sequence of Category
        Of the model's inputs.
    n_inputs : int
    """
    if isinstance(node, list):
        return [folded(entry, categories, n_inputs) for entry in node]
    if not isinstance(node, dict):
        return node
    inside = {key: folded(value, categories, n_inputs) for key, value in node.items()}
    return _folded_process(inside, categories, n_inputs) if _is_wide(node, categories) else inside


def _is_wide(node: dict[str, Any], categories: Sequence[Category]) -> bool:
    """Whether a node is a process that sees a column for each level of a category."""
    is_process = node.get("kind") in ("process", "inducing")
    return bool(categories) and is_process and not node["categories"]


def _folded_process(
    node: dict[str, Any], categories: Sequence[Category], n_inputs: int
) -> dict[str, Any]:
    """A process with one column for each input, and what each level adds to distances."""
    places = _columns(categories, n_inputs, node["X"].shape[1])
    by_column = {category.column: places[category.column] for category in categories}
    kept = {
        name: np.stack([node[name][..., columns[0]] for columns in places], axis=-1)
        for name in _OF_EACH_COLUMN
    }
    for column, columns in by_column.items():
        codes = node["X"][:, columns].argmax(axis=1)
        kept["X"][:, column] = codes / max(len(columns) - 1, 1)
        kept["lengthscales"][..., column] = 1.0
    levels = [_levels(node, column, columns) for column, columns in by_column.items()]
    return {**node, **kept, "categories": levels}


def _columns(categories: Sequence[Category], n_inputs: int, width: int) -> list[list[int]]:
    """Which of so many columns each input has become; those that follow the inputs stay."""
    counts = {category.column: len(category.levels) for category in categories}
    further = width - sum(counts.get(i, 1) for i in range(n_inputs))
    ends = np.cumsum([counts.get(i, 1) for i in range(n_inputs + further)])
    return [list(range(end - counts.get(i, 1), end)) for i, end in enumerate(ends.tolist())]


def _levels(node: dict[str, Any], column: int, columns: list[int]) -> dict[str, Any]:
    """What each level adds to the squared distance from any other one, in every draw.

    The component that is not constant comes first, and is the only one.
    """
    square = float(node["X"][:, columns].max()) ** 2
    apart = square / node["lengthscales"][:, 0, columns] ** 2
    return {"column": column, "positions": np.zeros((*apart.shape, 1)), "apart": apart}
