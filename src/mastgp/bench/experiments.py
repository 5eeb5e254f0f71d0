"""The paper's experiments: which problems, settings and data each of them has."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import DataError, listed
from ..methods import METHODS
from .problems import EXTRA, PROBLEMS, Problem, problem
from .protocol import TEST_SIZE, THREE_FIDELITIES, TWO_FIDELITIES, Budget, Draw, synthetic_draw
from .real import REAL_PROBLEMS, RealProblem, real_draw, real_problem

#: Name of the yardstick in the store: a GP that spends the whole budget on expensive points.
BASELINE = "baseline"

AnyProblem = Problem | RealProblem
SYNTHETIC = tuple(PROBLEMS)

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
class Unit:
    """The smallest piece of work: one method on one draw of one problem in one setting."""

    experiment: str
    problem: str
    method: str
    seed: int
    setting: str = ""
    test_size: int = TEST_SIZE

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Unit:
        """The unit that a stored result is of."""
        return cls(**{name: record[name] for name in cls.__dataclass_fields__})


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


def _base_draw(p: AnyProblem, seed: int, test_size: int, budget: Budget, **more: Any) -> Draw:
    if isinstance(p, RealProblem):
        return real_draw(p, seed, replace(p.budget, shares=_shares(p, budget)), **more)
    return synthetic_draw(p, seed, budget, test_size=test_size, **more)


def _shares(p: RealProblem, budget: Budget) -> dict[str, float]:
    """The shares of a budget, if it is about the problem's fidelities; else its own."""
    same = set(budget.shares) == set(p.budget.shares)
    return budget.shares if same else p.budget.shares


def _two(p: AnyProblem, seed: int, setting: str, test_size: int) -> Draw:
    return _base_draw(p, seed, test_size, TWO_FIDELITIES)


def _own_budget(p: AnyProblem, seed: int, setting: str, test_size: int) -> Draw:
    return _base_draw(p, seed, test_size, TWO_FIDELITIES, counts=getattr(p, "counts", None))


def _three(p: AnyProblem, seed: int, setting: str, test_size: int) -> Draw:
    return _base_draw(p, seed, test_size, THREE_FIDELITIES)


def _ratio(p: AnyProblem, seed: int, setting: str, test_size: int) -> Draw:
    """The expensive share of the budget is varied; the cheaper ones keep their proportions."""
    own = p.budget if isinstance(p, RealProblem) else TWO_FIDELITIES
    share = float(setting)
    top = max(own.costs, key=lambda name: own.costs[name])
    rest = 1.0 - own.shares[top]
    shares = {
        name: share if name == top else (1.0 - share) * value / rest
        for name, value in own.shares.items()
    }
    budget = replace(own, shares={name: value for name, value in shares.items() if value > 0.0})
    if isinstance(p, RealProblem):
        return real_draw(p, seed, budget)
    return synthetic_draw(p, seed, budget, test_size=test_size)


def _budget(p: AnyProblem, seed: int, setting: str, test_size: int) -> Draw:
    return _base_draw(p, seed, test_size, TWO_FIDELITIES, budget_factor=float(setting))


def _discrepancy(p: AnyProblem, seed: int, setting: str, test_size: int) -> Draw:
    """Synthetic: N_LF = 10 d N_HF at degradation d. Real: extra noise for cost ratio C."""
    value = float(setting)
    if isinstance(p, RealProblem):
        return real_draw(p, seed, lf_cost_ratio=value)
    n_high = math.ceil(TWO_FIDELITIES.shares["high"] * 5 * p.n_inputs - 1e-9)
    counts = {"low": round(10 * value * n_high), "high": n_high}
    budget = replace(TWO_FIDELITIES, degradations={"low": value, "high": 0.0})
    return synthetic_draw(p, seed, budget, test_size=test_size, counts=counts)


def _collocated(p: AnyProblem, seed: int, setting: str, test_size: int) -> Draw:
    if not isinstance(p, RealProblem):
        raise DataError("collocated sampling is for problems given by pools of data")
    return real_draw(p, seed, collocated=True)


def _ablation(name: str, about: str, what: str, variants: dict[str, str]) -> Experiment:
    return Experiment(
        name,
        about,
        SYNTHETIC,
        _two,
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
            _two,
        ),
        Experiment("three-fidelity", "its three-fidelity table", (*SYNTHETIC, "hoip"), _three),
        Experiment("extra", "further problems: auto was chosen on them", tuple(EXTRA), _own_budget),
        _ablation("ablation-radius", "trust-region radius R1 to R5", "radius", RADII),
        _ablation("ablation-weight", "weight function W1 to W9", "weight", WEIGHTS),
        _ablation("ablation-metric", "distance metric D1 to D6", "metric", METRICS),
        Experiment(
            "sweep-ratio",
            "share of the budget spent on expensive points, with both ends",
            (*SYNTHETIC, *REAL_PROBLEMS),
            _ratio,
            settings=tuple(f"{i / 10:.1f}" for i in range(11)),
            one_baseline=True,
        ),
        Experiment(
            "sweep-budget",
            "total budget in multiples of 5 D",
            (*SYNTHETIC, *REAL_PROBLEMS),
            _budget,
            settings=("0.25", "0.5", "1", "2", "3"),
        ),
        Experiment(
            "sweep-discrepancy",
            "degradation d of the cheap version; extra noise of the cheap data for real problems",
            (*SYNTHETIC, *REAL_PROBLEMS),
            _discrepancy,
            settings=("0.25", "0.5", "1", "1.5", "2"),
            real_settings=_REAL_NOISE,
        ),
        Experiment(
            "collocated",
            "cheap points at the expensive points' places",
            ("hoip", "drivaernet"),
            _collocated,
        ),
        Experiment(
            "icl",
            "the appendix's comparison with in-context learning",
            ("branin", "ackley", "park1", "hartmann6", "rosenbrock"),
            _two,
            methods=("mast", "mast-icl", "mast-forest"),
        ),
    )
}


def experiment(name: str) -> Experiment:
    """Find an experiment by name."""
    if name not in EXPERIMENTS:
        raise DataError(f"unknown experiment {name!r}; choose one of {listed(EXPERIMENTS)}")
    return EXPERIMENTS[name]


def default_methods(chosen: Experiment) -> list[str]:
    """Methods that an experiment runs by default: those of its own, or all, if installed."""
    names = chosen.methods or tuple(METHODS)
    return [name for name in names if name in METHODS and METHODS[name].ready]


def units_of(
    chosen: Experiment,
    *,
    methods: Sequence[str],
    problems: Iterable[str],
    seeds: int,
    test_size: int = TEST_SIZE,
) -> list[Unit]:
    """All units of an experiment, the yardstick's first for every draw."""
    units: dict[Unit, None] = {}
    for seed in range(seeds):
        for name in problems:
            for setting in chosen.settings_of(name):
                where = (chosen.name, name)
                yardstick = chosen.baseline_setting(setting)
                units[Unit(*where, BASELINE, seed, yardstick, test_size)] = None
                for method in methods:
                    units[Unit(*where, method, seed, setting, test_size)] = None
    return list(units)


def find_problem(
    name: str, own: Mapping[str, AnyProblem] | None = None, data: str | None = None
) -> AnyProblem:
    """A problem by name: the user's own, a synthetic one, or one given by data files."""
    if own and name in own:
        return own[name]
    if name in REAL_PROBLEMS:
        return real_problem(name, data)
    known = [*PROBLEMS, *EXTRA, *REAL_PROBLEMS]
    if name in known:
        return problem(name)
    raise DataError(f"unknown problem {name!r}; choose one of {listed(known)}")
