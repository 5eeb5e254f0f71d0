"""Co-kriging: all fidelities in one Gaussian process, every hyperparameter learned together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Bounds, Dataset
from ..data.further import Further, extended
from ..errors import DataError, listed
from ..estimators import check_random_state, clone
from ..gp import GaussianProcess
from ..gp.blends import Distribution
from ..gp.categorical import CATEGORY_KERNELS
from ..gp.distributions import Mixture, Normal
from ..gp.ensemble import ProcessEnsemble
from ..gp.extension import extended as extended_process
from ..gp.kernels import KERNELS
from ..gp.plain import plain_process
from ..gp.posterior import N_DRAWS, DrawReport
from ..progress import counter
from ..surrogates.gp import MANY_ROWS
from .continuing import JointProcess, Part
from .estimator import MultiFidelityRegressor
from .facts import fit_reports, input_facts, noise_facts
from .known import Known
from .leftover import LeftOver
from .stages import Fitting, warn_about_fit, warn_about_ties
from .structures import ORDERED, PRIORS, STRUCTURES, JointModel, Traits, known_noise
from .two_step import TwoStep, by_levels, fit_two_step, restored_two_step

Array = NDArray[np.float64]

#: Searches end when the log density changes by less; ten times that ends some of them too soon.
TOLERANCE = 1e-4
#: Draws climb on by themselves. Looser than this, searches stop on plateaus of exact results.
DRAWN_TOLERANCE = 1e-3


class CoKriging(MultiFidelityRegressor):
    """Kennedy and O'Hagan's co-kriging, or a relative of it, by joint likelihood.

    Use it when the expensive response is roughly a multiple of the cheap one plus something
    simpler than either: then nothing of the paper is more accurate. It needs no nested designs.
    Where the cheap response says something else in different places, prefer MAST, and where the
    expensive response is a nonlinear function of the cheap one, NARGP or a deep GP.

    Parameters
    ----------
    costs, order, calibrate, noise_std, bounds
        As in :class:`mastgp.MAST`.
    structure : {"autoregressive", "shared-bias", "common-bias", "fading-bias", "general", \
"top-only"}
        How levels are related: f_m = rho f_(m-1) + discrepancy, rho learned; or f_m = f + bias_m
        for the cheap levels, biases independent; or f_m = f + c_m bias, c_m learned; or the same
        with c_m fixed, as in BoTorch's multi-fidelity kernel; or f_m = c_m f + own_m, the most
        general for two levels; or not at all: the same GP of the most expensive level alone.
    kernel : {"rbf", "matern52"}
    warp : {"kumaraswamy", None}
        Input warp, shared by all levels.
    priors : {"wide", "botorch", None}
        Dimension-scaled log-normal lengthscales; or those of BoTorch's multi-fidelity kernel,
        which assume a wiggly shared function and a smooth bias; or none (maximum likelihood).
    isotropic : bool
        Whether all inputs share one lengthscale: less to learn, for very few expensive points.
    categories : {"latent", "exchangeable"}
        Whether the levels of categorical inputs have learned positions, or are all equally far
        from each other.
    inference : {"bayes", "map"}
        Whether predictions average over draws of the hyperparameters from their posterior, or
        take the optimum alone. The optimum is quicker, and far too sure of itself where the
        expensive points are few. Without priors it is always the optimum.
    n_draws : int
        How many draws are made.
    exact : bool
        Whether very many cheap rows are part of the joint GP, too. Otherwise the cheap levels are
        modelled first, by what predicts held-out rows best, and the structure says whether a factor
        is learned.
    random_state : int, RandomState or None
        For the draws and for `sample_y`. Without one, the draws are the same each time.

    Attributes
    ----------
    process_ : mastgp.gp.GaussianProcess
        The joint GP at the optimum, or at the mode of what was drawn from; its group m is the m-th
        fidelity, cheapest first.
    posterior_ : mastgp.gp.ProcessEnsemble or mastgp.gp.GaussianProcess
        What predicts: the draws, or the optimum.
    draw_report_ : mastgp.gp.DrawReport or None
        How the draws were made, and how far to trust them.
    rho_ : array
        The learned factors between levels.

    References
    ----------
    Kennedy, O'Hagan (2000), Predicting the output from a complex computer code when fast
    approximations are available. Biometrika 87.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp.models import CoKriging
    >>> cheap, dear = np.linspace(0, 1, 30), np.linspace(0.05, 0.95, 5)
    >>> X = np.concatenate([cheap, dear])[:, None]
    >>> y = np.concatenate([np.sin(9 * cheap), 2 * np.sin(9 * dear) + dear])
    >>> labels = ["cheap"] * 30 + ["dear"] * 5
    >>> model = CoKriging(order=["cheap", "dear"]).fit(X, y, fidelity=labels)
    >>> bool(abs(model.predict([[0.37]])[0] - (2 * np.sin(3.33) + 0.37)) < 0.02)
    True
    """

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        structure: str = "autoregressive",
        kernel: str = "rbf",
        warp: str | None = "kumaraswamy",
        priors: str | None = "wide",
        isotropic: bool = False,
        categories: str = "latent",
        inference: str = "bayes",
        n_draws: int = N_DRAWS,
        exact: bool = False,
        calibrate: bool = False,
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        self.costs = costs
        self.order = order
        self.structure = structure
        self.kernel = kernel
        self.warp = warp
        self.priors = priors
        self.isotropic = isotropic
        self.categories = categories
        self.inference = inference
        self.n_draws = n_draws
        self.exact = exact
        self.calibrate = calibrate
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    traits_: Traits
    process_: GaussianProcess
    posterior_: ProcessEnsemble | GaussianProcess
    draw_report_: DrawReport | None = None
    #: Levels of very many rows, modelled one after the other instead of by one process.
    steps_: TwoStep | None = None
    #: Scale of the response, where the data are what other levels leave of it.
    response_scale_: float | None = None

    @property
    def label(self) -> str:
        """AR1, GP, or the structure's name."""
        return {"autoregressive": "AR1", "top-only": "GP"}.get(
            self.structure, self.structure.capitalize()
        )

    @property
    def uses_cheap_data(self) -> bool:
        """Whether the structure has more than the most expensive level."""
        return self.structure != "top-only"

    def _joint(self) -> JointModel:
        """The kind of joint GP that the options ask for, checked."""
        for value, allowed, name in (
            (self.structure, STRUCTURES, "structure"),
            (self.kernel, KERNELS, "kernel"),
            (self.warp, ("kumaraswamy", None), "warp"),
            (self.priors, PRIORS, "priors"),
            (self.inference, ("bayes", "map"), "inference"),
            (self.categories, CATEGORY_KERNELS, "categories"),
        ):
            if value not in allowed:
                raise DataError(f"unknown {name} {value!r}; choose one of {listed(allowed)}")
        if self.n_draws < 1:
            raise DataError(f"n_draws is {self.n_draws}; it must be at least 1")
        options = self.structure, self.kernel, self.warp, self.priors, self.isotropic
        if self.response_scale_ is None:
            return JointModel(*options, self._draws, self.categories)
        return LeftOver(*options, self._draws, self.categories, self.response_scale_)

    @property
    def _draws(self) -> bool:
        """Whether predictions average over draws."""
        return self.inference == "bayes" and self.priors is not None

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Fit the joint GP. A fit to part of the data keeps what was decided on all of them."""
        joint = self._joint()
        levels = joint.levels(data)
        if self.structure in ORDERED:
            warn_about_ties(data)
        before = known.before_of(CoKriging)
        self.steps_ = None
        if not self.exact and any(len(f.y) >= MANY_ROWS for f in levels[:-1]):
            fit = Fitting(data, known, self.random_state)
            old = None if before is None else before.steps_
            self.steps_ = fit_two_step(fit, joint.connected, self._alone, old)
            return
        starts = None
        if before is not None:
            self.traits_ = before.traits_
            starts = {"before": before.process_.optimum}
        else:
            self.traits_ = Traits.of(data, levels)
        tolerance = DRAWN_TOLERANCE if self._draws else TOLERANCE
        self.process_ = fit_joint(joint, data, self.traits_, tolerance, starts)
        warn_about_fit(self.process_, "of all fidelities")
        self.posterior_, self.draw_report_ = self.process_, None
        if self._draws:
            seed = 0 if self.random_state is None else self.random_state
            rng = np.random.default_rng(check_random_state(seed).randint(2**31 - 1))
            self.posterior_, draws = ProcessEnsemble.drawn(self.process_, self.n_draws, rng)
            self.process_ = self.process_.with_parameters(draws.mode)
            self.draw_report_ = draws.report

    def _alone(self) -> CoKriging:
        """The same model of the most expensive level alone, for what the others leave of it."""
        alone: CoKriging = clone(self)
        return alone.set_params(structure="top-only", calibrate=False)

    @property
    @by_levels
    def abilities(self) -> frozenset[str]:
        """All, unless very many rows are modelled level by level."""
        return super().abilities

    @by_levels
    def leave_out(self, folds: Sequence[NDArray[np.intp]]) -> Distribution:
        """Predict held-out expensive observations; noise is included.

        At the optimum the hyperparameters are kept. Draws are weighted as if they had not seen
        what is held out.
        """
        data = self.training_data_
        n_levels, n_top = len(self._joint().levels(data)), len(data.top.y)
        together = [np.concatenate(data.at_places_of(fold)[-n_levels:]) for fold in folds]
        rows = [self._order[np.flatnonzero(masks)] for masks in together]
        top = self._order[-n_top:]
        if isinstance(self.posterior_, GaussianProcess):
            mean, var = self.posterior_.leave_out(rows)
            return Normal(mean[top], var[top])
        left_out = self.posterior_.leave_out(rows)
        parts = left_out.weights, left_out.means, left_out.variances
        return Mixture(*(part[:, top] for part in parts))

    @property
    def leaves_out_honestly(self) -> bool:
        """Whether held-out predictions owe nothing to what is held out: those of draws do not."""
        return self._draws

    @property
    @by_levels
    def rho_(self) -> Array:
        """Learned factors between levels, in the target's units."""
        factors, scale = self.process_.parameters.factors, self.process_.y_scale
        if self.structure == "autoregressive":
            return factors * scale[1:] / scale[:-1]
        if self.structure == "general":
            return factors * scale[1:] / scale[0]
        return factors

    @property
    def _top(self) -> int:
        return self.process_.model.n_groups - 1

    @property
    @by_levels
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity."""
        return float(np.mean(self.posterior_.noise_var[self._is_top]))

    @property
    def _is_top(self) -> NDArray[np.bool_]:
        """Which of the process's observations are of the top level."""
        return self.process_.groups == self._top

    @property
    def _order(self) -> NDArray[np.intp]:
        """Where the rows of the data, level after level, are among the process's observations.

        Rows that were added later are its last observations.
        """
        return np.argsort(self.process_.groups, kind="stable")

    @by_levels
    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the top level."""
        return self.posterior_.predict(U, self._top)

    @by_levels
    def distribution_unit(self, U: Array, include_noise: bool = False) -> Distribution:
        """A normal distribution at the optimum, a mixture of draws."""
        if isinstance(self.posterior_, GaussianProcess):
            return super().distribution_unit(U, include_noise)
        mixture = self.posterior_.distribution(U, self._top)
        if not include_noise:
            return mixture
        noises = [[np.mean(p.noise_var[self._is_top])] for p in self.posterior_.processes]
        return Mixture(mixture.weights, mixture.means, mixture.variances + np.array(noises))

    @by_levels
    def mean_unit(self, U: Array) -> Array:
        """Mean of the top level."""
        return self.posterior_.predict_mean(U, self._top)

    @by_levels
    def covariance_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and covariance of the top level."""
        return self.posterior_.predict_covariance(U, self._top)

    @by_levels
    def gradient_unit(self, U: Array) -> tuple[Array, Array]:
        """Gradients of the top level's mean and variance."""
        return self.posterior_.predict_gradient(U, self._top)

    def updated(self, further: Further) -> Self:
        """The same hyperparameters, draws weighted by the density of the new rows."""
        if self.steps_ is not None:
            return super().updated(further)
        grown = copy(self)
        grown.training_data_ = data = extended(self.training_data_, further)
        levels = [f.name for f in self._joint().levels(data)]
        new = [further[name] for name in levels if name in further]
        if not new:
            return grown
        groups = np.repeat([levels.index(f.name) for f in new], [len(f.y) for f in new])
        rows = (
            np.concatenate([data.unit(f) for f in new]),
            np.concatenate([f.y for f in new]),
            groups,
            known_noise(new),
        )
        if isinstance(self.posterior_, GaussianProcess):
            grown.process_ = grown.posterior_ = extended_process(self.process_, *rows)
            return grown
        grown.posterior_ = self.posterior_.extended(*rows)
        objective = grown.posterior_.processes[0].objective
        grown.process_ = extended_process(self.process_, *rows, objective=objective)
        return grown

    @property
    @by_levels
    def draws_left(self) -> float:
        """By the draws' weights."""
        if isinstance(self.posterior_, GaussianProcess):
            return super().draws_left
        return self.posterior_.effective_draws

    @by_levels
    def parts(self) -> list[Part]:
        """The draws, or the optimum."""
        names = tuple(f.name for f in self._joint().levels(self.training_data_))
        if isinstance(self.posterior_, GaussianProcess):
            return [JointProcess(1.0, self.posterior_, names)]
        pairs = zip(self.posterior_.weights.tolist(), self.posterior_.processes, strict=True)
        return [JointProcess(share, process, names) for share, process in pairs]

    @by_levels
    def facts(self) -> dict[str, Any]:
        """Noise of every level, lengthscales and warp, factors, and the fit's report."""
        levels = self._joint().levels(self.training_data_)
        ends = np.cumsum([len(fidelity.y) for fidelity in levels])
        noises = np.split(self.posterior_.noise_var[self._order], ends[:-1])
        facts = {
            "noise": noise_facts({f.name: var for f, var in zip(levels, noises, strict=True)}),
            "inputs": input_facts(self.process_),
            "factors": [float(factor) for factor in self.rho_],
            "fits": fit_reports({"of all fidelities": self.process_}),
        }
        if self.draw_report_ is not None:
            facts["draws"] = asdict(self.draw_report_)
        return facts

    @by_levels
    def plain_predictor(self) -> dict[str, Any]:
        """The top level of the process, or of its draws."""
        return plain_process(self.posterior_, self._top)

    @by_levels
    def get_state(self) -> dict[str, Any]:
        """The process, how its means are dealt with, and the draws."""
        state = {"process": self.process_.get_state(), "means": self.process_.model.means}
        if isinstance(self.posterior_, ProcessEnsemble) and self.draw_report_ is not None:
            state["draws"] = self.posterior_.get_state()
            state["draw_report"] = asdict(self.draw_report_)
        return state

    def set_state(self, state: dict[str, Any]) -> None:
        """Rebuild the process and its draws."""
        if "levels" in state:
            connected = self._joint().connected
            self.steps_ = restored_two_step(state, self.training_data_, connected, self._alone)
            return
        if "draws" not in state:
            self.inference = "map"  # as in all files of format 4 and before
        joint, data = self._joint(), self.training_data_
        self.traits_ = Traits.of(data, joint.levels(data))
        # Files from before means could be uncertain do not mention them.
        means = state.get("means", "profiled")
        model = replace(joint.build(data, self.traits_, searched=False), means=means)
        self.process_ = GaussianProcess.from_state(model, state["process"])
        self.posterior_ = self.process_
        if "draws" in state:
            self.posterior_ = ProcessEnsemble.from_state(self.process_, state["draws"])
            self.draw_report_ = DrawReport(**state["draw_report"])


def fit_joint(
    joint: JointModel,
    data: Dataset,
    traits: Traits,
    tolerance: float = TOLERANCE,
    starts: dict[str, Array] | None = None,
) -> GaussianProcess:
    """Fit one GP to all of a joint model's levels; group m is the m-th of them.

    Parameters
    ----------
    joint : JointModel
    data : Dataset
    traits : Traits
        What the levels have in common.
    tolerance : float
        A search ends when the log density changes by less.
    starts : dict of str to array, optional
        Where to search from, instead of the usual starts.
    """
    levels = joint.levels(data)
    return GaussianProcess.fit(
        joint.build(data, traits),
        np.concatenate([data.unit(fidelity) for fidelity in levels]),
        np.concatenate([fidelity.y for fidelity in levels]),
        groups=np.repeat(np.arange(len(levels)), [len(f.y) for f in levels]),
        noise_var=known_noise(levels),
        y_scale=joint.scales(data, traits),
        starts=starts,
        on_evaluation=counter("co-kriging"),
        tolerance=tolerance,
    )
