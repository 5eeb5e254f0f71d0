"""Which models take part in a blend. How they were chosen is in docs/notes/auto.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..check.validation import ALONE
from ..errors import DataError, listed
from ..estimators import check_random_state, clone
from ..gp.responses import Logarithm, Transformation, YeoJohnson
from ..methods import method
from ..models.cokriging import CoKriging
from ..models.estimator import MultiFidelityRegressor
from ..models.fire import FIRE
from ..models.mast import MAST
from ..models.single import SingleFidelity
from ..models.transformed import TransformedResponse, of_response
from ..surrogates.gp import MANY_ROWS


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


def default_candidates(
    n_levels: int,
    response: Logarithm | YeoJohnson | None = None,
    n_points: int = 0,
    categorical: bool = False,
    n_top: int = 0,
    numeric: bool = True,
) -> Iterator[Candidate]:
    """Candidates for data of so many fidelities.

    Parameters
    ----------
    n_levels : int
    response : Logarithm or YeoJohnson, optional
        A transformation that is tried as well. Models of it take the place of some others.
    n_points : int
        With many, candidates that take long and seldom matter are left out.
    categorical : bool
        Whether some inputs are categorical.
    n_top : int
        Number of the most expensive points.
    numeric : bool
        Whether some inputs are numbers.
    """
    if n_points >= MANY_ROWS:
        yield from _of_many_rows(n_levels, response, n_top)
        return
    if not numeric:
        yield from _of_categories(n_levels, response)
        return
    if n_points > MANY_POINTS:
        yield from _joint(n_levels)
        if response is not None:
            yield _of(response, next(chain(_joint(n_levels), _others(n_levels))))
    elif response is None:
        yield from _joint(n_levels, GENERAL, MATERN)
    else:
        yield from _joint(n_levels)
        yield from (_of(response, candidate) for candidate in _joint(n_levels, MATERN))
        yield from (_of(response, candidate) for candidate in _others(n_levels))
    yield from _others(n_levels)
    yield from _usual_last(n_levels)
    if categorical:
        yield from _exchangeable(n_levels)


#: From this many points on a joint model takes seconds.
MANY_POINTS = 300
GENERAL = ("general", "rbf", "kumaraswamy")
MATERN = ("autoregressive", "matern52", None)


def _joint(n_levels: int, *more: tuple[str, str, str | None]) -> Iterator[Candidate]:
    """Co-kriging of all levels. With two of them a bias fades in one way only."""
    if n_levels == 1:
        return
    biased = ("common-bias", "fading-bias") if n_levels > 2 else ("shared-bias",)
    for structure in ("autoregressive", *biased):
        yield _co_kriging(structure, "rbf", "kumaraswamy")
    for options in more:
        yield _co_kriging(*options)


def _of_many_rows(
    n_levels: int, response: Logarithm | YeoJohnson | None, n_top: int
) -> Iterator[Candidate]:
    """Models whose cheap level is fitted once, and is not fitted again for held-out points.

    MAST is none of them: its last stage is of all rows.
    """
    if n_top < MANY_ROWS:
        yield from _joint(n_levels)
        if response is not None:
            yield _of(response, next(chain(_joint(n_levels), _others(n_levels))))
        yield from _others(n_levels)
    elif n_levels > 1:
        yield Candidate("fire", FIRE())
    yield Candidate(ALONE, SingleFidelity())


def _of_categories(n_levels: int, response: Logarithm | YeoJohnson | None) -> Iterator[Candidate]:
    """Models of inputs that are all categories (docs/notes/categories.md).

    There is nothing to warp, and few expensive points do not tell many models apart. Models with a
    bias of the cheap data are misled by positions of levels that these suggest.
    """
    joint = [_co_kriging("autoregressive", "rbf", "kumaraswamy")] if n_levels > 1 else []
    yield from joint
    yield from map(_exchangeable_of, joint)
    if isinstance(response, Logarithm):
        yield from (_of(response, candidate) for candidate in [*joint, *_others(1)])
    yield from _others(n_levels)
    yield from _usual_last(n_levels)
    yield from _exchangeable(n_levels)


def _usual_last(n_levels: int) -> Iterator[Candidate]:
    """The paper's method, and the yardstick."""
    if n_levels > 1:
        yield Candidate("mast", MAST(calibrate=True))
    yield Candidate(ALONE, SingleFidelity())


def _others(n_levels: int) -> Iterator[Candidate]:
    """A nonlinear model, and one of the expensive points alone."""
    if n_levels > 1:
        yield Candidate("fire", FIRE())
    yield _co_kriging("top-only", "rbf", "kumaraswamy")


def _exchangeable(n_levels: int) -> Iterator[Candidate]:
    """Models that do not learn which levels are alike (docs/notes/categories.md)."""
    for structure in ("general", "top-only") if n_levels > 1 else ("top-only",):
        yield _exchangeable_of(_co_kriging(structure, "rbf", "kumaraswamy"))


def _exchangeable_of(candidate: Candidate) -> Candidate:
    """The same model, which takes any two levels as equally different."""
    estimator = clone(candidate.estimator).set_params(categories="exchangeable")
    return Candidate(f"{candidate.name}, exchangeable", estimator)


def _co_kriging(structure: str, kernel: str, warp: str | None) -> Candidate:
    short = {"autoregressive": "ar1", "top-only": "top only", "matern52": "matern"}
    parts = [short.get(structure, structure)]
    parts += [short[kernel]] if kernel in short else []
    parts += ["warped"] if warp else []
    return Candidate(", ".join(parts), CoKriging(structure=structure, kernel=kernel, warp=warp))


def added_candidates(
    added: Mapping[str, MultiFidelityRegressor] | Sequence[str] | None, random_state: Any
) -> Iterator[Candidate]:
    """The user's own candidates, from estimators by name or from names of methods."""
    if isinstance(added, str):
        raise DataError("add takes a sequence of method names, such as ['nargp']")
    added = added or {}
    if not isinstance(added, Mapping):
        seed = check_random_state(random_state).randint(2**31 - 1)
        added = {name: method(name).build(random_state=seed) for name in added}
    for name, estimator in added.items():
        if not isinstance(estimator, MultiFidelityRegressor):
            raise DataError(
                f"candidate {name!r} is no multi-fidelity estimator of this package, but a "
                f"{type(estimator).__name__}"
            )
        yield Candidate(name, estimator, added=True)


def of_response_only(
    candidates: Iterable[Candidate], response: Transformation
) -> Iterator[Candidate]:
    """The same candidates, all of them of the transformed response."""
    for candidate in candidates:
        name = candidate.name if candidate.name == ALONE else f"{response.short}: {candidate.name}"
        yield Candidate(name, of_response(candidate.estimator, response), candidate.added)


def _of(response: Logarithm | YeoJohnson, candidate: Candidate) -> Candidate:
    """The same candidate for the transformed response."""
    wrapped = TransformedResponse(candidate.estimator, response)
    return Candidate(f"{response.short}: {candidate.name}", wrapped)


def check_names(candidates: Sequence[Candidate]) -> None:
    """Refuse candidates of the same name."""
    names = [c.name for c in candidates]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"candidate {listed(twice)} is tried anyway; give yours another name")
