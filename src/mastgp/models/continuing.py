"""What follows a fit: what a model believes of every fidelity at once, and further rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..data.dataset import Dataset
from ..data.further import Further, extended, further_rows
from ..data.origin import Origin
from ..errors import recorded
from ..estimators import check_is_fitted
from ..gp import GaussianProcess
from ..gp.responses import Logarithm, YeoJohnson
from .queries import checked_inputs
from .refits import warn_if_due


@dataclass(frozen=True)
class JointProcess:
    """A Gaussian process of several fidelities that is part of a model.

    Attributes
    ----------
    share : float
        Of the model's prediction. All parts together have a share of one.
    process : GaussianProcess
    fidelities : tuple of str
        Name of the fidelity that each of its groups is.
    response : Logarithm, YeoJohnson or None
        The transformation of the response that it is of.
    widening : float
        What its standard deviations are multiplied by.
    """

    share: float
    process: GaussianProcess
    fidelities: tuple[str, ...]
    response: Logarithm | YeoJohnson | None = None
    widening: float = 1.0


@dataclass(frozen=True)
class Predictor:
    """A part of a model that predicts the most expensive fidelity and knows of no covariance.

    Attributes
    ----------
    share : float
    estimator : fitted estimator
    """

    share: float
    estimator: Any


Part = JointProcess | Predictor


def scaled(parts: Sequence[Part], share: float, widening: float = 1.0) -> list[Part]:
    """The parts of a model that is itself part of another."""
    return [
        replace(part, share=share * part.share, widening=widening * part.widening)
        if isinstance(part, JointProcess)
        else replace(part, share=share * part.share)
        for part in parts
    ]


class Continuing:
    """What every estimator can do once it is fitted, besides predicting."""

    training_data_: Dataset
    calibration_: float
    calibrate: bool
    #: Rows that have been added since the search for the hyperparameters.
    n_added_: int = 0
    #: Where the model comes from; nobody knows of models in files of earlier versions.
    origin_: Origin = Origin()

    def parts(self) -> list[Part]:
        """What the model consists of, for whoever asks how fidelities vary together.

        A model whose fidelities are one Gaussian process overrides it. Others are one part that
        predicts, and no more.
        """
        return [Predictor(1.0, self)]

    def updated(self, further: Further) -> Self:
        """Return a new model that knows further rows too; this one stays.

        A model that can be extended overrides it. Others are fitted again, with searches that begin
        where their own ended.

        Parameters
        ----------
        further : mapping of fidelity name to Fidelity
            The new rows.
        """
        refitted: Self = self.refit(extended(self.training_data_, further))  # type: ignore[attr-defined]
        refitted.calibrate, refitted.calibration_ = self.calibrate, self.calibration_
        return refitted

    def widened(self, factor: float) -> Self:
        """Return the same model with standard deviations that are `factor` times as large."""
        wider = copy(self)
        wider.calibration_ = self.calibration_ * factor
        return wider

    @property
    def draws_left(self) -> float:
        """How many equally weighted draws the model's are worth; infinite where it has none."""
        return math.inf

    def update(
        self,
        X: ArrayLike,
        y: ArrayLike,
        fidelity: ArrayLike | None = None,
        noise_std: ArrayLike | None = None,
    ) -> Self:
        """Return a new model that knows further rows too, without searching again.

        Hyperparameters stay, and their draws are weighted by the density that they gave to the new
        rows. So do the members of a blend. A warning says when a new fit is due. Methods that
        cannot be extended, such as MAST, are fitted again from where they were.

        Parameters
        ----------
        X, y : arrays of n rows
            As in :meth:`fit`.
        fidelity : array of n labels, or one label, optional
            Of known fidelities. Needed where there are several.
        noise_std : array of shape (n,), optional
            Known noise of each row, where that of earlier rows is known too.

        Returns
        -------
        fitted estimator
            A new one; this one stays as it is.
        """
        check_is_fitted(self)
        if not np.size(y):
            return self
        inputs = checked_inputs(self, X)
        further = further_rows(self.training_data_, inputs, y, fidelity, noise_std)
        grown = self.updated(further)
        n_new = sum(len(new.y) for new in further.values())
        grown.n_added_ = self.n_added_ + n_new
        with recorded() as said:
            warn_if_due(self, grown, further)
        grown.origin_ = self.origin_.then(f"model.update(...)  # {n_new} rows", warnings=said)
        return grown
