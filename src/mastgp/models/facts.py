"""Facts about Gaussian processes that several methods tell of themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ..errors import MastError
from ..gp import GaussianProcess
from ..gp.plain import plain_process

if TYPE_CHECKING:
    from ..surrogates.many.fitted import ManyRows

Array = NDArray[np.float64]

_MODEL_OF = "model of "


def noise_facts(variances: Mapping[str, Array]) -> dict[str, float]:
    """Noise standard deviation of each fidelity, from the variances of its observations."""
    return {name: float(np.sqrt(np.mean(var))) for name, var in variances.items()}


def of_many_rows(stage: Any) -> TypeGuard[ManyRows]:
    """Whether a stage models very many rows by one of several tools."""
    return hasattr(stage, "report_of_choice")


def tool_facts(stages: Mapping[str, Any]) -> dict[str, str]:
    """Which tool models each fidelity of very many rows, in words."""
    many = {name: stage for name, stage in stages.items() if of_many_rows(stage)}
    return {f"{_MODEL_OF}{name}": stage.sentence() for name, stage in many.items()}


def tools_of(facts: Mapping[str, Any]) -> dict[str, str]:
    """What facts of a model say about tools for very many rows."""
    return {key: value for key, value in facts.items() if key.startswith(_MODEL_OF)}


def plain_stage(stage: Any) -> dict[str, Any]:
    """A stage as plain numbers; see :func:`mastgp.gp.plain.plain_process`."""
    if isinstance(stage, GaussianProcess):
        return plain_process(stage)
    if not of_many_rows(stage):
        raise MastError("only Gaussian processes have a form that other programs can evaluate")
    node: dict[str, Any] = stage.plain()
    return node


def abilities_with(able: frozenset[str], stages: Iterable[Any]) -> frozenset[str]:
    """What a model can do, given what its stages can."""
    many = [stage for stage in stages if of_many_rows(stage)]
    if not many:
        return able
    joint = able & frozenset.intersection(*(stage.abilities for stage in many))
    samples = frozenset({"samples"} if "covariance" in joint else ())
    return joint | samples | (able & {"file"})


def input_facts(process: Any) -> list[dict[str, Any]]:
    """Lengthscale and warp of every input, as the GP that predicts has learned them.

    Nothing of models of very many rows: they may have none.
    """
    if not isinstance(process, GaussianProcess):
        return []
    parameters = process.parameters
    rows: list[dict[str, Any]] = [{"lengthscale": float(value)} for value in process.lengthscales]
    categorical = [category.column for category in process.model.categories]
    if process.model.warp:
        numeric = [row for i, row in enumerate(rows) if i not in categorical]
        for row, a, b in zip(numeric, parameters.warp_a, parameters.warp_b, strict=True):
            row["warp"] = [float(a), float(b)]
    return rows


def fit_reports(processes: Mapping[str, Any]) -> dict[str, Any]:
    """Reports of the fits, by what each GP models."""
    return {
        name: asdict(process.report)
        for name, process in processes.items()
        if process.report is not None
    }
