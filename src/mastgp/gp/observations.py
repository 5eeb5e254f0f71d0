"""Training data in the engine's units: standardised targets, groups and noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .model import Model
from .parameters import Hyperparameters

Array = NDArray[np.float64]

#: Targets beyond this cannot be squared.
LARGEST_TARGET = 1e150
#: Fixed variances are kept above this (standardised units), so that K stays well conditioned.
FIXED_NOISE_FLOOR = 1e-6
#: Observations that are said to have no noise at all are taken at their word where the model has
#: categorical inputs. Other models keep the floor above, so that their numbers stay what they were.
EXACT_NOISE = 1e-10


@dataclass(frozen=True)
class Observations:
    """Training data in the engine's units.

    Attributes
    ----------
    X : array of shape (n, d)
        Inputs, in or near the unit cube.
    y : array of shape (n,)
        Standardised targets.
    groups : int array of shape (n,)
        Group of each observation.
    noise_var : array of shape (n,), optional
        Known noise variances in standardised units; NaN where the model learns them.
    no_noise : float
        What stands for a variance of zero.
    """

    X: Array
    y: Array
    groups: NDArray[np.intp]
    noise_var: Array | None = None
    no_noise: float = FIXED_NOISE_FLOOR

    def extended(
        self, X: Array, y: Array, groups: NDArray[np.intp], noise_var: Array | None = None
    ) -> Observations:
        """Return these observations and then others, all in the same units."""
        known = self.noise_var
        if known is not None or noise_var is not None:
            old = np.full(len(self.y), np.nan) if known is None else known
            new = np.full(len(y), np.nan) if noise_var is None else noise_var
            known = np.concatenate([old, new])
        return Observations(
            np.vstack([self.X, X]),
            np.concatenate([self.y, y]),
            np.concatenate([self.groups, groups]),
            known,
            self.no_noise,
        )

    def subset(self, rows: NDArray[np.intp]) -> Observations:
        """Return some of the observations."""
        noise_var = None if self.noise_var is None else self.noise_var[rows]
        return Observations(self.X[rows], self.y[rows], self.groups[rows], noise_var, self.no_noise)


def noise_of(parameters: Hyperparameters, data: Observations) -> Array:
    """Noise variance of every observation: the known one, else the one learned for its group."""
    learned = parameters.noise_var[data.groups] if parameters.noise_var.size else None
    if data.noise_var is None:
        if learned is None:
            raise ValueError(
                "a model that does not learn its noise needs a variance per observation"
            )
        return learned
    known = known_noise(data)
    return known if learned is None else np.where(np.isnan(known), learned, known)


def known_noise(data: Observations) -> Array:
    """Known noise variance of every observation, not below its floor; NaN where it is learned."""
    if data.noise_var is None:
        return np.full(len(data.y), np.nan)
    known = np.maximum(data.noise_var, FIXED_NOISE_FLOOR)
    known[data.noise_var == 0.0] = data.no_noise
    return known


def standardise(
    model: Model,
    X: ArrayLike,
    y: ArrayLike,
    groups: ArrayLike | None = None,
    noise_var: ArrayLike | None = None,
    y_scale: ArrayLike | None = None,
) -> tuple[Observations, Array, Array]:
    """Check training data and bring them to the engine's units.

    Parameters
    ----------
    model, X, y, groups, noise_var, y_scale
        As in :meth:`mastgp.gp.GaussianProcess.fit`.

    Returns
    -------
    Observations
    mean, scale : arrays of shape (n_groups,)
        What was taken off each group's targets, and what they were divided by then.
    """
    inputs, targets = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    members = np.zeros(len(targets), np.intp) if groups is None else np.asarray(groups, np.intp)
    noise = None if noise_var is None else np.asarray(noise_var, dtype=float)
    _check_shapes(model, inputs, targets, members, noise)
    mean = _group_means(model, targets, members)
    centred = targets - mean[members]
    scale = np.empty(model.n_groups)
    scale[:] = target_scale(targets, centred) if y_scale is None else y_scale
    if noise is not None:
        noise = noise / scale[members] ** 2
    data = Observations(inputs, centred / scale[members], members, noise, no_noise_of(model))
    return data, mean, scale


def no_noise_of(model: Model) -> float:
    """What stands for a noise variance of zero in a model."""
    return EXACT_NOISE if model.categories else FIXED_NOISE_FLOOR


def _group_means(model: Model, y: Array, groups: NDArray[np.intp]) -> Array:
    """Mean target of each group; of all targets where a group is empty or the mean is shared."""
    mean = np.full(model.n_groups, y.mean())
    if model.means != "shared":
        for group in np.unique(groups):
            mean[group] = y[groups == group].mean()
    return mean


def _check_shapes(
    model: Model, X: Array, y: Array, groups: NDArray[np.intp], noise: Array | None
) -> None:
    if X.ndim != 2 or X.shape[1] != model.n_inputs:
        raise ValueError(f"expected inputs of shape (n, {model.n_inputs}), got {X.shape}")
    for name, values in (("y", y), ("groups", groups), ("noise_var", noise)):
        if values is not None and values.shape != (len(X),):
            raise ValueError(f"{name} has shape {values.shape}, but there are {len(X)} points")
    if not (np.isfinite(X).all() and np.isfinite(y).all()):
        raise ValueError("inputs and targets must be finite numbers")
    if len(groups) and not (groups.min() >= 0 and groups.max() < model.n_groups):
        raise ValueError(f"groups must be numbers from 0 to {model.n_groups - 1}")


def target_scale(y: Array, centred: Array | None = None) -> float:
    """Return the standard deviation of `y`, or something usable where it has none.

    A constant target has no scale of its own. Its magnitude is used instead, or 1 where it is
    zero. `centred` are the targets less their groups' means, where there are several groups.
    """
    if centred is None:
        centred = y - y.mean()
    spread = float(np.sqrt(centred @ centred / (len(y) - 1))) if len(y) > 1 else 0.0
    size = float(np.max(np.abs(y)))
    if spread > 10.0 * np.finfo(float).eps * size:
        return spread
    return size or 1.0
