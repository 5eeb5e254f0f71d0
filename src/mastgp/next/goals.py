"""What a run is worth for an extreme value, or for a level.

These goals have two questions. Where: a criterion that is maximised over the points, by what the
most expensive response promises. And at which fidelity: the gain of a run there, for every
fidelity, by what it tells about the point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from .beliefs import Seen
from .improvement import log_improvement, log_near
from .outlook import Outlook
from .slopes import forward, slope_at

Array = NDArray[np.float64]
#: Log probability that points satisfy all limits.
Feasibility = Callable[[Array], Array]


_TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class Spreads:
    """What is known of the most expensive response at some points, by each part of a model.

    Attributes
    ----------
    shares : array of shape (k,)
        Of the parts.
    means, stds : arrays of shape (k, n)
        In each part's own units: those of the transformed response.
    """

    shares: Array
    means: Array
    stds: Array


def spreads(outlook: Outlook, seen: Seen) -> Spreads:
    """Mean and standard deviation by every process, then by every member that only predicts.

    What the runs under way do to the variance of the latter is what they do to the processes'.
    """
    belief = outlook.belief
    knowing = [k for k in range(len(belief.processes)) if seen.modelled[k].all()]
    after = [outlook.of_process(k, seen) for k in knowing]
    means, variances = [joint.mean for joint in after], [joint.var for joint in after]
    shares = [float(belief.shares[k]) for k in knowing]
    if belief.predictors:
        before = [belief.processes[k].widening ** 2 * seen.latents[k].var for k in knowing]
        left = np.average(np.array(variances) / np.array(before), axis=0, weights=shares)
        for part in belief.predictors:
            predicted = part.estimator.predictive_unit(seen.U)
            means.append(predicted.mean)
            variances.append(left * predicted.variance)
            shares.append(part.share)
    stds = belief.widening * np.sqrt(np.array(variances))
    return Spreads(np.array(shares), np.array(means), np.maximum(stds, _TINY))


class Promise:
    """A goal that is met at one point, or along a line: what the expensive response promises.

    Parameters
    ----------
    outlook : Outlook
    feasibility : function
        Log probability that points satisfy all limits.
    """

    def __init__(self, outlook: Outlook, feasibility: Feasibility) -> None:
        self.outlook = outlook
        self.feasibility = feasibility
        self._responses = [p.response for p in outlook.belief.processes if self._predicts(p)]
        self._responses += [None] * len(outlook.belief.predictors)

    def _predicts(self, part: object) -> bool:
        return self.outlook.belief.data.top.name in getattr(part, "fidelities", ())

    def log_values(self, found: Spreads) -> Array:
        """Log of each part's criterion, in the response's units, shape (k, n)."""
        raise NotImplementedError

    def values(self, U: Array) -> Array:
        """Log of the criterion at points, shape (n,)."""
        found = spreads(self.outlook, self.outlook.belief.at(U, self.outlook.belief.top))
        logs = self.log_values(found)
        total = logsumexp(logs, axis=0, b=found.shares[:, None] / found.shares.sum())
        return np.asarray(total) + self.feasibility(U)

    def gain(self, u: Array, level: int) -> float:
        """What a run at a point is expected to bring, in the response's units.

        A run of the most expensive fidelity is worth the criterion. A cheap run is worth the share
        of it that it tells: the share of the variance that it removes there. That is near one
        where a good cheap source has not been asked yet, and near zero where it has been.
        """
        belief, U = self.outlook.belief, u[None]
        seen = belief.at(U, belief.top)
        found = spreads(self.outlook, seen)
        weights = found.shares / found.shares.sum()
        probability = float(np.exp(self.feasibility(U))[0])
        if level == belief.top:
            return probability * float(weights @ np.exp(self.log_values(found)[:, 0]))
        told = (learned_stds(self.outlook, seen, level, found) / found.stds) ** 2
        return probability * float(weights @ (np.exp(self.log_values(found)) * told)[:, 0])


def learned_stds(outlook: Outlook, seen: Seen, level: int, found: Spreads) -> Array:
    """By how much a run of a fidelity moves each part's mean at its own point, shape (k, n).

    The standard deviation of the change: covariance over the standard deviation of the result. A
    part that does not model the fidelity learns nothing. A member that only predicts is taken to
    learn as the processes do on average.
    """
    belief = outlook.belief
    cheap = belief.at(seen.U, level)
    knowing = [k for k in range(len(belief.processes)) if seen.modelled[k].all()]
    learned = np.zeros_like(found.stds)
    for row, k in enumerate(knowing):
        if cheap.modelled[k].all():
            noise = belief.noises[k][cheap.latents[k].groups]
            result = np.sqrt(outlook.of_process(k, cheap).var + noise)
            learned[row] = belief.widening * np.abs(outlook.between(k, seen, cheap)) / result
    learned = np.minimum(learned, found.stds)
    n = len(knowing)
    if len(learned) > n:
        share = np.average(learned[:n] / found.stds[:n], axis=0, weights=found.shares[:n])
        learned[n:] = share * found.stds[n:]
    return learned


class Extreme(Promise):
    """The expected improvement on the best value of the most expensive fidelity.

    Parameters
    ----------
    outlook : Outlook
    feasibility : function
    sign : float
        1 for the smallest value, -1 for the largest.
    incumbents : Seen
        Points of the most expensive fidelity that have been run, or are running.
    """

    def __init__(
        self, outlook: Outlook, feasibility: Feasibility, sign: float, incumbents: Seen
    ) -> None:
        super().__init__(outlook, feasibility)
        self._sign = sign
        found = spreads(outlook, incumbents)
        self.best = (sign * found.means).min(axis=1, keepdims=True)
        pairs = zip(self._responses, self.best, strict=True)
        self._units = np.array([slope_at(response, sign * best) for response, best in pairs])

    def _gaps(self, found: Spreads) -> Array:
        return self.best - self._sign * found.means

    def predicted(self, U: Array) -> Array:
        """By how much a prediction is better than the best value, times how probably it counts."""
        found = spreads(self.outlook, self.outlook.belief.at(U, self.outlook.belief.top))
        shares = found.shares / found.shares.sum()
        better = np.asarray(shares @ (self._gaps(found) * self._units))
        return np.where(better > 0.0, better * np.exp(self.feasibility(U)), better)

    def log_values(self, found: Spreads) -> Array:
        """Log expected improvement, by each part."""
        return log_improvement(self._gaps(found), found.stds) + np.log(self._units)


class Level(Promise):
    """Where the most expensive response is near a value and still uncertain.

    Parameters
    ----------
    outlook : Outlook
    feasibility : function
    target : float
        The value.
    """

    def __init__(self, outlook: Outlook, feasibility: Feasibility, target: float) -> None:
        super().__init__(outlook, feasibility)
        value = np.array([target])
        self._targets = np.array([forward(response, value) for response in self._responses])
        pairs = zip(self._responses, self._targets, strict=True)
        self._units = np.array([slope_at(response, z) for response, z in pairs])

    def log_values(self, found: Spreads) -> Array:
        """Log of how probably the value is met, and how uncertain that is."""
        return log_near(found.means - self._targets, found.stds) + 2.0 * np.log(self._units)
