"""Stage 2's result: cheap observations, turned into estimates of the expensive response."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import stored
from ..data.dataset import Dataset, Fidelity
from .trust import Trust

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Augmented:
    """A cheap fidelity's observations, turned into estimates of the expensive response.

    Attributes
    ----------
    fidelity : Fidelity
    trust : Trust
        W and the distances behind it.
    discrepancy_mean, discrepancy_var : arrays of shape (n,)
        Posterior of the discrepancy at the cheap points.
    top_mean, top_var : arrays of shape (n,)
        Posterior of the expensive fidelity's model at the cheap points.
    y : array of shape (n,)
        Corrected and blended targets.
    var : array of shape (n,)
        Their variances, floor applied.
    """

    fidelity: Fidelity
    trust: Trust
    discrepancy_mean: Array
    discrepancy_var: Array
    top_mean: Array
    top_var: Array
    y: Array
    var: Array

    def get_state(self) -> dict[str, Any]:
        """Plain values and arrays for a file; the fidelity by its name."""
        trust = asdict(self.trust)
        trust["weight"] = trust.pop("value")  # what it was called in the first format
        return {**asdict(self), "fidelity": self.fidelity.name, "trust": trust}

    @classmethod
    def from_state(cls, state: dict[str, Any], data: Dataset) -> Augmented:
        """Inverse of :meth:`get_state`."""
        by_name = {fidelity.name: fidelity for fidelity in data.cheaper}
        stored.mapping(by_name, "the cheap fidelities", [stored.text(state["fidelity"], "a name")])
        n = len(by_name[state["fidelity"]].y)
        for name in ("discrepancy_mean", "discrepancy_var", "top_mean", "top_var", "y", "var"):
            stored.array(state[name], name, (n,), low=0.0 if "var" in name else -np.inf)
        trust = dict(stored.mapping(state["trust"], "the trust", ("weight",)))
        stored.array(trust["weight"], "the trust", (n,), low=0.0, high=1.0)
        stored.array(trust["nearest"], "the distances", (n,), low=0.0, infinite=True)
        stored.array(trust["neighbours"], "the neighbours", (n,), low=0, whole=True)
        trust["value"] = trust.pop("weight")
        return cls(**{**state, "fidelity": by_name[state["fidelity"]], "trust": Trust(**trust)})

    @property
    def columns(self) -> dict[str, Array]:
        """What users may want to know of each point, by column name."""
        return {
            "y_corrected": self.y,
            "trust": self.trust.value,
            "nearest": self.trust.nearest,
            "discrepancy": self.discrepancy_mean,
            "top_mean": self.top_mean,
        }


def blend(
    W: Array,
    y: Array,
    noise_var: Array,
    delta_mean: Array,
    delta_var: Array,
    top_mean: Array,
    top_var: Array,
) -> tuple[Array, Array]:
    """Augmented mean and propagated variance (the paper's equations for y~ and sigma~^2)."""
    mean = W * (y + delta_mean) + (1.0 - W) * top_mean
    var = W**2 * (noise_var + delta_var) + (1.0 - W) ** 2 * top_var
    return mean, var


def rows_of(fidelity: Fidelity, data: Dataset, columns: dict[str, Array]) -> pd.DataFrame:
    """A fidelity's points with further columns, indexed by the user's rows."""
    import pandas as pd

    taken = {"fidelity", "y", *columns}
    inputs = {
        f"{name} (input)" if name in taken else name: values
        for name, values in zip(data.feature_names, data.values_of(fidelity.X), strict=True)
    }
    return pd.DataFrame(
        {"fidelity": fidelity.name, **inputs, "y": fidelity.y, **columns}, index=fidelity.rows
    )
