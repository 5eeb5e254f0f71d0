"""A small study that tests of studies share."""

from __future__ import annotations

import math

from mastgp import Study
from mastgp.next.definition import define

INPUTS = {"x": (0.0, 1.0), "material": ["steel", "alu"]}
COSTS = {"panel": 1.0, "cfd": 10.0}


def definition(**changed):
    return define(
        **{"inputs": INPUTS, "costs": COSTS, "target": "drag", "budget": 100.0, **changed}
    )


def new_study(folder, **changed):
    options = {"inputs": INPUTS, "costs": COSTS, "target": "drag", "budget": 100.0,
               "method": "ar1-map", **changed}  # fmt: skip
    return Study(folder / "wing.study", **options)


def drag(x, material, level="cfd"):
    return (
        math.sin(5 * x)
        + (0.3 if material == "steel" else 0.0)
        + (0.2 * x if level == "panel" else 0)
    )


def finish(study, n=1):
    """Run a study to its end."""
    while trials := study.ask(n):
        for trial in trials:
            study.tell(trial, drag(**trial.inputs, level=trial.fidelity))
    return study
