"""Any method, applied to a transformation of the response."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import stored
from ..blocks import in_blocks
from ..data.dataset import Bounds, Dataset, Fidelity
from ..data.further import Further, extended
from ..errors import DataError, MastWarning, silenced
from ..estimators import clone
from ..gp.blends import Distribution, Transformed, blended
from ..gp.responses import (
    Bounded,
    Logarithm,
    Transformation,
    plain_response,
    response_state,
    restored_response,
)
from ..storage.model_file import estimator_state, restored_estimator
from .continuing import JointProcess, Part, scaled
from .estimator import MultiFidelityRegressor
from .known import Known
from .queries import BLOCK_ROWS
from .single import SingleFidelity, expensive_alone
from .trust import TrustedPoints

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

#: Step of the differences that gradients are made of, in the unit cube.
_STEP = 1e-5


class TransformedResponse(MultiFidelityRegressor):
    """A method that models the logarithm, or another transformation, of the response.

    Use it for positive responses that span decades, or whose large values vary more than the
    small ones. Predictions are in the units of the response itself: the mean is the mean of the
    response, and intervals are wider on one side than on the other. With the logarithm no value is
    ever negative.

    Parameters
    ----------
    estimator : MultiFidelityRegressor
        The method. Its costs, order, bounds and known noise are used.
    response : {"log"} or transformation
        An instance of :class:`mastgp.gp.responses.YeoJohnson`, for responses that may be negative,
        or of :class:`mastgp.gp.responses.Bounded`, for those between two bounds.
    calibrate : bool
        Whether intervals that held-out points show too narrow are widened, before they are
        transformed back.

    Attributes
    ----------
    estimator_ : fitted estimator
        The model of the transformed response.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp.models import CoKriging, TransformedResponse
    >>> x = np.linspace(0, 1, 12)[:, None]
    >>> model = TransformedResponse(CoKriging()).fit(x, np.exp(6 * np.sin(5 * x[:, 0])))
    >>> low, high = model.predict_interval([[0.5]])
    >>> bool(low[0] > 0)
    True
    """

    def __init__(
        self,
        estimator: MultiFidelityRegressor | None = None,
        response: str | Transformation = "log",
        calibrate: bool = False,
    ) -> None:
        self.estimator = estimator
        self.response = response
        self.calibrate = calibrate

    estimator_: MultiFidelityRegressor

    @property
    def _method(self) -> MultiFidelityRegressor:
        if self.estimator is None:
            raise DataError("TransformedResponse needs an estimator, such as CoKriging()")
        return self.estimator

    @property
    def costs(self) -> Mapping[Any, float] | None:  # type: ignore[override]
        """The method's."""
        return self._method.costs

    @property
    def order(self) -> Sequence[Any] | None:  # type: ignore[override]
        """The method's."""
        return self._method.order

    @property
    def exponents(self) -> Mapping[Any, float] | None:  # type: ignore[override]
        """The method's."""
        return self._method.exponents

    @property
    def bounds(self) -> Bounds | None:  # type: ignore[override]
        """The method's."""
        return self._method.bounds

    @property
    def noise_std(self) -> Mapping[Any, float] | None:  # type: ignore[override]
        """The method's."""
        return self._method.noise_std

    @property
    def random_state(self) -> Any:
        """The method's."""
        return self._method.random_state

    @property
    def transformation(self) -> Transformation:
        """The transformation itself."""
        if isinstance(self.response, str):
            if self.response != Logarithm.kind:
                raise DataError(f"unknown response {self.response!r}; use 'log'")
            return Logarithm()
        return self.response

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Fit the method to the transformed response."""
        before = known.before_of(TransformedResponse)
        inner = Known(None if before is None else before.estimator_, known.shared)
        transformed = self._transformed(data, known)
        self.estimator_ = clone(self._method).fit_data(transformed, inner)

    def _transformed(self, data: Dataset, known: Known) -> Dataset:
        """The data with transformed responses; the same object for all that share their fits."""
        response = self.transformation
        return known.shared.get([data], response, lambda: transformed_data(data, response))

    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the response."""
        return self.moments_unit(U, include_noise=False)

    def moments_unit(self, U: Array, include_noise: bool) -> tuple[Array, Array]:
        """Mean and variance of the response, or of a new observation."""

        def moments(part: Array) -> tuple[Array, Array]:
            predicted = self.distribution_unit(part, include_noise)
            return predicted.mean, predicted.variance

        return in_blocks(moments, U, BLOCK_ROWS)

    def distribution_unit(self, U: Array, include_noise: bool = False) -> Distribution:
        """The method's distribution, transformed back."""
        return self._back(self.estimator_.predictive_unit(U, include_noise))

    def observed_unit(self, U: Array, noise_var: Array | None) -> Distribution:
        """The method's distribution of observations, transformed back."""
        if noise_var is not None:
            # Noise of the response, as far as a straight line through the transformation tells.
            median = self.distribution_unit(U).quantile(0.5)
            noise_var = noise_var * np.exp(2.0 * self.transformation.log_slope(median))
        observed = self.estimator_.observed_unit(U, noise_var)
        return self._back(observed.dilated(self.estimator_.calibration_))

    def _back(self, predicted: Distribution) -> Distribution:
        if isinstance(predicted, Transformed):
            raise DataError("a transformed response cannot be transformed again")
        mixture = blended(np.ones(1), [predicted])
        return Transformed(mixture, self.transformation)  # type: ignore[arg-type]

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity's observations, on average."""
        return self._mean_slope(self.training_data_.top) ** 2 * self.estimator_.noise_var_

    def covariance_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and covariance: the method's correlations, with the response's own variances."""
        mean, var = self.predict_unit(U)
        _, cov = self.estimator_.covariance_unit(U)
        scale = np.sqrt(var / np.maximum(cov.diagonal(), np.finfo(float).tiny))
        return mean, cov * np.outer(scale, scale)

    def gradient_unit(self, U: Array) -> tuple[Array, Array]:
        """Gradients of mean and variance, by central differences."""
        d_mean, d_var = np.empty_like(U), np.empty_like(U)
        for column in range(U.shape[1]):
            step = np.zeros(U.shape[1])
            step[column] = _STEP
            above, below = self.predict_unit(U + step), self.predict_unit(U - step)
            for gradient, high, low in zip((d_mean, d_var), above, below, strict=True):
                gradient[:, column] = (high - low) / (2.0 * _STEP)
        return d_mean, d_var

    def updated(self, further: Further) -> Self:
        """The method's own update, with transformed rows."""
        grown = copy(self)
        grown.training_data_ = extended(self.training_data_, further)
        response = self.transformation
        check_possible(further.values(), response)
        transformed = {name: _transformed(new, response) for name, new in further.items()}
        grown.estimator_ = self.estimator_.updated(transformed)
        return grown

    def widened(self, factor: float) -> Self:
        """The same model, wider before the response is transformed back."""
        wider = copy(self)
        wider.estimator_ = self.estimator_.widened(factor)
        return wider

    @property
    def draws_left(self) -> float:
        """The method's."""
        return self.estimator_.draws_left

    def parts(self) -> list[Part]:
        """The method's processes, of the transformed response."""
        inner = self.estimator_.parts()
        joint = [part for part in inner if isinstance(part, JointProcess)]
        widening, response = self.estimator_.calibration_, self.transformation
        if len(joint) < len(inner) or isinstance(response, Bounded):
            return super().parts()
        return scaled([replace(part, response=response) for part in joint], 1.0, widening)

    def sample_unit(self, U: Array, n_samples: int, random: np.random.RandomState) -> Array:
        """The method's samples, transformed back."""
        return self.transformation.backward(self.estimator_.sample_unit(U, n_samples, random))

    def leave_out(self, folds: Sequence[NDArray[np.intp]]) -> Distribution | None:
        """The method's held-out predictions, transformed back."""
        predicted = self.estimator_.leave_out(folds)
        return None if predicted is None else self._back(predicted)

    @property
    def leaves_out_honestly(self) -> bool:
        """Whether the method's do."""
        return self.estimator_.leaves_out_honestly

    @property
    def abilities(self) -> frozenset[str]:
        """What the method can do."""
        method = self.estimator_ if hasattr(self, "estimator_") else self._method
        return method.abilities | {"gradient"}

    @property
    def label(self) -> str:
        """The method's name, and that of the transformation."""
        return f"{self._method.label} of {self.transformation.label}"

    @property
    def is_transformed(self) -> bool:
        """It is."""
        return True

    @property
    def is_logarithmic(self) -> bool:
        """Whether it is the logarithm that is modelled."""
        return isinstance(self.transformation, Logarithm)

    @property
    def uses_cheap_data(self) -> bool:
        """Whether the method does."""
        return self._method.uses_cheap_data

    def facts(self) -> dict[str, Any]:
        """The method's, which are about the transformed response; noise is in its own units."""
        facts = self.estimator_.facts()
        noise = {
            f.name: facts["noise"][f.name] * self._mean_slope(f)
            for f in self.training_data_.fidelities
            if f.name in facts.get("noise", {})
        }
        return {**facts, "noise": noise, "response": self.transformation.label}

    def _mean_slope(self, fidelity: Fidelity) -> float:
        """How much the response changes with its transformation, on average over observations."""
        return float(np.sqrt(np.mean(np.exp(-2.0 * self.transformation.log_slope(fidelity.y)))))

    def trusted_points(self) -> list[TrustedPoints]:
        """The method's."""
        return self.estimator_.trusted_points()

    def cheap_points(self) -> list[tuple[str, Array, Array]]:
        """The method's, transformed back."""
        back = self.transformation.backward
        return [(caption, X, back(z)) for caption, X, z in self.estimator_.cheap_points()]

    def points_table(self) -> pd.DataFrame:
        """The method's, whose targets are those of the transformed response."""
        return self.estimator_.points_table()

    def plain_predictor(self) -> dict[str, Any]:
        """The method's, and the transformation."""
        return {
            "kind": "transformed",
            "response": plain_response(self.transformation),
            "of": self.estimator_.plain_calibrated(),
        }

    def get_state(self) -> dict[str, Any]:
        """The fitted method and the transformation."""
        return {
            "response": response_state(self.transformation),
            "estimator": estimator_state(self.estimator_),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Rebuild the method."""
        stored.mapping(state, "the model", ("response", "estimator"))
        self.response = restored_response(state["response"])
        data = transformed_data(self.training_data_, self.response)
        self.estimator_ = restored_estimator(state["estimator"], data, tried=False)
        self.estimator = clone(self.estimator_)


def of_response(
    estimator: MultiFidelityRegressor, response: Transformation
) -> MultiFidelityRegressor:
    """The same method for a transformation of the response, not fitted yet.

    A method that chooses transformations by itself is told; others are wrapped. Where a method's
    own intervals are known to be too narrow on such a scale, held-out points widen them.
    """
    told = Logarithm.kind if isinstance(response, Logarithm) else response
    copy: MultiFidelityRegressor = clone(estimator)
    if "transform" in copy.get_params(deep=False):
        same: MultiFidelityRegressor = copy.set_params(transform=told)
        return same
    calibrate, copy.calibrate = copy.calibrate, False
    return TransformedResponse(copy, told, calibrate or copy.widens_transformed)


def alone_like(model: MultiFidelityRegressor) -> MultiFidelityRegressor:
    """Fit a GP of a model's expensive points, of the same transformation of the response."""
    if not isinstance(model, TransformedResponse):
        return expensive_alone(model.training_data_)
    with silenced(MastWarning):
        alone = TransformedResponse(SingleFidelity(), model.transformation)
        return alone.fit_data(model.training_data_)


def transformed_data(data: Dataset, response: Transformation) -> Dataset:
    """The same data with transformed responses, and the noise that goes with them."""
    check_possible(data.fidelities, response)
    return replace(data, fidelities=tuple(_transformed(f, response) for f in data.fidelities))


def check_possible(fidelities: Iterable[Fidelity], response: Transformation) -> None:
    """Refuse responses that cannot be transformed."""
    for fidelity in fidelities:
        impossible = ~response.accepts(fidelity.y)
        if impossible.any():
            needed = "values between its bounds" if _has_bounds(response) else "positive values"
            raise DataError(
                f"{response.label} of the response needs {needed}: {impossible.sum()} of "
                f"the {len(fidelity.y)} rows of {fidelity.name!r} are not, the smallest is "
                f"{fidelity.y.min():g} and the largest {fidelity.y.max():g}"
            )


def _has_bounds(response: Transformation) -> bool:
    return isinstance(response, Bounded)


def _transformed(fidelity: Fidelity, response: Transformation) -> Fidelity:
    noise_var = fidelity.noise_var
    if noise_var is not None:
        noise_var = noise_var * np.exp(2.0 * response.log_slope(fidelity.y))
    y, stream = response.forward(fidelity.y), fidelity.stream
    if stream is not None:
        stream = replace(stream, response=response)
    return replace(fidelity, y=y, noise_var=noise_var, stream=stream)
