"""What follows a fit: what a model believes of every fidelity at once, and further rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..gp import GaussianProcess
from ..gp.responses import Logarithm, YeoJohnson


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

    def parts(self) -> list[Part]:
        """What the model consists of, for whoever asks how fidelities vary together.

        A model whose fidelities are one Gaussian process overrides it. Others are one part that
        predicts, and no more.
        """
        return [Predictor(1.0, self)]
