"""Which models take part in a blend. How they were chosen is in docs/notes/auto.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..check.validation import ALONE
from ..models.cokriging import CoKriging
from ..models.estimator import MultiFidelityRegressor
from ..models.fire import FIRE
from ..models.mast import MAST
from ..models.single import SingleFidelity
from ..surrogates.gp import GP

Array = NDArray[np.float64]


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


def default_candidates(n_levels: int) -> Iterator[Candidate]:
    """Candidates for data of so many fidelities."""
    if n_levels > 1:
        yield from _joint_candidates(n_levels)
        yield Candidate("fire", FIRE())
        yield Candidate("fire, matern", FIRE(surrogate=GP(kernel="matern52")))
        yield Candidate("mast", MAST())
    yield Candidate(ALONE, SingleFidelity())
    for kernel, warp in (("rbf", "kumaraswamy"), ("matern52", None), ("matern52", "kumaraswamy")):
        yield _co_kriging("top-only", kernel, warp)


def mast_variants() -> Iterator[Candidate]:
    """Relatives of MAST, tried where MAST itself is in the running: each takes a while to check."""
    yield Candidate("mast, mahalanobis", MAST(metric="mahalanobis"))
    yield Candidate("mast, triangular", MAST(weight="triangular"))
    yield Candidate("mast, not blended", MAST(weight=ignore_neighbours))


def ignore_neighbours(distance: Array, alpha: float, radius: Array) -> Array:
    """Give expensive neighbours no weight: corrected cheap points are trusted wholly, W = 1."""
    return np.zeros_like(distance)


def _joint_candidates(n_levels: int) -> Iterator[Candidate]:
    for structure in ("autoregressive", "shared-bias"):
        for kernel in ("rbf", "matern52"):
            for warp in ("kumaraswamy", None):
                yield _co_kriging(structure, kernel, warp)
    biased = ("fading-bias", "common-bias") if n_levels > 2 else ("fading-bias",)
    for structure in ("general", *biased):
        for warp in ("kumaraswamy", None):
            yield _co_kriging(structure, "rbf", warp)
    for structure in biased:
        yield _co_kriging(structure, "rbf", None, "botorch")


def _co_kriging(structure: str, kernel: str, warp: str | None, priors: str = "wide") -> Candidate:
    return Candidate(
        _name(structure, kernel, warp, priors),
        CoKriging(structure=structure, kernel=kernel, warp=warp, priors=priors),
    )


def _name(structure: str, kernel: str, warp: str | None, prior: str) -> str:
    short = {"autoregressive": "ar1", "top-only": "top only", "matern52": "matern"}
    parts = [short.get(structure, structure)]
    parts += [short[kernel]] if kernel in short else []
    parts += ["warped"] if warp else []
    parts += ["smooth bias"] if prior == "botorch" else []
    return ", ".join(parts)
