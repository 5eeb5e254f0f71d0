"""Co-kriging: all fidelities in one Gaussian process, every hyperparameter learned together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Bounds, Dataset
from ..errors import DataError, listed
from ..gp import GaussianProcess
from ..gp.kernels import KERNELS
from ..gp.layout import Layout
from ..progress import counter
from .estimator import MultiFidelityRegressor
from .facts import fit_reports, input_facts, noise_facts
from .known import Known
from .stages import warn_about_fit
from .structures import PRIORS, STRUCTURES, JointModel, Traits, known_noise

Array = NDArray[np.float64]

#: Searches end when the log density changes by less; ten times that ends some of them too soon.
TOLERANCE = 1e-4


class CoKriging(MultiFidelityRegressor):
    """Kennedy and O'Hagan's co-kriging, or a relative of it, by joint likelihood.

    Use it when the expensive response is roughly a multiple of the cheap one plus something
    simpler than either: then nothing of the paper is more accurate. It needs no nested designs.
    Where the cheap response says something else in different places, prefer MAST, and where the
    expensive response is a nonlinear function of the cheap one, NARGP or a deep GP.

    Parameters
    ----------
    costs, order, noise_std, bounds, random_state
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

    Attributes
    ----------
    process_ : mastgp.gp.GaussianProcess
        The joint GP; its group m is the m-th fidelity, cheapest first.
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
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    traits_: Traits
    process_: GaussianProcess

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
        ):
            if value not in allowed:
                raise DataError(f"unknown {name} {value!r}; choose one of {listed(allowed)}")
        return JointModel(self.structure, self.kernel, self.warp, self.priors, self.isotropic)

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Fit the joint GP. A fit to part of the data keeps what was decided on all of them."""
        joint = self._joint()
        levels = joint.levels(data)
        before = known.before
        starts = None
        if isinstance(before, CoKriging):
            self.traits_ = before.traits_
            optimum = before.process_
            starts = {"before": Layout(optimum.model).pack(optimum.parameters)}
        else:
            self.traits_ = Traits.of(data, levels)
        self.process_ = GaussianProcess.fit(
            joint.build(data, self.traits_),
            np.concatenate([data.unit(fidelity) for fidelity in levels]),
            np.concatenate([fidelity.y for fidelity in levels]),
            groups=np.repeat(np.arange(len(levels)), [len(f.y) for f in levels]),
            noise_var=known_noise(levels),
            y_scale=joint.scales(data, self.traits_),
            starts=starts,
            on_evaluation=counter("co-kriging"),
            tolerance=TOLERANCE,
        )
        warn_about_fit(self.process_, "of all fidelities")

    def leave_out(self, folds: Sequence[NDArray[np.intp]]) -> tuple[Array, Array]:
        """Mean and variance of held-out expensive observations, hyperparameters kept."""
        data = self.training_data_
        n_levels = len(self._joint().levels(data))
        together = [np.concatenate(data.at_places_of(fold)[-n_levels:]) for fold in folds]
        mean, var = self.process_.leave_out([np.flatnonzero(rows) for rows in together])
        n_top = len(data.top.y)
        return mean[-n_top:], var[-n_top:]

    @property
    def log_posterior_(self) -> float:
        """Log density of data and hyperparameters at the optimum, in the target's units."""
        process = self.process_
        if process.report is None:
            raise self._lacks("report of its fit")
        levels = self._joint().levels(self.training_data_)
        scales = np.repeat(process.y_scale, [len(f.y) for f in levels])
        return float(-process.report.objective * process.n_points - np.log(scales).sum())

    @property
    def evidence_(self) -> float | None:
        """Log posterior density, of joint models with priors."""
        comparable = self.uses_cheap_data and self.priors is not None
        return self.log_posterior_ if comparable else None

    @property
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
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity."""
        return float(np.mean(self.process_.noise_var[-len(self.training_data_.top.y) :]))

    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the top level."""
        return self.process_.predict(U, self._top)

    def mean_unit(self, U: Array) -> Array:
        """Mean of the top level."""
        return self.process_.predict_mean(U, self._top)

    def covariance_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and covariance of the top level."""
        return self.process_.predict_covariance(U, self._top)

    def gradient_unit(self, U: Array) -> tuple[Array, Array]:
        """Gradients of the top level's mean and variance."""
        return self.process_.predict_gradient(U, self._top)

    def facts(self) -> dict[str, Any]:
        """Noise of every level, lengthscales and warp, factors, and the fit's report."""
        levels = self._joint().levels(self.training_data_)
        ends = np.cumsum([len(fidelity.y) for fidelity in levels])
        noises = np.split(self.process_.noise_var, ends[:-1])
        return {
            "noise": noise_facts({f.name: var for f, var in zip(levels, noises, strict=True)}),
            "inputs": input_facts(self.process_),
            "factors": [float(factor) for factor in self.rho_],
            "fits": fit_reports({"of all fidelities": self.process_}),
        }

    def get_state(self) -> dict[str, Any]:
        """The process, and how its means are dealt with."""
        return {"process": self.process_.get_state(), "means": self.process_.model.means}

    def set_state(self, state: dict[str, Any]) -> None:
        """Rebuild the process."""
        joint, data = self._joint(), self.training_data_
        self.traits_ = Traits.of(data, joint.levels(data))
        # Files from before means could be uncertain do not mention them.
        means = state.get("means", "profiled")
        model = replace(joint.build(data, self.traits_), means=means)
        self.process_ = GaussianProcess.from_state(model, state["process"])
