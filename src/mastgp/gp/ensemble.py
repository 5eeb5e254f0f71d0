"""A Gaussian process whose hyperparameters are uncertain: a mixture over draws of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..blocks import in_blocks
from .distributions import Mixture
from .extension import extended
from .parameters import Hyperparameters
from .posterior import Draws, sample_posterior
from .process import GaussianProcess, Groups
from .restoring import check_draws
from .sampling import RandomSource, draw_samples

Array = NDArray[np.float64]

#: Points whose mixture is held in memory at a time.
_BLOCK_ROWS = 10_000


class ProcessEnsemble:
    """Gaussian processes of the same data that differ in their hyperparameters only.

    Its predictions average over the draws. At every interface it is used as one
    :class:`GaussianProcess` is.

    Parameters
    ----------
    processes : sequence of GaussianProcess
        One per draw, all with the same model and data.
    weights : array of shape (k,)
        Share of each draw, of sum one.

    Attributes
    ----------
    processes, weights
        As given.
    """

    def __init__(self, processes: Sequence[GaussianProcess], weights: ArrayLike) -> None:
        self.processes = tuple(processes)
        self.weights = np.asarray(weights, dtype=float)
        if len(self.weights) != len(self.processes) or not len(self.processes):
            raise ValueError(
                f"{len(self.weights)} weights were given for {len(self.processes)} processes"
            )

    @classmethod
    def of(
        cls, process: GaussianProcess, parameters: Sequence[Hyperparameters], weights: ArrayLike
    ) -> ProcessEnsemble:
        """Make one from a process and draws of its hyperparameters."""
        return cls([process.with_parameters(draw) for draw in parameters], weights)

    @classmethod
    def drawn(
        cls, process: GaussianProcess, n_draws: int, rng: np.random.Generator | int = 0
    ) -> tuple[ProcessEnsemble, Draws]:
        """Draw a process's hyperparameters from their posterior; also return the draws."""
        draws = sample_posterior(process.objective, [process.optimum], n_draws, rng)
        return cls.of(process, draws.parameters, draws.weights), draws

    @property
    def noise_var(self) -> Array:
        """Noise variance of every training observation, averaged over the draws."""
        return self.weights @ np.array([process.noise_var for process in self.processes])

    def distribution(self, X: ArrayLike, group: int = 0) -> Mixture:
        """Predictive distribution of a group's latent function: a mixture of the draws'."""
        moments = [process.predict(X, group) for process in self.processes]
        means, variances = map(np.array, zip(*moments, strict=True))
        return Mixture(self.weights, means, variances)

    def predict(self, X: ArrayLike, group: int = 0) -> tuple[Array, Array]:
        """Mean and variance of a group's latent function, each of shape (n,)."""

        def moments(part: Array) -> tuple[Array, Array]:
            mixture = self.distribution(part, group)
            return mixture.mean, mixture.variance

        return in_blocks(moments, np.asarray(X, dtype=float), _BLOCK_ROWS)

    def predict_mean(self, X: ArrayLike, group: int = 0) -> Array:
        """Mean of a group's latent function, shape (n,)."""
        return self.weights @ np.array([p.predict_mean(X, group) for p in self.processes])

    def predict_covariance(self, X: ArrayLike, group: int = 0) -> tuple[Array, Array]:
        """Mean (n,) and covariance (n, n); where the draws disagree, that is part of it."""
        moments = [process.predict_covariance(X, group) for process in self.processes]
        mean = self.weights @ np.array([own for own, _ in moments])
        cov = np.zeros((len(mean), len(mean)))
        for weight, (own_mean, own_cov) in self._weighted(moments):
            away = own_mean - mean
            cov += weight * (own_cov + np.outer(away, away))
        return mean, cov

    def predict_gradient(self, X: ArrayLike, group: int = 0) -> tuple[Array, Array]:
        """Gradients of mean and variance with respect to the unit-cube inputs, each (n, d)."""
        means = [process.predict_mean(X, group) for process in self.processes]
        mean = self.weights @ np.array(means)
        gradients = [process.predict_gradient(X, group) for process in self.processes]
        d_mean, d_var = np.zeros_like(gradients[0][0]), np.zeros_like(gradients[0][0])
        for weight, (own_mean, (own_d_mean, own_d_var)) in self._weighted(
            list(zip(means, gradients, strict=True))
        ):
            d_mean += weight * own_d_mean
            # The mixture's own gradient drops out: the draws' deviations add up to zero.
            d_var += weight * (own_d_var + 2.0 * (own_mean - mean)[:, None] * own_d_mean)
        return d_mean, d_var

    def cross_covariance(
        self, X1: ArrayLike, groups1: Groups, X2: ArrayLike, groups2: Groups
    ) -> Array:
        """Covariance of latent values of any groups; where the draws disagree, that is part of it.

        Parameters
        ----------
        X1, X2 : arrays of shapes (n1, d) and (n2, d)
        groups1, groups2 : int, or one for each point

        Returns
        -------
        array of shape (n1, n2)
        """
        pairs = [(p.latent(X1, groups1), p.latent(X2, groups2)) for p in self.processes]
        means1 = np.array([first.mean for first, _ in pairs])
        means2 = np.array([second.mean for _, second in pairs])
        away = means1 - self.weights @ means1, means2 - self.weights @ means2
        total = np.einsum("k,ki,kj->ij", self.weights, *away)
        for weight, (process, pair) in self._weighted(
            list(zip(self.processes, pairs, strict=True))
        ):
            total += weight * process.latent_covariance(*pair)
        return total

    def extended(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: Groups = 0,
        noise_var: ArrayLike | None = None,
    ) -> ProcessEnsemble:
        """Return the same draws, given more observations; see :mod:`mastgp.gp.extension`.

        Each draw's weight is multiplied by the density that it gave to the new observations. So
        the draws stay a sample of the posterior, worth fewer of them.
        """
        first = extended(self.processes[0], X, y, groups, noise_var)
        others = self.processes[1:]
        grown = [first, *(extended(p, X, y, groups, objective=first.objective) for p in others)]
        gains = [new.log_density - old.log_density for new, old in self._pairs(grown)]
        return ProcessEnsemble(grown, reweighted(self.weights, np.array(gains)))

    def _pairs(
        self, grown: Sequence[GaussianProcess]
    ) -> Iterator[tuple[GaussianProcess, GaussianProcess]]:
        return zip(grown, self.processes, strict=True)

    @property
    def effective_draws(self) -> float:
        """Number of equally weighted draws that these are worth."""
        return float(1.0 / np.sum(self.weights**2))

    def sample(self, X: ArrayLike, n_samples: int, rng: RandomSource, group: int = 0) -> Array:
        """Draw joint samples, each of a draw chosen by its weight, shape (n, n_samples)."""
        counts = np.diff(np.floor(np.r_[0.0, np.cumsum(self.weights)] * n_samples + 0.5)).astype(
            int
        )
        parts = [
            draw_samples(*process.predict_covariance(X, group), count, rng)
            for process, count in zip(self.processes, counts, strict=True)
            if count
        ]
        return np.hstack(parts)

    def leave_out(self, folds: Sequence[NDArray[np.intp]]) -> Mixture:
        """Predict each fold's observations from all others; noise is included.

        A draw counts for a fold by how little it owes to that fold: the posterior of the
        hyperparameters without the fold is that with it, divided by the fold's density. So the
        check is as honest as a refit, but for the finite number of draws. NaN for observations in
        no fold.
        """
        left_out = [process.left_out(folds) for process in self.processes]
        weights = np.full((len(self.processes), self.processes[0].n_points), np.nan)
        for number, fold in enumerate(folds):
            densities = np.array([entry.log_densities[number] for entry in left_out])
            weights[:, fold] = without_a_fold(self.weights, densities)[:, None]
        return Mixture(
            weights,
            np.array([entry.mean for entry in left_out]),
            np.array([entry.var for entry in left_out]),
        )

    def get_state(self) -> dict[str, Any]:
        """Draws and weights as plain data; the process they are of is stored apart."""
        return {
            "weights": self.weights,
            "parameters": [process.parameters.state for process in self.processes],
        }

    @classmethod
    def from_state(cls, process: GaussianProcess, state: dict[str, Any]) -> ProcessEnsemble:
        """Inverse of :meth:`get_state`."""
        check_draws(process.model, process.n_points, state)
        parameters = [Hyperparameters(**entry) for entry in state["parameters"]]
        return cls.of(process, parameters, state["weights"])

    def _weighted(self, values: Sequence[Any]) -> Iterator[tuple[float, Any]]:
        return zip(self.weights.tolist(), values, strict=True)


def without_a_fold(weights: Array, log_densities: Array) -> Array:
    """Weights of draws as if a fold had not been seen, shape (k,): weight over density.

    Parameters
    ----------
    weights : array of shape (k,)
        Of the draws from the posterior of all data.
    log_densities : array of shape (k,)
        Of the fold's observations, given all others and each draw.
    """
    ratio = weights * np.exp(np.min(log_densities) - log_densities)
    return ratio / ratio.sum()


def reweighted(weights: Array, log_densities: Array) -> Array:
    """Weights of draws that have seen more: weight times density, of sum one."""
    ratio = weights * np.exp(log_densities - np.max(log_densities))
    return ratio / ratio.sum()
