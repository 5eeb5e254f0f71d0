"""Which models take part in a blend. How they were chosen is in docs/notes/auto.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..check.validation import ALONE
from ..models.cokriging import CoKriging
from ..models.estimator import MultiFidelityRegressor
from ..models.fire import FIRE
from ..models.mast import MAST
from ..models.single import SingleFidelity


@dataclass(frozen=True)
class Candidate:
    """A model that may take part.

    Attributes
    ----------
    name : str
    estimator : MultiFidelityRegressor
        Not fitted.
    added : bool
        Whether it is the user's own, of which anything may be expected.
    """

    name: str
    estimator: MultiFidelityRegressor
    added: bool = False


def default_candidates(n_levels: int, categorical: bool = False) -> Iterator[Candidate]:
    """Candidates for data of so many fidelities, perhaps with categorical inputs."""
    if n_levels > 1:
        yield from _joint_candidates(n_levels)
        yield Candidate("fire", FIRE())
        yield Candidate("mast", MAST())
    yield Candidate(ALONE, SingleFidelity())
    yield _co_kriging("top-only", "rbf", "kumaraswamy")
    if categorical:
        yield from _exchangeable_candidates(n_levels)


def _joint_candidates(n_levels: int) -> Iterator[Candidate]:
    yield _co_kriging("autoregressive", "rbf", "kumaraswamy")
    yield _co_kriging("autoregressive", "matern52", None)
    yield _co_kriging("shared-bias", "rbf", "kumaraswamy")
    yield _co_kriging("general", "rbf", "kumaraswamy")
    yield _co_kriging("fading-bias", "rbf", None)
    if n_levels > 2:
        yield _co_kriging("common-bias", "rbf", None)


def _exchangeable_candidates(n_levels: int) -> Iterator[Candidate]:
    """Models that do not learn which levels are alike (docs/notes/categories.md)."""
    if n_levels > 1:
        yield _exchangeable("general")
    yield _exchangeable("top-only")


def _exchangeable(structure: str) -> Candidate:
    candidate = _co_kriging(structure, "rbf", "kumaraswamy")
    estimator = candidate.estimator.set_params(categories="exchangeable")
    return Candidate(f"{candidate.name}, exchangeable", estimator)


def _co_kriging(structure: str, kernel: str, warp: str | None) -> Candidate:
    short = {"autoregressive": "ar1", "top-only": "top only", "matern52": "matern"}
    parts = [short.get(structure, structure)]
    parts += [short[kernel]] if kernel in short else []
    parts += ["warped"] if warp else []
    return Candidate(", ".join(parts), CoKriging(structure=structure, kernel=kernel, warp=warp))
