"""What a fitted model believes of all fidelities at once: one mean and one joint covariance.

A model is a mixture of Gaussian processes, one for every draw of the hyperparameters of every
member, and of members that only predict. Its second moments are in closed form: the covariance of
the response at two points, each at any fidelity, is the average of the processes' covariances plus
the covariance of their means, by which they disagree. Whatever is linear in observations follows
from them: what is expected to be learned from a run depends on the covariance alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Dataset
from ..errors import DataError, MastWarning, silenced
from ..gp.extension import noise_of_groups
from ..gp.latent import Latent
from ..gp.posterior import systematic
from ..models.cokriging import CoKriging
from ..models.continuing import JointProcess, Part, Predictor, scaled
from ..progress import listening
from .slopes import moments_of

Array = NDArray[np.float64]
Levels = NDArray[np.intp]

#: Processes that stand for all draws of all members.
MOST_PROCESSES = 8
#: Work of all processes together, in entries of their factors: with many rows there are fewer.
MOST_ENTRIES = 12_000_000
FEWEST_PROCESSES = 4
#: Draws of the companion of a model that knows of no covariance.
COMPANION_DRAWS = 8


@dataclass(frozen=True)
class Seen:
    """What each process says at some points, each of a fidelity of its own.

    Attributes
    ----------
    U : array of shape (n, d)
        Unit-cube inputs.
    levels : int array of shape (n,)
        Numbers of the fidelities, cheapest first.
    latents : tuple of k Latent
        Of the points that a process models.
    modelled : bool array of shape (k, n)
        Which points these are.
    means, slopes : arrays of shape (k, n)
        Mean of the response, and the slope by which its transformation is taken back. Zero where a
        point is not modelled.
    noises : array of shape (k, n)
        Noise variance of an observation there.
    others : array of shape (j, n)
        Means of the members that only predict; zero at cheap points.
    """

    U: Array
    levels: Levels
    latents: tuple[Latent, ...]
    modelled: NDArray[np.bool_]
    means: Array
    slopes: Array
    noises: Array
    others: Array


class Belief:
    """A model's joint belief about the response at every point and fidelity.

    Parameters
    ----------
    model : fitted estimator
    most : int
        Processes that stand for all draws of all members.

    Attributes
    ----------
    model : fitted estimator
    data : Dataset
        What it was fitted to.
    processes : list of JointProcess
    predictors : list of Predictor
        Members that know of no covariance.
    top : int
        Number of the most expensive fidelity.
    """

    def __init__(self, model: Any, most: int = MOST_PROCESSES) -> None:
        self.model = model
        self.data: Dataset = model.training_data_
        self.top = len(self.data.fidelities) - 1
        parts = _with_companion(model)
        joint = [part for part in parts if isinstance(part, JointProcess)]
        self.processes = thinned(joint, most)
        self.predictors = [part for part in parts if isinstance(part, Predictor)]
        self.shares = np.array([p.share for p in self.processes])
        self.other_shares = np.array([p.share for p in self.predictors])
        self.widening = float(model.calibration_)
        self.groups = np.array([_groups(p, self.data) for p in self.processes])
        if not (self.groups[:, self.top] >= 0).any():
            raise DataError(
                f"the model does not predict {self.data.top.name!r}, the most expensive fidelity"
            )
        self.noises = [p.widening**2 * noise_of_groups(p.process) for p in self.processes]

    def informs(self, level: int) -> bool:
        """Whether the model says anything about a fidelity."""
        return bool((self.groups[:, level] >= 0).any())

    def at(self, U: Array, levels: Levels | int) -> Seen:
        """What each process says at unit-cube points of some fidelities."""
        every = np.broadcast_to(np.asarray(levels, dtype=np.intp), len(U))
        shape = len(self.processes), len(U)
        modelled = self.groups[:, every] >= 0
        means, slopes, noises = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        latents = []
        for k, part in enumerate(self.processes):
            rows = modelled[k]
            groups = self.groups[k, every[rows]]
            latent = part.process.latent(U[rows], groups)
            mean, slope = moments_of(part.response, latent.mean, part.widening**2 * latent.var)
            means[k, rows], slopes[k, rows] = mean, slope
            noises[k, rows] = self.noises[k][groups] * slope**2
            latents.append(latent)
        others = np.zeros((len(self.predictors), len(U)))
        at_top = every == self.top
        if at_top.any():
            for j, part_ in enumerate(self.predictors):
                others[j, at_top] = part_.estimator.mean_unit(U[at_top])
        return Seen(U, every, tuple(latents), modelled, means, slopes, noises, others)

    def mean(self, seen: Seen) -> Array:
        """Mean of the response, shape (n,): of those that know something of its fidelity."""
        top = seen.levels == self.top
        total = self.shares @ seen.means + self.other_shares @ seen.others
        weight = self.shares @ seen.modelled + np.where(top, self.other_shares.sum(), 0.0)
        return total / np.where(weight > 0.0, weight, 1.0)

    def covariance(self, first: Seen, second: Seen) -> Array:
        """Joint covariance of the response at two sets of points, shape (n1, n2)."""
        total = np.zeros((len(first.U), len(second.U)))
        for k, share in enumerate(self.shares / self.shares.sum()):
            total[np.ix_(first.modelled[k], second.modelled[k])] += share * self.of_process(
                k, first, second
            )
        for shares, a, b in zip(
            (self.shares, self.other_shares),
            self._deviations(first),
            self._deviations(second),
            strict=True,
        ):
            total += np.einsum("k,ki,kj->ij", shares, a, b)
        return self.widening**2 * total

    def of_process(self, k: int, first: Seen, second: Seen) -> Array:
        """Covariance by one process, between the points that it models, in the response's units."""
        part = self.processes[k]
        cov = part.process.latent_covariance(first.latents[k], second.latents[k])
        a, b = first.slopes[k, first.modelled[k]], second.slopes[k, second.modelled[k]]
        return cov * part.widening**2 * np.multiply.outer(a, b)

    def variance(self, seen: Seen) -> Array:
        """Variance of the response at every point, shape (n,)."""
        return self._variances(seen, np.zeros_like(seen.noises))

    def observed_variance(self, seen: Seen) -> Array:
        """Variance of an observation at every point, shape (n,); infinite where nobody knows."""
        return self._variances(seen, seen.noises)

    def _variances(self, seen: Seen, noises: Array) -> Array:
        """Variances with some noise, of those that know something of each point's fidelity."""
        within = np.zeros_like(seen.means)
        for k, part in enumerate(self.processes):
            rows = seen.modelled[k]
            within[k, rows] = seen.latents[k].var * (part.widening * seen.slopes[k, rows]) ** 2
        own, others = self._deviations(seen)
        joint = self.shares @ seen.modelled
        known = joint + np.where(seen.levels == self.top, self.other_shares.sum(), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            total = self.shares @ (within + noises) / joint
            total += (self.shares @ own**2 + self.other_shares @ others**2) / known
        return np.where(joint > 0.0, self.widening**2 * total, np.inf)

    def _deviations(self, seen: Seen) -> tuple[Array, Array]:
        """How far each process's mean, and each other member's, is from the mean of all."""
        mean = self.mean(seen)
        top = seen.levels == self.top
        return (
            np.where(seen.modelled, seen.means - mean, 0.0),
            np.where(top, seen.others - mean, 0.0),
        )


def thinned(parts: Sequence[JointProcess], most: int) -> list[JointProcess]:
    """A few processes that stand for all, each as often as its share says.

    The choice is the same each time. Processes that are chosen several times count once, with the
    share of all.
    """
    if not parts:
        return []
    shares = np.array([part.share for part in parts])
    total = shares.sum()
    entries = max(part.process.n_points for part in parts) ** 2
    n = int(np.clip(MOST_ENTRIES // entries, FEWEST_PROCESSES, most))
    if len(parts) <= n:
        return list(parts)
    chosen = systematic(shares / total, n, np.random.default_rng(0))
    counts = np.bincount(chosen, minlength=len(parts))
    return [
        replace(part, share=total * count / n)
        for part, count in zip(parts, counts.tolist(), strict=True)
        if count
    ]


def _with_companion(model: Any) -> list[Part]:
    """The model's parts; one that knows of no covariance gets a co-kriging model beside it.

    The companion says how fidelities vary together. It counts as much as the model itself.
    """
    parts: list[Part] = model.parts()
    if any(isinstance(part, JointProcess) for part in parts):
        return parts
    with silenced(MastWarning), listening(None):
        companion = CoKriging(n_draws=COMPANION_DRAWS).fit_data(model.training_data_)
    return [*scaled(parts, 0.5), *scaled(companion.parts(), 0.5)]


def _groups(part: JointProcess, data: Dataset) -> list[int]:
    """Group of each fidelity in a process; -1 where it is not modelled."""
    where: Mapping[str, int] = {name: group for group, name in enumerate(part.fidelities)}
    return [where.get(fidelity.name, -1) for fidelity in data.fidelities]
