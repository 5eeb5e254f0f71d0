"""Sums over rows: all that an inducing-point process has to know of its data.

With m inducing points, L = chol K_mm, noise variances Lambda and A = L^-1 K_mn Lambda^-1/2, the
collapsed bound (Titsias 2009) and the posterior follow from A A^T and A Lambda^-1/2 [y, H]. These
are sums over rows. So they are accumulated block by block, from rows that need not fit in memory,
in any order and on any machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk

from ..blocks import blocks
from .linalg import cholesky, solve_lower
from .model import Model
from .observations import Observations, noise_of
from .parameters import Hyperparameters
from .view import Points, View

Array = NDArray[np.float64]
Groups = NDArray[np.intp]

#: Entries of the largest block of covariances kept at a time (8 bytes each).
BLOCK_ENTRIES = 2_000_000


class Basis:
    """Inducing points under given hyperparameters. It is small, and can be sent anywhere.

    Parameters
    ----------
    model : Model
    parameters : Hyperparameters
    X : array of shape (m, d)
        Inducing inputs, in the unit cube. Levels of categories that data have occur among them.
    groups : int array of shape (m,)
        Group of each: the inducing variables are values of that group's latent function.

    Attributes
    ----------
    view : View
    points : Points
    L : array of shape (m, m)
        Factor of K_mm.
    jitter : float
        What had to be added to its diagonal.
    """

    def __init__(
        self, model: Model, parameters: Hyperparameters, X: Array, groups: Groups | None = None
    ) -> None:
        members = np.zeros(len(X), np.intp) if groups is None else groups
        self.view = View(model, parameters, X)
        self.points = self.view.points(X, members)
        self.L, self.jitter = cholesky(self.view.covariance(self.points, self.points))

    @property
    def model(self) -> Model:
        """The model whose covariances are used."""
        return self.view.model

    @property
    def parameters(self) -> Hyperparameters:
        """Values of the hyperparameters."""
        return self.view.parameters

    def __len__(self) -> int:
        """Number of inducing points, m."""
        return len(self.points)

    def features(self, points: Points) -> Array:
        """L^-1 K_mn: coordinates of the latent values at n points, shape (m, n)."""
        return solve_lower(self.L, self.view.covariance(self.points, points))


@dataclass(frozen=True)
class RowSums:
    """What rows contribute to an inducing-point process; sums of two sets of rows add up.

    All in standardised units, with T = [y, H] and H the members of groups with profiled means.

    Attributes
    ----------
    n : int
        Number of rows.
    gram : array of shape (m, m)
        A A^T; only the lower triangle is filled.
    projected : array of shape (m, 1 + n_groups)
        A Lambda^-1/2 T.
    targets : array of shape (1 + n_groups, 1 + n_groups)
        T^T Lambda^-1 T.
    log_noise : float
        Sum of the logarithms of the noise variances.
    missing : float
        Sum over rows of (k_ii - q_ii) / noise: variance that the inducing points do not explain.
    members : array of shape (n_groups,)
        Number of rows of each group.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp.gp.layout import Layout
    >>> from mastgp.gp import Model
    >>> from mastgp.gp.observations import Observations
    >>> from mastgp.gp.sums import Basis, RowSums
    >>> model, X = Model(1), np.linspace(0, 1, 9)[:, None]
    >>> basis = Basis(model, Layout(model).unpack(Layout(model).start()), X[::4])
    >>> data = Observations(X, X[:, 0] - 0.5, np.zeros(9, int))
    >>> one, two = data.subset(np.arange(5)), data.subset(np.arange(5, 9))
    >>> parts = RowSums.of_block(basis, one) + RowSums.of_block(basis, two)
    >>> bool(np.allclose(parts.gram, RowSums.of_block(basis, data).gram))
    True
    """

    n: int
    gram: Array
    projected: Array
    targets: Array
    log_noise: float
    missing: float
    members: Array

    @classmethod
    def of_block(cls, basis: Basis, data: Observations) -> RowSums:
        """Sums over a block of rows that fits in memory together with m times as many numbers.

        Parameters
        ----------
        basis : Basis
        data : Observations
            In standardised units, the same for all blocks.
        """
        noise = noise_of(basis.parameters, data)
        points = basis.view.points(data.X, data.groups)
        A = basis.features(points)
        A /= np.sqrt(noise)
        explained = float(np.einsum("ij,ij->", A, A))
        weighted = _targets(basis.model, data) / np.sqrt(noise)[:, None]
        prior = float((basis.view.prior_var(data.groups) / noise).sum())
        return cls(
            len(data.y),
            dsyrk(1.0, A, lower=1),
            A @ weighted,
            weighted.T @ weighted,
            float(np.log(noise).sum()),
            prior - explained,
            np.bincount(data.groups, minlength=basis.model.n_groups).astype(float),
        )

    @classmethod
    def of(cls, basis: Basis, data: Observations) -> RowSums:
        """Sums over any number of rows, in blocks of bounded memory."""
        return total(cls.of_block(basis, block) for block in in_row_blocks(data, len(basis)))

    def leading(self, m: int) -> RowSums:
        """Sums over the same rows with the first m inducing points alone."""
        prior = self.missing + float(np.trace(self.gram))
        gram = self.gram[:m, :m]
        missing = prior - float(np.trace(gram))
        return replace(self, gram=gram, projected=self.projected[:m], missing=missing)

    def __add__(self, other: RowSums) -> RowSums:
        """Sums over the rows of both."""
        return RowSums(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def total(parts: Iterable[RowSums]) -> RowSums:
    """Sums over the rows of all parts, of which there must be one at least."""
    return reduce(add, parts)


def in_row_blocks(data: Observations, m: int) -> Iterator[Observations]:
    """Rows in blocks whose covariances with m inducing points take bounded memory."""
    size = max(256, BLOCK_ENTRIES // m)
    for rows in blocks(len(data.y), size):
        yield data.subset(np.arange(rows.start, rows.stop))


def _targets(model: Model, data: Observations) -> Array:
    """T = [y, H]; H is zero where means are not profiled."""
    if model.means != "profiled":
        return np.column_stack([data.y, np.zeros((len(data.y), model.n_groups))])
    return np.column_stack([data.y, data.groups[:, None] == np.arange(model.n_groups)])


class Solution:
    """What follows from the sums: profiled means, weights of the inducing points, the bound.

    Attributes
    ----------
    basis : Basis
    sums : RowSums
    LB : array of shape (m, m)
        Factor of B = I + A A^T.
    beta : array of shape (n_groups,)
        Profiled means; 0 where there are none.
    weights : array of shape (m,)
        The mean of the latent values at points is K_nm times these.
    bound : float
        The collapsed bound: at most the log density of the targets, and equal to it if the
        inducing points explain everything.
    """

    def __init__(self, basis: Basis, sums: RowSums) -> None:
        self.basis, self.sums = basis, sums
        B = sums.gram + np.tril(sums.gram, -1).T
        B.flat[:: len(B) + 1] += 1.0
        self.LB, _ = cholesky(B)
        c = solve_lower(self.LB, sums.projected)
        inner = sums.targets - c.T @ c  # T^T (Q + Lambda)^-1 T
        self.beta = self._profiled(inner)
        taken = np.concatenate([[1.0], -self.beta])
        self._coordinates = solve_lower(self.LB, c @ taken, transpose=True)
        self.weights = solve_lower(basis.L, self._coordinates, transpose=True)
        log_det = 2.0 * float(np.log(self.LB.diagonal()).sum()) + sums.log_noise
        quadratic = float(taken @ inner @ taken)
        constant = sums.n * math.log(2.0 * math.pi)
        self.log_density = -0.5 * (quadratic + log_det + constant)
        self.bound = self.log_density - 0.5 * sums.missing

    def _profiled(self, inner: Array) -> Array:
        """Most likely means of the groups that have rows."""
        beta = np.zeros(self.basis.model.n_groups)
        if self.basis.model.means == "profiled":
            here = self.sums.members > 0
            H = inner[1:, 1:][np.ix_(here, here)]
            beta[here] = np.linalg.solve(H, inner[1:, 0][here])
        return beta
