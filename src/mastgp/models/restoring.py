"""Stages of models that come from a file: as many as the data ask for, each of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import stored
from ..data.dataset import Dataset
from ..stored import ANY
from ..surrogates.base import Surrogate
from ..surrogates.gp import GP
from ..surrogates.inputs import n_columns


def names_in(data: Dataset) -> tuple[int, list[str], list[str], str]:
    """Number of inputs, and names of all fidelities, of the cheaper ones and of the top."""
    names = [fidelity.name for fidelity in data.fidelities]
    return len(data.feature_names), names, names[:-1], names[-1]


def restored_stage(surrogate: Surrogate, state: Any, n_inputs: int | None) -> Any:
    """Rebuild a stage, if the data that it was fitted to have as many inputs as it will get.

    None stands for any number of inputs.
    """
    stored.mapping(state, "a stage")
    if "X" in state:
        width = ANY if n_inputs is ANY else n_columns(surrogate, n_inputs)
        stored.array(state["X"], "X of a stage", (ANY, width))
    if isinstance(surrogate, GP):
        return surrogate.restore(state, n_inputs)
    return surrogate.restore(state)


def restored_by_name(
    surrogate: Surrogate, states: Any, names: Sequence[str], n_inputs: int | None
) -> dict[str, Any]:
    """Rebuild the stages of some fidelities, all of which must be there, and no others."""
    stored.mapping(states, "the stages of fidelities", names, more=False)
    return {name: restored_stage(surrogate, state, n_inputs) for name, state in states.items()}


def restored_levels(surrogate: Surrogate, states: Any, d: int, more: int, n: int) -> list[Any]:
    """Rebuild `n` levels: the first gets `d` inputs, each of the others `more` besides."""
    first, *others = stored.sequence(states, "the levels", n)
    return [
        restored_stage(surrogate, first, d),
        *(restored_stage(surrogate, state, d + more) for state in others),
    ]
