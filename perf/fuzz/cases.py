"""What a case of a fuzzer is: a right answer, an error of ours, or a defect."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from mastgp import MastError
from mastgp.gp.distributions import Normal


class Defect(AssertionError):
    """Something that must never happen; the message says what."""


class Fuzzer(Protocol):
    """A module with cases. `prepare` is called once; a case is decided by its generator alone."""

    def prepare(self, folder: Path) -> Any: ...

    def case(self, rng: np.random.Generator, context: Any) -> str: ...


def generator(name: str, seed: int, index: int) -> np.random.Generator:
    """The source of everything random in one case."""
    return np.random.default_rng([zlib.crc32(name.encode()), seed, index])


def chosen(rng: np.random.Generator, options: Any) -> Any:
    """One of several things, whatever they are."""
    return options[int(rng.integers(len(options)))]


@contextmanager
def quiet():
    """No warnings inside; they are not what is looked for here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def attempted(action: Callable[[], Any]) -> tuple[Any, str | None]:
    """The result of an action, or the kind of our own error that refused it."""
    try:
        with quiet():
            return action(), None
    except MastError as error:
        if len(str(error)) < 10:
            raise Defect(f"an error says nothing: {error!r}") from error
        return None, type(error).__name__


#: How far, in standard deviations, the mean of any distribution may lie outside its central 95 %
#: interval (Cantelli's inequality), and what rounding may add to that, relative to the mean.
OUTSIDE, ROUNDING = (0.025 / 0.975) ** 0.5, 1e-9


def check_predictions(model: Any, Q: Any, n: int, skewed: bool = False) -> None:
    """Predictions are finite, of the right shape, and not surer than sure.

    Of a model that a stranger has changed, few members of a mixture may be far from all others.
    Such a mixture is `skewed`: its mean may lie outside its interval, but no further than that of
    any distribution. A normal distribution never is.
    """
    with quiet():
        mean, std = model.predict(Q, return_std=True)
        low, high = model.predict_interval(Q)
        skewed = skewed and not isinstance(model.predict_distribution(Q), Normal)
    for name, values in (("mean", mean), ("std", std), ("lower", low), ("upper", high)):
        if np.shape(values) != (n,):
            raise Defect(f"{name} has the shape {np.shape(values)}, not ({n},)")
        if not np.isfinite(values).all():
            raise Defect(f"{name} is not finite: {values}")
    slack = OUTSIDE * std + ROUNDING * np.abs(mean) if skewed else 0.0
    if (std < 0).any() or (low > mean + slack).any() or (high < mean - slack).any():
        raise Defect("an interval does not contain its mean")
