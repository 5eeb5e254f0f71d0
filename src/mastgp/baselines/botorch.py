"""BoTorch's multi-fidelity and multi-source Gaussian processes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Bounds, Dataset
from ..errors import DataError
from ..gp import target_scale
from ..libraries import import_extra, untouched
from ..models.known import Known
from .library import (
    LibraryRegressor,
    in_blocks,
    known_noise_var,
    with_level_column,
)

Array = NDArray[np.float64]


class _BoTorchRegressor(LibraryRegressor):
    """What both BoTorch models share: fitting and predicting."""

    #: The library's targets are ``(y - y_mean_) / y_scale_``.
    y_mean_: float = 0.0
    y_scale_: float = 1.0

    @abstractmethod
    def _build(self, X: Any, y: Any, noise_var: Any) -> Any:
        """Build the library's model of tensors: inputs with a level column, targets, noise."""

    @abstractmethod
    def _levels(self, n_fidelities: int) -> Array:
        """Return the value of the level column for each fidelity, cheapest first."""

    @abstractmethod
    def _query_columns(self, U: Array) -> Array:
        """Return the inputs with which the library predicts the most expensive fidelity."""

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Fit the library's model."""
        botorch = import_extra("botorch", "botorch")
        noise_var = known_noise_var(data)
        if noise_var is None:
            self._warn_about_unused_noise(data)
        X, y = with_level_column(data, self._levels(len(data.fidelities)))
        with untouched(self._draw_seed(), data.n_points):
            try:
                self.model_ = self._build(
                    _tensor(X),
                    _column((y - self.y_mean_) / self.y_scale_),
                    None if noise_var is None else _column(noise_var / self.y_scale_**2),
                )
                _maximise_likelihood(self.model_)
            except botorch.exceptions.ModelFittingError as error:
                raise DataError(f"BoTorch cannot model these data: {error}") from error
        given = None if noise_var is None else noise_var[-len(data.top.y) :]
        self._noise_var = self._learned_noise_var() if given is None else float(given.mean())

    def _learned_noise_var(self) -> float:
        """Return the noise variance that the library learned, in the target's squared units."""
        transform = getattr(self.model_, "outcome_transform", None)
        scale = 1.0 if transform is None else float(transform.stdvs.squeeze())
        return float(self.model_.likelihood.noise.detach().mean()) * (scale * self.y_scale_) ** 2

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity: known, or learned for all fidelities."""
        return self._noise_var

    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the most expensive fidelity."""
        with untouched(n_points=self.training_data_.n_points):
            mean, var = in_blocks(self._predict_block, self._query_columns(U))
        return self.y_mean_ + self.y_scale_ * mean, self.y_scale_**2 * var

    def _predict_block(self, X: Array) -> tuple[Array, Array]:
        import torch

        with torch.no_grad():
            posterior = self.model_.posterior(_tensor(X))
            return posterior.mean[:, 0].numpy(), posterior.variance[:, 0].numpy()


class BoTorchMultiFidelity(_BoTorchRegressor):
    """BoTorch's ``SingleTaskMultiFidelityGP``: one GP with the fidelity as an extra input.

    Use it where fidelities are settings of one simulator, such as a mesh width, so that the error
    shrinks steadily from one to the next. It learns a difference between fidelities well, but
    hardly a factor. Where the cheap response has half the size, co-kriging is the better choice.

    BoTorch itself is run, in double precision and with its own defaults: a Matérn-5/2 linear
    truncated fidelity kernel and standardised targets. The levels are equally spaced from 0.5
    (cheapest) to 1 (most expensive). One noise variance is learned for all fidelities, unless the
    noise of every point is known.

    Parameters
    ----------
    costs, order, calibrate, noise_std, bounds
        As in :class:`mastgp.MAST`.
    random_state : int, RandomState or None
        Seeds the library, which draws new starts if a first fit fails.

    Attributes
    ----------
    model_ : botorch.models.SingleTaskMultiFidelityGP

    References
    ----------
    J. Wu, S. Toscano-Palmerin, P. I. Frazier, A. G. Wilson: Practical multi-fidelity Bayesian
    optimization for hyperparameter tuning. UAI 2019.
    """

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Fit the library's model."""
        # BoTorch takes targets below 1e-8 for constant. Scaling by a power of two is exact.
        self.y_scale_ = float(2.0 ** np.round(np.log2(data.y_scale)))
        super().fit_unit(data, known)

    def _levels(self, n_fidelities: int) -> Array:
        return np.linspace(1.0, 0.5, n_fidelities)[::-1]

    def _build(self, X: Any, y: Any, noise_var: Any) -> Any:
        models = import_extra("botorch.models", "botorch")
        return models.SingleTaskMultiFidelityGP(X, y, noise_var, data_fidelities=[X.shape[1] - 1])

    def _query_columns(self, U: Array) -> Array:
        return np.column_stack([U, np.ones(len(U))])


class BoTorchAugmented(_BoTorchRegressor):
    """BoTorch community's ``SingleTaskAugmentedGP``: expensive points and cheap ones that agree.

    Use it where cheap sources are right in some regions and wrong in others. A cheap point joins
    the data where the GP of its source is close to the GP of the expensive fidelity. The method
    cannot correct a bias: it drops cheap data that are shifted everywhere.

    The library itself is run. Its targets are divided by the spread of the most expensive
    fidelity. The library's own outcome transform would be shared by the GPs of different sources,
    which is wrong.

    Parameters
    ----------
    costs, order, calibrate, noise_std, bounds
        As in :class:`mastgp.MAST`.
    n_std : float
        A cheap point joins if the means differ by less than this many standard deviations of the
        GP of the expensive fidelity. The library calls it m.
    random_state : int, RandomState or None
        Seeds the library, which draws new starts if a first fit fails.

    Attributes
    ----------
    model_ : botorch_community.models.gp_regression_multisource.SingleTaskAugmentedGP

    References
    ----------
    A. Candelieri, F. Archetti: Sparsifying to optimize over multiple information sources: an
    augmented Gaussian process based algorithm. Structural and Multidisciplinary Optimization 64
    (2021).
    """

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        n_std: float = 1.0,
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
        self.n_std = n_std

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Fit the library's model."""
        if not data.cheaper:
            raise DataError("the augmented GP needs a cheaper fidelity to choose points from")
        if not self.n_std > 0.0:
            raise DataError(f"n_std is {self.n_std!r}; it must be a number above zero")
        top = data.top.y
        self.y_mean_ = float(top.mean())
        self.y_scale_ = target_scale(top) if len(top) > 2 else data.y_scale
        super().fit_unit(data, known)

    def _levels(self, n_fidelities: int) -> Array:
        return np.arange(n_fidelities, dtype=float)

    def _build(self, X: Any, y: Any, noise_var: Any) -> Any:
        community = import_extra("botorch_community.models.gp_regression_multisource", "botorch")
        return community.SingleTaskAugmentedGP(X, y, noise_var, m=self.n_std)

    def _query_columns(self, U: Array) -> Array:
        return U


def _maximise_likelihood(model: Any) -> None:
    from botorch.fit import fit_gpytorch_mll
    from gpytorch.mlls import ExactMarginalLogLikelihood

    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))


def _tensor(values: Array) -> Any:
    import torch

    return torch.as_tensor(np.ascontiguousarray(values), dtype=torch.float64)


def _column(values: Array) -> Any:
    return _tensor(values)[:, None]
