"""Surrogates by name, for one stage or for all three."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import DataError, listed
from .base import Surrogate
from .gp import GP
from .incontext import TabICL, TabPFN
from .regressors import FromSpread, FromStd, adapt

#: What `MAST(surrogate=...)` takes for a stage: a name, a surrogate, or a scikit-learn regressor.
Choice = str | Surrogate | Any


def _extra_trees() -> Surrogate:
    from sklearn.ensemble import ExtraTreesRegressor

    return FromSpread(ExtraTreesRegressor(n_estimators=200, bootstrap=True))


def _random_forest() -> Surrogate:
    from sklearn.ensemble import RandomForestRegressor

    return FromSpread(RandomForestRegressor(n_estimators=200))


def _bayesian_ridge() -> Surrogate:
    from sklearn.linear_model import BayesianRidge

    return FromStd(BayesianRidge())


#: Every surrogate that has a name.
SURROGATES: dict[str, Callable[[], Surrogate]] = {
    "gp": GP,
    "gp-exact": lambda: GP(exact=True),
    "extra-trees": _extra_trees,
    "random-forest": _random_forest,
    "bayesian-ridge": _bayesian_ridge,
    "tabpfn": TabPFN,
    "tabicl": TabICL,
}


def find_surrogate(chosen: Choice) -> Surrogate:
    """Find a surrogate by name. A surrogate is returned as it is, a regressor is wrapped."""
    if isinstance(chosen, Surrogate):
        return chosen
    if isinstance(chosen, str) and chosen in SURROGATES:
        return SURROGATES[chosen]()
    if hasattr(chosen, "fit") and hasattr(chosen, "predict") and not isinstance(chosen, type):
        return adapt(chosen)
    raise DataError(
        f"unknown surrogate {chosen!r}; choose one of {listed(SURROGATES)}, a regressor, or an "
        "instance of mastgp.surrogates.Surrogate"
    )


def surrogates_of_stages(chosen: Choice | Sequence[Choice]) -> tuple[Surrogate, ...]:
    """Return the surrogates of the three stages, given one for all or one for each."""
    if not isinstance(chosen, list | tuple):
        return (find_surrogate(chosen),) * 3
    if len(chosen) != 3:
        raise DataError(f"surrogate has {len(chosen)} entries; give one, or one per stage: three")
    return tuple(find_surrogate(entry) for entry in chosen)
