"""A Gaussian process of one fidelity's data, as if the others did not exist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Bounds, Dataset
from ..errors import DataError
from ..progress import counter
from ..surrogates import GP, as_surrogate
from .estimator import MultiFidelityRegressor, warn_about_fit

Array = NDArray[np.float64]


class SingleFidelity(MultiFidelityRegressor):
    """One GP of the most expensive fidelity's points, or of the cheapest one's.

    Use the expensive one as the yardstick: whatever fuses fidelities must beat it on the same
    data. Use the cheapest one to see how far the cheap data alone would have led.

    Parameters
    ----------
    which : {"top", "cheapest"}
        Whose data to model; predictions are that fidelity's response.
    costs, order, noise_std, bounds, random_state, surrogate
        As in :class:`mastgp.MAST`.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp.models.single import SingleFidelity
    >>> x = np.linspace(0, 1, 30)[:, None]
    >>> model = SingleFidelity(order=["a", "b"]).fit(x, x[:, 0] ** 2, fidelity=["a", "b"] * 15)
    >>> model.predict([[0.5]]).round(2)
    array([0.25])
    """

    def __init__(
        self,
        which: str = "top",
        *,
        costs: Mapping[Any, float] | None = None,
        order: Sequence[Any] | None = None,
        surrogate: str | GP = "gp",
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        self.which = which
        self.costs = costs
        self.order = order
        self.surrogate = surrogate
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    def _fit_unit(self, data: Dataset) -> None:
        if self.which not in ("top", "cheapest"):
            raise DataError(f"unknown choice {self.which!r}; use 'top' or 'cheapest'")
        fidelity = data.top if self.which == "top" else data.fidelities[0]
        self.process_ = as_surrogate(self.surrogate).fit(
            data.unit(fidelity),
            fidelity.y,
            fidelity.noise_var,
            y_scale=data.scale_of(fidelity.y),
            on_evaluation=counter(f"modelling {fidelity.name}"),
        )
        warn_about_fit(self.process_, f"of {fidelity.name}")

    @property
    def noise_var_(self) -> float:
        """Noise variance of the modelled fidelity."""
        return float(np.mean(self.process_.noise_var))

    def _predict_unit(self, U: Array) -> tuple[Array, Array]:
        return self.process_.predict(U)

    def _mean_unit(self, U: Array) -> Array:
        return self.process_.predict_mean(U)

    def _covariance_unit(self, U: Array) -> tuple[Array, Array]:
        return self.process_.predict_covariance(U)

    def _gradient_unit(self, U: Array) -> tuple[Array, Array]:
        return self.process_.predict_gradient(U)

    def _get_state(self) -> dict[str, Any]:
        return {
            "surrogate": as_surrogate(self.surrogate).get_params(),
            "process": self.process_.get_state(),
        }

    def _set_state(self, state: dict[str, Any]) -> None:
        self.process_ = GP(**state["surrogate"]).restore(state["process"])
