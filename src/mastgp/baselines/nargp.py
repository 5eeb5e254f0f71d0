"""Nonlinear autoregressive Gaussian processes (NARGP) by Emukit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Bounds, Dataset
from ..errors import DataError
from ..libraries import import_extra, untouched
from ..models.known import Known
from .library import LibraryRegressor, check_at_least_one, with_level_column

Array = NDArray[np.float64]

#: Emukit cannot propagate samples further: its arrays do not match at the fourth level.
_MOST_FIDELITIES = 3
#: Smallest latent variance as a share of the targets' variance, after subtraction of the noise.
_SMALLEST_VAR = 1e-12


class NARGP(LibraryRegressor):
    """Emukit's ``NonLinearMultiFidelityModel``: a chain of GPs, each a function of the one below.

    Use it where the expensive response is a nonlinear function of the cheap one, such as its
    square, and where there are enough expensive points to learn that function. It takes three
    fidelities at most.

    Emukit and GPy themselves are run, with isotropic RBF kernels. The targets of all fidelities
    share one mean and one scale. The noise of every fidelity is learned. Emukit's own fit fixes
    it at 1e-4 for all but the most expensive fidelity; a second fit starts from that one and
    learns it. Known noise is fixed at its mean over the fidelity's points. The variance includes
    the noise of the cheaper fidelities, which Emukit passes on. It does not include the noise of
    the most expensive fidelity.

    Parameters
    ----------
    costs, order, calibrate, noise_std, bounds
        As in :class:`mastgp.MAST`.
    restarts : int
        Optimiser runs per fidelity.
    n_samples : int
        Monte Carlo samples per level that carry the uncertainty upwards. The cost of a prediction
        is proportional to it, and to its square with three fidelities.
    random_state : int, RandomState or None
        Seeds starts and samples. They are drawn in `fit`; predictions are deterministic.

    Attributes
    ----------
    model_ : emukit NonLinearMultiFidelityModel

    References
    ----------
    P. Perdikaris, M. Raissi, A. Damianou, N. D. Lawrence, G. E. Karniadakis: Nonlinear
    information fusion algorithms for data-efficient multi-fidelity modelling. Proceedings of the
    Royal Society A 473 (2017).
    """

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        restarts: int = 5,
        n_samples: int = 100,
        calibrate: bool = False,
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            costs,
            order=order,
            calibrate=calibrate,
            noise_std=noise_std,
            bounds=bounds,
            random_state=random_state,
        )
        self.restarts = restarts
        self.n_samples = n_samples

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Fit the library's model."""
        self._check(data)
        GPy = import_extra("GPy", "emukit")
        emukit = import_extra(
            "emukit.multi_fidelity.models.non_linear_multi_fidelity_model", "emukit"
        )
        n_fidelities = len(data.fidelities)
        X, y = with_level_column(data, range(n_fidelities))
        self.y_mean_, self.y_scale_ = float(y.mean()), data.y_scale
        with untouched(self._draw_seed(), data.n_points):
            self.model_ = emukit.NonLinearMultiFidelityModel(
                X,
                (y[:, None] - self.y_mean_) / self.y_scale_,
                n_fidelities,
                emukit.make_non_linear_kernels(GPy.kern.RBF, n_fidelities, X.shape[1] - 1),
                n_samples=self.n_samples,
                optimization_restarts=self.restarts,
            )
            self._fix_known_noise(data)
            self.model_.optimize()
            if self._free_unknown_noise(data):
                self.model_.optimize()

    def _check(self, data: Dataset) -> None:
        if len(data.fidelities) > _MOST_FIDELITIES:
            raise DataError(
                f"Emukit's NARGP propagates samples through {_MOST_FIDELITIES} fidelities at "
                f"most; these data have {len(data.fidelities)}"
            )
        check_at_least_one(restarts=self.restarts, n_samples=self.n_samples)

    def _fix_known_noise(self, data: Dataset) -> None:
        for process, fidelity in zip(self.model_.models, data.fidelities, strict=True):
            if fidelity.noise_var is not None:
                known = float(np.mean(fidelity.noise_var)) / self.y_scale_**2
                process.Gaussian_noise.fix(max(known, _SMALLEST_VAR))

    def _free_unknown_noise(self, data: Dataset) -> bool:
        """Let the noise of the cheaper fidelities be learned; return whether there is any.

        This comes after Emukit's own fit, which has nearly no noise and from which the next fit
        starts. Otherwise a cheap response with many waves may be taken for noise altogether.
        """
        unknown = [
            process
            for process, fidelity in zip(self.model_.models[:-1], data.cheaper, strict=True)
            if fidelity.noise_var is None
        ]
        for process in unknown:
            process.Gaussian_noise.unfix()
        return bool(unknown)

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity."""
        return float(self.model_.models[-1].Gaussian_noise.variance[0]) * self.y_scale_**2

    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the most expensive fidelity."""
        # Emukit works through the queries one by one: memory stays bounded.
        top = np.full(len(U), self.model_.n_fidelities - 1)
        with untouched(n_points=self.training_data_.n_points):
            mean, var = self.model_.predict(np.column_stack([U, top]))
        latent_var = self.y_scale_**2 * var[:, 0] - self.noise_var_
        smallest = _SMALLEST_VAR * self.y_scale_**2
        return self.y_mean_ + self.y_scale_ * mean[:, 0], np.maximum(latent_var, smallest)
