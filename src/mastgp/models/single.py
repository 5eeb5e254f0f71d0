"""A Gaussian process of one fidelity's data, as if the others did not exist."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Bounds, Dataset, Fidelity
from ..data.further import Further, extended
from ..errors import DataError, MastWarning, silenced
from ..gp import GaussianProcess
from ..gp.extension import extended as extended_process
from ..surrogates.gp import GP, as_surrogate
from .continuing import JointProcess, Part
from .estimator import MultiFidelityRegressor
from .facts import abilities_with, fit_reports, input_facts, plain_stage, tool_facts
from .known import Known
from .restoring import restored_stage
from .stages import fit_process, stage_gp

Array = NDArray[np.float64]


class SingleFidelity(MultiFidelityRegressor):
    """One GP of the most expensive fidelity's points, or of the cheapest one's.

    Use the expensive one as the yardstick: whatever fuses fidelities must beat it on the same
    data. It is what the package means by "the expensive points alone". Use the cheapest one to see
    how far the cheap data alone would have led.

    Parameters
    ----------
    which : {"top", "cheapest"}
        Whose data to model; predictions are that fidelity's response.
    costs, order, calibrate, noise_std, bounds, random_state, surrogate
        As in :class:`mastgp.MAST`.

    Attributes
    ----------
    process_ : mastgp.gp.GaussianProcess, or another model where rows are very many

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp.models import SingleFidelity
    >>> x = np.linspace(0, 1, 30)[:, None]
    >>> model = SingleFidelity(order=["a", "b"]).fit(x, x[:, 0] ** 2, fidelity=["a", "b"] * 15)
    >>> model.predict([[0.5]]).round(2)
    array([0.25])
    """

    process_: Any

    def __init__(
        self,
        which: str = "top",
        *,
        costs: Mapping[Any, float] | None = None,
        order: Sequence[Any] | None = None,
        surrogate: str | GP = "gp",
        calibrate: bool = False,
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        self.which = which
        self.costs = costs
        self.order = order
        self.surrogate = surrogate
        self.calibrate = calibrate
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    @property
    def uses_cheap_data(self) -> bool:
        """Whether it models the cheapest fidelity."""
        return self.which == "cheapest"

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Fit the GP."""
        if self.which not in ("top", "cheapest"):
            raise DataError(f"unknown choice {self.which!r}; use 'top' or 'cheapest'")
        surrogate = stage_gp(self.surrogate, data)
        before = known.before_of(SingleFidelity)
        old = None if before is None else before.process_
        self.process_ = fit_process(surrogate, data, self._modelled(data), known, old)

    def _modelled(self, data: Dataset) -> Fidelity:
        return data.top if self.which == "top" else data.fidelities[0]

    @property
    def abilities(self) -> frozenset[str]:
        """All, unless very many rows are modelled by something else than a GP."""
        return abilities_with(super().abilities, [getattr(self, "process_", None)])

    @property
    def noise_var_(self) -> float:
        """Noise variance of the modelled fidelity."""
        return float(np.mean(self.process_.noise_var))

    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the modelled fidelity."""
        return self.process_.predict(U)

    def mean_unit(self, U: Array) -> Array:
        """Mean of the modelled fidelity."""
        return self.process_.predict_mean(U)

    def covariance_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and covariance of the modelled fidelity."""
        return self.process_.predict_covariance(U)

    def gradient_unit(self, U: Array) -> tuple[Array, Array]:
        """Gradients of the modelled fidelity's mean and variance."""
        return self.process_.predict_gradient(U)

    def updated(self, further: Further) -> Self:
        """The same hyperparameters, given the new rows of the modelled fidelity."""
        if not isinstance(self.process_, GaussianProcess):
            return super().updated(further)
        grown = copy(self)
        grown.training_data_ = data = extended(self.training_data_, further)
        new = further.get(self._modelled(data).name)
        if new is not None:
            noise_var = new.noise_var
            U, before = data.unit(new), self.process_
            grown.process_ = extended_process(before, U, new.y, noise_var=noise_var)
        return grown

    def parts(self) -> list[Part]:
        """The process."""
        if not isinstance(self.process_, GaussianProcess):
            return super().parts()
        name = self._modelled(self.training_data_).name
        return [JointProcess(1.0, self.process_, (name,))]

    def facts(self) -> dict[str, Any]:
        """Noise, lengthscales and the fit's report."""
        name = self._modelled(self.training_data_).name
        return {
            "noise": {name: math.sqrt(self.noise_var_)},
            "inputs": input_facts(self.process_),
            "fits": fit_reports({f"of {name}": self.process_}),
            **tool_facts({name: self.process_}),
        }

    def plain_predictor(self) -> dict[str, Any]:
        """The process."""
        return plain_stage(self.process_)

    def get_state(self) -> dict[str, Any]:
        """The process, and how it was built."""
        return {
            "surrogate": as_surrogate(self.surrogate).get_params(),
            "process": self.process_.get_state(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Rebuild the process."""
        gp = stage_gp(GP(**state["surrogate"]), self.training_data_)
        n_inputs = len(self.training_data_.feature_names)
        self.process_ = restored_stage(gp, state["process"], n_inputs)


def expensive_alone(data: Dataset) -> SingleFidelity:
    """Fit the user's alternative: a GP of the most expensive fidelity's points, as ``hf-only``."""
    with silenced(MastWarning):
        return SingleFidelity().fit_data(data)
