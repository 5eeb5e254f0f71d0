"""The best surrogate for the data at hand: many candidates, checked and blended.

No method is best on all data, and fits take milliseconds: so all candidates are fitted, each
predicts expensive points that were held out, and the weights of the blend follow from the errors
it made there. How the candidates and the rule were chosen is in docs/auto.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..check.heldout import Folds, HeldOut, check_table, folds_of, held_out
from ..data.dataset import Bounds, Dataset, without_copies
from ..errors import (
    DataError,
    FitWarning,
    MastError,
    MastWarning,
    listed,
    warn,
)
from ..gp import draw_samples
from ..gp.distributions import Mixture
from ..models.cokriging import CoKriging
from ..models.estimator import MultiFidelityRegressor, silenced
from ..models.fire import FIRE
from ..models.mast import MAST
from ..progress import listening, report
from ..surrogates import GP
from .verdict import FidelityVerdict, Verdict, judge
from .weights import blend_weights, weights_without_each

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

#: Share of the log evidence that counts, among GPs that are joint models of the same data.
EVIDENCE = 0.05
#: Members with less weight than this take no part in predictions.
LEAST_WEIGHT = 2e-3
#: Variants of MAST are tried where its held-out error is at most so many times the least.
IN_THE_RUNNING = 1.25
#: What may go wrong in a candidate of ours, which is then left out.
FAILURES = (MastError, ArithmeticError, np.linalg.LinAlgError)
#: Pseudo-points at a ratio of one, in the recalibration of intervals.
CALIBRATION_PRIOR = 4.0


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
    for kernel in ("rbf", "matern52"):
        for warp in ("kumaraswamy", None):
            yield _co_kriging("top-only", kernel, warp)


def mast_variants() -> Iterator[Candidate]:
    """Relatives of MAST, tried where MAST itself is in the running: each takes a while to check."""
    yield Candidate("mast, mahalanobis", MAST(metric="mahalanobis"))
    yield Candidate("mast, triangular", MAST(weight="triangular"))
    yield Candidate("mast, not blended", MAST(weight=trust_everywhere))


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


def trust_everywhere(distance: Array, alpha: float, radius: Array) -> Array:
    """Weight function of a MAST that corrects cheap points, but does not blend them."""
    return np.ones_like(distance)


def _name(structure: str, kernel: str, warp: str | None, prior: str) -> str:
    short = {"autoregressive": "ar1", "top-only": "expensive alone", "matern52": "matern"}
    parts = [short.get(structure, structure)]
    parts += [short[kernel]] if kernel in short else []
    parts += ["warped"] if warp else []
    parts += ["smooth bias"] if prior == "botorch" else []
    return ", ".join(parts)


class AutoSurrogate(MultiFidelityRegressor):
    """A blend of co-kriging, MAST, nonlinear and single-fidelity models, weighted by validation.

    Use it when you do not want to choose. Fitting takes seconds instead of a fraction of one, and
    what you get is close to the best candidate, often better, with a check on your own expensive
    points and a verdict on the cheap ones.

    Parameters
    ----------
    costs, order, noise_std, bounds, random_state
        As in :class:`mastgp.MAST`.
    add : mapping of name to estimator, or sequence of method names, optional
        Further candidates, such as ``["nargp"]`` or ``{"mine": MyRegressor()}``. Each is fitted
        again for every fold.
    calibrate : bool
        Whether intervals are rescaled by the held-out points' standardised residuals; the mean
        stays.
    drop : bool
        Whether cheap fidelities that hurt, by the verdict, are left out altogether.

    Attributes
    ----------
    candidates_ : dict of name to fitted estimator
        Those with a weight.
    weights_ : dict of name to float
        Of all candidates, largest first.
    validation_ : DataFrame
        Held-out RMSE, NLPD and coverage of the blend and of every candidate.
    verdict_ : Verdict
        Whether each cheap fidelity helps.
    held_out_ : HeldOut
        The blend's own held-out predictions, with weights from the other points' errors.
    calibration_ : float
        What standard deviations are multiplied by.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp import AutoSurrogate
    >>> coarse, fine = np.linspace(0, 1, 25), np.linspace(0, 1, 6)
    >>> X = np.concatenate([coarse, fine])[:, None]
    >>> y = np.concatenate([np.sin(8 * coarse), 1.5 * np.sin(8 * fine) + fine])
    >>> model = AutoSurrogate(order=["coarse", "fine"])
    >>> model = model.fit(X, y, fidelity=["coarse"] * 25 + ["fine"] * 6)
    >>> bool(abs(model.predict([[0.3]])[0] - 1.5 * np.sin(2.4) - 0.3) < 0.05)
    True
    >>> model.verdict_.fidelities[0].word
    'helps'
    """

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        add: Mapping[str, MultiFidelityRegressor] | Sequence[str] | None = None,
        calibrate: bool = False,
        drop: bool = False,
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        self.costs = costs
        self.order = order
        self.add = add
        self.calibrate = calibrate
        self.drop = drop
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    def _fit_unit(self, data: Dataset) -> None:
        used = without_copies(data)
        tried = self._try_all(used)
        self.verdict_ = judge(data, used, {entry.name: entry.model for entry in tried})
        hurting = [f.name for f in self.verdict_.fidelities if f.word == "hurts"]
        if self.drop and hurting:
            alone = [entry for entry in tried if not _uses_cheap_data(entry.model)]
            rest = used.only(lambda fidelity: fidelity.name not in hurting)
            tried = self._try_all(rest, alone)
        self._blend(tried)

    def _try_all(self, data: Dataset, known: Sequence[Tried] = ()) -> list[Tried]:
        """Fit every candidate but those known, and have it predict what was held out."""
        candidates = [*default_candidates(len(data.fidelities)), *self._added()]
        _check_names(candidates)
        names = {entry.name for entry in known}
        tried = _try_each([c for c in candidates if c.name not in names], data, known)
        if _mast_is_in_the_running(tried):
            tried = _try_each(list(mast_variants()), data, tried)
        return tried

    def _added(self) -> Iterator[Candidate]:
        from ..methods import method

        added = self.add or {}
        if isinstance(added, str):
            raise DataError("add takes a sequence of method names, such as ['nargp']")
        if not isinstance(added, Mapping):
            seed = check_random_state(self.random_state).randint(2**31 - 1)
            added = {name: method(name).build(random_state=seed) for name in added}
        for name, estimator in added.items():
            if not isinstance(estimator, MultiFidelityRegressor):
                raise DataError(
                    f"candidate {name!r} is no multi-fidelity estimator of this package, but a "
                    f"{type(estimator).__name__}"
                )
            yield Candidate(name, estimator, added=True)

    def _blend(self, tried: list[Tried]) -> None:
        weights = _weights(tried)
        order = np.argsort(-weights, kind="stable")
        self.weights_ = {tried[i].name: float(weights[i]) for i in order}
        kept = [i for i in order if weights[i] >= LEAST_WEIGHT]
        self.candidates_ = {tried[i].name: tried[i].model for i in kept}
        self.candidates_held_out_ = {tried[i].name: tried[i].checked for i in order}
        self.held_out_ = _held_out_blend(tried)
        self.calibration_ = 1.0
        if self.calibrate and self.held_out_ is not None:
            self.calibration_ = calibration_of(self.held_out_)
            self.held_out_ = _held_out_blend(tried, self.calibration_)

    @property
    def _shares(self) -> Array:
        """Weights of the members that predict."""
        shares = np.array([self.weights_[name] for name in self.candidates_])
        return shares / shares.sum()

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity: the members' mean, calibrated too."""
        noises = [model.noise_var_ for model in self.candidates_.values()]
        return self.calibration_**2 * float(self._shares @ np.array(noises))

    @property
    def validation_(self) -> pd.DataFrame:
        """Held-out RMSE, NLPD and 95 % coverage: the blend first, then by weight."""
        table = check_table({"blend": self.held_out_, **self.candidates_held_out_})
        weights = {"blend": 1.0, **self.weights_}
        table.insert(1, "weight", table.model.map(weights))
        return table

    def predict_mixture(self, X: ArrayLike, include_noise: bool = False) -> Mixture:
        """The whole predictive distribution: mean, variance, density, cdf and quantiles."""
        return self._mixture(self._unit_queries(X), include_noise)

    def _quantiles_unit(
        self, U: Array, levels: Sequence[float], include_noise: bool = False
    ) -> list[Array]:
        mixture = self._mixture(U, include_noise)
        return [mixture.quantile(q) for q in levels]

    @property
    def _label(self) -> str:
        return "Auto"

    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: Any = None) -> Array:
        """Draw functions, each from a member chosen by its weight: shape (n, n_samples)."""
        U = self._unit_queries(X)
        for model in self.candidates_.values():
            model._covariance_unit(U[:1])  # whether it has one must not depend on who is drawn
        random = check_random_state(self.random_state if random_state is None else random_state)
        counts = random.multinomial(n_samples, self._shares)
        draws = [
            draw_samples(mean, cov, count, random)
            for count, model in zip(counts, self.candidates_.values(), strict=True)
            if count
            for mean, cov in [model._covariance_unit(U)]
        ]
        samples = np.hstack([np.empty((len(U), 0)), *draws])[:, random.permutation(n_samples)]
        centre = self._mean_unit(U)[:, None]
        return centre + self.calibration_ * (samples - centre)

    def _get_state(self) -> dict[str, Any]:
        from ..output.storage import estimator_state

        return {
            "fidelities": [f.name for f in self._used_data().fidelities],
            "weights": self.weights_,
            "candidates": {n: estimator_state(m) for n, m in self.candidates_.items()},
            "checked": {
                n: asdict(h) for n, h in self.candidates_held_out_.items() if h is not None
            },
            "held_out": None if self.held_out_ is None else asdict(self.held_out_),
            "verdict": [asdict(entry) for entry in self.verdict_.entries],
            "calibration": self.calibration_,
        }

    def _set_state(self, state: dict[str, Any]) -> None:
        from ..output.storage import restored_estimator

        with silenced(MastWarning):
            data = without_copies(self.training_data_).only(
                lambda fidelity: fidelity.name in state["fidelities"]
            )
        self.weights_ = dict(state["weights"])
        self.candidates_ = {
            n: restored_estimator(entry, data) for n, entry in state["candidates"].items()
        }
        self.candidates_held_out_ = {
            n: HeldOut(**state["checked"][n]) if n in state["checked"] else None
            for n in self.weights_
        }
        self.held_out_ = None if state["held_out"] is None else HeldOut(**state["held_out"])
        entries = tuple(FidelityVerdict(**entry) for entry in state["verdict"])
        one_by_one = len(self.training_data_.cheaper)
        self.verdict_ = Verdict(entries[:one_by_one], *entries[one_by_one:])
        self.calibration_ = state["calibration"]

    def _used_data(self) -> Dataset:
        """The data that the candidates were fitted to."""
        return next(iter(self.candidates_.values())).training_data_

    def _mixture(self, U: Array, include_noise: bool = False) -> Mixture:
        members = self.candidates_.values()
        means, variances = map(
            np.array, zip(*(member._predict_unit(U) for member in members), strict=True)
        )
        if include_noise:
            variances += np.array([[member.noise_var_] for member in members])
        return Mixture(self._shares, means, variances).dilated(self.calibration_)

    def _predict_unit(self, U: Array) -> tuple[Array, Array]:
        mixture = self._mixture(U)
        return mixture.mean, mixture.variance

    def _mean_unit(self, U: Array) -> Array:
        return self._shares @ np.array([m._mean_unit(U) for m in self.candidates_.values()])

    def _covariance_unit(self, U: Array) -> tuple[Array, Array]:
        mean = self._mean_unit(U)
        cov = np.zeros((len(U), len(U)))
        for share, model in zip(self._shares, self.candidates_.values(), strict=True):
            own_mean, own_cov = model._covariance_unit(U)
            away = own_mean - mean
            cov += share * (own_cov + np.outer(away, away))
        return mean, self.calibration_**2 * cov

    def _gradient_unit(self, U: Array) -> tuple[Array, Array]:
        mean = self._mean_unit(U)
        d_mean, d_var = np.zeros_like(U), np.zeros_like(U)
        for share, model in zip(self._shares, self.candidates_.values(), strict=True):
            own_d_mean, own_d_var = model._gradient_unit(U)
            away = (model._mean_unit(U) - mean)[:, None]
            d_mean += share * own_d_mean
            # The blend's own gradient drops out: the members' deviations add up to zero.
            d_var += share * (own_d_var + 2.0 * away * own_d_mean)
        return d_mean, self.calibration_**2 * d_var


@dataclass(frozen=True)
class Tried:
    """A candidate that was fitted and checked.

    Attributes
    ----------
    name : str
        The candidate's.
    model : MultiFidelityRegressor
        Fitted.
    checked : HeldOut or None
        Its held-out predictions; None where nothing can be held out.
    """

    name: str
    model: MultiFidelityRegressor
    checked: HeldOut | None


def _try_each(
    candidates: list[Candidate], data: Dataset, known: Sequence[Tried] = ()
) -> list[Tried]:
    """Fit candidates and have them predict what was held out; those that fail are left out.

    Those known already come first.
    """
    folds = _folds(data)
    tried, failed = [*known], {}
    for done, candidate in enumerate(candidates):
        report("trying candidates", done, len(candidates))
        expected = Exception if candidate.added else FAILURES
        try:
            tried.append(_try_one(candidate, data, folds))
        except expected as error:
            failed[candidate.name] = error
    report("trying candidates", len(candidates), len(candidates))
    if not tried:
        raise next(iter(failed.values()))
    for name, reason in failed.items():
        warn(f"candidate {name!r} could not be fitted: {reason}", FitWarning)
    return tried


def _try_one(candidate: Candidate, data: Dataset, folds: Folds | None) -> Tried:
    with listening(None), silenced(MastWarning):
        model = clone(candidate.estimator)._fit_data(data)
        if folds is None:
            return Tried(candidate.name, model, None)
        # Models that are not joint are small, or have no closed form.
        checked = held_out(model, folds, quick=_is_joint(model))
    if candidate.added and not np.isfinite([checked.mean, checked.std]).all():
        raise DataError("what it predicts is not finite")
    return Tried(candidate.name, model, checked)


def _check_names(candidates: list[Candidate]) -> None:
    names = [c.name for c in (*candidates, *mast_variants())]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"candidate {listed(twice)} is tried anyway; give yours another name")


def _mast_is_in_the_running(tried: list[Tried]) -> bool:
    """Whether MAST was tried and errs little more than the best."""
    rmse = {t.name: t.checked.rmse for t in tried if t.checked is not None}
    return "mast" in rmse and bool(rmse["mast"] <= IN_THE_RUNNING * min(rmse.values()))


def _folds(data: Dataset) -> Folds | None:
    """What is held out, or None where there is nothing to hold out."""
    try:
        return folds_of(data.top.X, data.top.name)
    except DataError:
        return None


def _errors(tried: list[Tried]) -> Array:
    """Squared errors (points, candidates) of the points that all candidates could predict."""
    table = [np.empty(0) if t.checked is None else t.checked.error**2 for t in tried]
    errors = np.column_stack(table)
    return errors[np.isfinite(errors).all(axis=1)]


def _evidence(tried: list[Tried]) -> Array:
    """Share of the log posterior density that counts, for joint models of the same data."""
    values = {t.name: t.model.log_posterior_ for t in tried if _is_joint(t.model)}
    best = max(values.values(), default=0.0)
    return np.array([EVIDENCE * (values.get(t.name, best) - best) for t in tried])


def _is_joint(model: MultiFidelityRegressor) -> TypeGuard[CoKriging]:
    """Whether a model's posterior density can be compared: that of all data, with priors."""
    return (
        isinstance(model, CoKriging) and model.structure != "top-only" and model.priors is not None
    )


def _uses_cheap_data(model: MultiFidelityRegressor) -> bool:
    return not (isinstance(model, CoKriging) and model.structure == "top-only")


def _weights(tried: list[Tried]) -> Array:
    return blend_weights(_errors(tried), _evidence(tried))


def _held_out_blend(tried: list[Tried], calibration: float = 1.0) -> HeldOut | None:
    """The blend's held-out predictions, each with weights from the other points' errors only."""
    checked = [t.checked for t in tried if t.checked is not None]
    if not checked:
        return None
    errors = np.column_stack([c.error**2 for c in checked])
    weights = weights_without_each(errors, _evidence(tried)).T
    means = np.array([c.mean for c in checked])
    variances = np.array([c.std**2 for c in checked])
    blend = Mixture(weights, means, variances).dilated(calibration)
    first = checked[0]
    return replace(
        first,
        mean=blend.mean,
        std=np.sqrt(blend.variance),
        log_density=np.log(np.maximum(blend.density(first.y), np.finfo(float).tiny)),
        probability=blend.cdf(first.y),
    )


def calibration_of(checked: HeldOut) -> float:
    """Factor of the standard deviations, from standardised held-out residuals."""
    z = checked.error / checked.std
    z = z[np.isfinite(z)]
    return float(np.sqrt((CALIBRATION_PRIOR + z @ z) / (CALIBRATION_PRIOR + len(z))))
