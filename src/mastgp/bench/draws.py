"""How each experiment draws its data, for synthetic and for real problems."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from ..errors import DataError
from .problems import Problem
from .protocol import (
    THREE_FIDELITIES,
    TWO_FIDELITIES,
    Budget,
    Draw,
    budget_of,
    synthetic_draw,
)
from .real import RealProblem, real_draw

AnyProblem = Problem | RealProblem

#: Multiples of the budget in the budget sweep.
BUDGET_FACTORS = ("0.25", "0.5", "1", "2", "3")


def two_fidelities(p: AnyProblem, seed: int, setting: str, test_size: int) -> Draw:
    """Draw for the main table."""
    return _spread(p, seed, test_size, TWO_FIDELITIES)


def three_fidelities(p: AnyProblem, seed: int, setting: str, test_size: int) -> Draw:
    """Draw for the three-fidelity table."""
    return _spread(p, seed, test_size, THREE_FIDELITIES)


def own_counts(p: AnyProblem, seed: int, setting: str, test_size: int) -> Draw:
    """Draw as many points as the problem itself asks for."""
    if isinstance(p, RealProblem):
        return two_fidelities(p, seed, setting, test_size)
    return synthetic_draw(p, seed, test_size=test_size, counts=p.counts)


def expensive_share(p: AnyProblem, seed: int, setting: str, test_size: int) -> Draw:
    """The setting is the expensive share of the budget; cheaper ones keep their proportions.

    Real problems keep the whole budget's expensive rows out of the test set at every share, so
    that all shares and the yardstick have the same test set.
    """
    own = p.budget if isinstance(p, RealProblem) else TWO_FIDELITIES
    budget = replace(own, shares=_with_share(own, float(setting)))
    if isinstance(p, RealProblem):
        return real_draw(p, seed, budget, kept_out=budget_of(p.n_inputs))
    return synthetic_draw(p, seed, budget, test_size=test_size)


def _with_share(own: Budget, share: float) -> dict[str, float]:
    """Shares of a budget when the most expensive fidelity gets `share`; none that are zero."""
    top = max(own.costs, key=lambda name: own.costs[name])
    rest = 1.0 - own.shares[top]
    shares = {
        name: share if name == top else (1.0 - share) * value / rest
        for name, value in own.shares.items()
    }
    return {name: value for name, value in shares.items() if value > 0.0}


def budget_factor(p: AnyProblem, seed: int, setting: str, test_size: int) -> Draw:
    """The setting is a multiple of the budget 5 D.

    Real problems keep the largest budget's expensive rows out of the test set at every multiple.
    """
    factor = float(setting)
    if isinstance(p, RealProblem):
        largest = budget_of(p.n_inputs, max(map(float, BUDGET_FACTORS)))
        return _spread(p, seed, test_size, TWO_FIDELITIES, budget_factor=factor, kept_out=largest)
    return _spread(p, seed, test_size, TWO_FIDELITIES, budget_factor=factor)


def discrepancy(p: AnyProblem, seed: int, setting: str, test_size: int) -> Draw:
    """Synthetic: N_LF = 10 d N_HF at degradation d. Real: extra noise for cost ratio C."""
    value = float(setting)
    if isinstance(p, RealProblem):
        return real_draw(p, seed, lf_cost_ratio=value)
    n_high = math.ceil(TWO_FIDELITIES.shares["high"] * 5 * p.n_inputs - 1e-9)
    counts = {"low": round(10 * value * n_high), "high": n_high}
    budget = replace(TWO_FIDELITIES, degradations={"low": value, "high": 0.0})
    return synthetic_draw(p, seed, budget, test_size=test_size, counts=counts)


def collocated(p: AnyProblem, seed: int, setting: str, test_size: int) -> Draw:
    """Cheap rows at the expensive rows' places."""
    if not isinstance(p, RealProblem):
        raise DataError("collocated sampling is for problems given by pools of data")
    return real_draw(p, seed, collocated=True)


def _spread(p: AnyProblem, seed: int, test_size: int, budget: Budget, **more: Any) -> Draw:
    """Draw with a budget; a real problem keeps its own shares if its fidelities are others."""
    if isinstance(p, RealProblem):
        return real_draw(p, seed, replace(p.budget, shares=_shares(p, budget)), **more)
    return synthetic_draw(p, seed, budget, test_size=test_size, **more)


def _shares(p: RealProblem, budget: Budget) -> dict[str, float]:
    """The shares of a budget, if it is about the problem's fidelities; else its own."""
    same = set(budget.shares) == set(p.budget.shares)
    return budget.shares if same else p.budget.shares
