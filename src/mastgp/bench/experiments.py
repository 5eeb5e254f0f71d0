"""The paper's experiments: which problems, settings and data each of them has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..errors import unknown
from ..methods import METHODS
from . import draws
from .draws import AnyProblem
from .problems import EXTRA, PROBLEMS, problem
from .protocol import Draw
from .real import REAL_PROBLEMS, VARIANTS, real_problem

SYNTHETIC = tuple(PROBLEMS)
#: Name of the yardstick in the store: a GP that spends the whole budget on expensive points.
BASELINE = "baseline"

RADII = {"R1": "sqrt", "R2": "linear", "R3": "cbrt", "R4": "nearest", "R5": "global"}
WEIGHTS = {
    "W1": "power",
    "W2": "exponential",
    "W3": "gaussian",
    "W4": "inverse",
    "W5": "triangular",
    "W6": "linear",
    "W7": "steep-power",
    "W8": "rbf",
    "W9": "hf-only",
}
METRICS = {
    "D1": "euclidean",
    "D2": "manhattan",
    "D3": "chebyshev",
    "D4": "mahalanobis",
    "D5": "normalized-euclidean",
    "D6": "domain-relative",
}


@dataclass(frozen=True)
class Experiment:
    """An experiment.

    Attributes
    ----------
    name, about : str
    problems : tuple of str
    draw : callable
        ``draw(problem, seed, setting, test_size)`` gives a Draw.
    settings : tuple of str
        Settings of synthetic problems.
    real_settings : tuple of str or None
        Settings of real problems, where they differ.
    options : mapping of setting to options of MAST
        For ablations, where the setting changes the method and not the data.
    one_baseline : bool
        Whether the yardstick is the same in all settings.
    methods : tuple of str
        What runs by default; empty for everything that is installed.
    """

    name: str
    about: str
    problems: tuple[str, ...]
    draw: Callable[[AnyProblem, int, str, int], Draw]
    settings: tuple[str, ...] = ("",)
    real_settings: tuple[str, ...] | None = None
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    one_baseline: bool = False
    methods: tuple[str, ...] = ()

    def settings_of(self, name: str) -> tuple[str, ...]:
        """Settings that a problem is run in."""
        real = name not in PROBLEMS and self.real_settings is not None
        return self.real_settings if real and self.real_settings else self.settings

    def baseline_setting(self, setting: str) -> str:
        """Setting under which the yardstick of a setting is stored."""
        return "" if self.one_baseline else setting


def _ablation(name: str, about: str, what: str, variants: dict[str, str]) -> Experiment:
    return Experiment(
        name,
        about,
        SYNTHETIC,
        draws.two_fidelities,
        settings=tuple(variants),
        options={setting: {what: value} for setting, value in variants.items()},
        one_baseline=True,
        methods=("mast",),
    )


_REAL_NOISE = ("1", "2", "5", "10", "20", "50")

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "two-fidelity",
            "the paper's main table",
            (*SYNTHETIC, "concrete", "drivaernet"),
            draws.two_fidelities,
        ),
        Experiment(
            "three-fidelity",
            "its three-fidelity table",
            (*SYNTHETIC, "hoip"),
            draws.three_fidelities,
        ),
        Experiment(
            "extra", "further problems: auto was chosen on them", tuple(EXTRA), draws.own_counts
        ),
        _ablation("ablation-radius", "trust-region radius R1 to R5", "radius", RADII),
        _ablation("ablation-weight", "weight function W1 to W9", "weight", WEIGHTS),
        _ablation("ablation-metric", "distance metric D1 to D6", "metric", METRICS),
        Experiment(
            "sweep-ratio",
            "share of the budget spent on expensive points, with both ends",
            (*SYNTHETIC, *REAL_PROBLEMS),
            draws.expensive_share,
            settings=tuple(f"{i / 10:.1f}" for i in range(11)),
            one_baseline=True,
        ),
        Experiment(
            "sweep-budget",
            "total budget in multiples of 5 D",
            (*SYNTHETIC, *REAL_PROBLEMS),
            draws.budget_factor,
            settings=draws.BUDGET_FACTORS,
        ),
        Experiment(
            "sweep-discrepancy",
            "degradation d of the cheap version; extra noise of the cheap data for real problems",
            (*SYNTHETIC, *REAL_PROBLEMS),
            draws.discrepancy,
            settings=("0.25", "0.5", "1", "1.5", "2"),
            real_settings=_REAL_NOISE,
        ),
        Experiment(
            "collocated",
            "cheap points at the expensive points' places",
            ("hoip", "drivaernet"),
            draws.collocated,
        ),
        Experiment(
            "icl",
            "the appendix's comparison with in-context learning",
            ("branin", "ackley", "park1", "hartmann6", "rosenbrock"),
            draws.two_fidelities,
            methods=("mast", "mast-icl", "mast-forest"),
        ),
    )
}


def experiment(name: str) -> Experiment:
    """Find an experiment by name."""
    if name not in EXPERIMENTS:
        raise unknown("experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name]


def default_methods(chosen: Experiment) -> list[str]:
    """Methods that an experiment runs by default: those of its own, or all, if installed."""
    names = chosen.methods or tuple(METHODS)
    return [name for name in names if name in METHODS and METHODS[name].ready]


def find_problem(
    name: str, own: Mapping[str, AnyProblem] | None = None, data: str | None = None
) -> AnyProblem:
    """A problem by name: the user's own, a synthetic one, or one given by data files."""
    if own and name in own:
        return own[name]
    if name in REAL_PROBLEMS or name in VARIANTS:
        return real_problem(name, data)
    known = [*PROBLEMS, *EXTRA, *REAL_PROBLEMS, *VARIANTS]
    if name in known:
        return problem(name)
    raise unknown("problem", name, known)
