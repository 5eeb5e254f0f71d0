"""Recursive co-kriging by SMT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Bounds, Dataset
from ..errors import DataError, points
from ..libraries import import_extra, untouched
from ..models.known import Known
from .library import LibraryRegressor, check_at_least_one, in_blocks

Array = NDArray[np.float64]

#: Noise relative to the process variance: first guess and range.
_NOISE_START, _NOISE_RANGE = 1e-4, (1e-8, 10.0)
#: Smallest variance as a share of the targets' variance: rounding can make SMT's negative.
_SMALLEST_VAR = 1e-12


class MFK(LibraryRegressor):
    """SMT's ``MFK``: co-kriging that is fitted level by level.

    Each level is a multiple of the posterior mean of the level below plus a GP. Use it where the
    expensive response is nearly a multiple of the cheap one plus something smooth. Points need
    not be nested.

    SMT itself is run, with its squared-exponential kernel. The noise of every fidelity is
    learned. On noisy Branin, Park2 and Hartmann3 data (three seeds each) this gave smaller errors
    on the whole than a fixed nugget. SMT's default, which interpolates, gave the largest errors.
    SMT has no way to fix a known noise variance.

    Parameters
    ----------
    costs, order, calibrate, noise_std, bounds
        As in :class:`mastgp.MAST`. Known noise is not used, and a warning says so.
    restarts : int
        Optimiser runs per fidelity. More did not lower the errors on three benchmark problems.
    random_state : int, RandomState or None
        Seeds the optimiser's starts.

    Attributes
    ----------
    model_ : smt.applications.mfk.MFK

    References
    ----------
    L. Le Gratiet, J. Garnier: Recursive co-kriging model for design of computer experiments with
    multiple levels of fidelity. International Journal for Uncertainty Quantification 4 (2014).
    """

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        restarts: int = 3,
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

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Fit the library's model."""
        check_at_least_one(restarts=self.restarts)
        _check_sizes(data)
        smt = import_extra("smt.applications.mfk", "smt")
        self._warn_about_unused_noise(data)
        seed = self._draw_seed()
        with untouched(seed, data.n_points):
            self.model_ = smt.MFK(
                theta0=[1.0] * data.top.X.shape[1],
                n_start=self.restarts,
                hyper_opt="Cobyla",
                eval_noise=True,
                noise0=[_NOISE_START],
                noise_bounds=list(_NOISE_RANGE),
                print_global=False,
                seed=seed,
            )
            for level, fidelity in enumerate(data.fidelities):
                name = None if fidelity is data.top else level
                self.model_.set_training_values(data.unit(fidelity), fidelity.y[:, None], name=name)
            _train(self.model_)

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity, as learned."""
        relative, process_var = self.model_.optimal_noise_all[-1], self.model_.optimal_par[-1]
        return float(relative * process_var["sigma2"][0])

    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the most expensive fidelity."""
        with untouched(n_points=self.training_data_.n_points):
            mean, var = in_blocks(self._predict_block, U)
        return mean, np.maximum(var, _SMALLEST_VAR * self.training_data_.y_scale**2)

    def _predict_block(self, U: Array) -> tuple[Array, Array]:
        return self.model_.predict_values(U).ravel(), self.model_.predict_variances(U).ravel()


def _check_sizes(data: Dataset) -> None:
    """Raise an error if a level has too few points: it has a mean, most have a factor too."""
    for level, fidelity in enumerate(data.fidelities):
        needed = 2 if level == 0 else 3
        if len(fidelity.y) < needed:
            raise DataError(
                f"fidelity {fidelity.name!r} has {points(len(fidelity.y))}; SMT's co-kriging "
                f"needs at least {needed}"
            )


def _train(model: Any) -> None:
    with redirect_stdout(StringIO()):  # SMT prints the matrices it cannot factorise
        try:
            model.train()
        except Exception as error:  # SMT raises nothing more specific
            reason = str(error) or type(error).__name__
            raise DataError(f"SMT cannot model these data: {reason}") from error
