"""Gaussian processes of the engine in PyTorch, so that gradients flow through them.

The formulas are those of :class:`mastgp.gp.GaussianProcess`, for batches of points.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MastError
from ..gp.responses import Logarithm, YeoJohnson
from ..libraries import import_extra
from ..models.continuing import JointProcess
from ..models.levelled import LevelledProcess

Array = NDArray[np.float64]
#: A ``torch.Tensor``. PyTorch itself is imported only when a bridge is built.
Tensor = Any

#: Squared distances below this are zero; the square root has no slope there.
_NOTHING = 1e-24
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(16)


@cache
def import_torch() -> Any:
    """Import PyTorch, or say how to get it."""
    return import_extra("torch", "botorch")


class TorchProcess:
    """One process of a model, with tensors in place of arrays.

    Parameters
    ----------
    part : JointProcess
    groups : list of int
        Group of each fidelity; -1 where it is not modelled.
    noises : array of shape (n_groups,)
        Noise variance of each group.
    """

    def __init__(self, part: JointProcess, groups: list[int], noises: Array) -> None:
        torch = import_torch()
        if isinstance(part.process, LevelledProcess):
            raise MastError("a model of very many rows cannot become a BoTorch model")
        self._process, self._response = part.process, part.response
        self._widening = part.widening
        process, factor = part.process, part.process._factorisation
        self._groups = torch.as_tensor(groups)
        self._noises = torch.as_tensor(noises)
        self._loadings = torch.as_tensor(process._loadings)
        self._lengthscales = torch.as_tensor(process._lengthscales)
        self._X = torch.as_tensor(process._X)
        self._observed = torch.as_tensor(np.asarray(process.groups))
        self._L = torch.as_tensor(np.ascontiguousarray(factor.L))
        self._alpha = torch.as_tensor(factor.alpha)
        self._beta = torch.as_tensor(factor.beta)
        self._y_mean = torch.as_tensor(np.array(process.y_mean))
        self._y_scale = torch.as_tensor(np.array(process.y_scale))

    def joint(self, U: Tensor, levels: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Mean, covariance, noise variance, and whether points are modelled.

        Parameters
        ----------
        U : tensor of shape (..., n, d)
            Unit-cube inputs.
        levels : int tensor of shape (..., n)

        Returns
        -------
        mean, noise_var, modelled : tensors of shape (..., n)
        covariance : tensor of shape (..., n, n)
            In the response's units, zero for points that are not modelled.
        """
        torch = import_torch()
        groups = self._groups[levels]
        modelled = (groups >= 0).to(U)
        groups = groups.clamp(min=0)
        points = self._columns(U)
        k = self._covariance(points, groups, self._X, self._observed)
        prior = self._covariance(points, groups, points, groups)
        solved = torch.linalg.solve_triangular(self._L, k.transpose(-1, -2), upper=False)
        scale = self._widening * self._y_scale[groups]
        cov = (
            (prior - solved.transpose(-1, -2) @ solved) * scale[..., :, None] * scale[..., None, :]
        )
        z = self._y_mean[groups] + self._y_scale[groups] * (k @ self._alpha + self._beta[groups])
        var = torch.diagonal(cov, dim1=-2, dim2=-1).clamp(min=0.0)
        mean, slope = tensor_moments(self._response, z, var)
        slope = slope * modelled
        cov = cov * slope[..., :, None] * slope[..., None, :]
        return mean * modelled, cov, self._noises[groups] * slope**2, modelled

    def _covariance(self, X1: Tensor, groups1: Tensor, X2: Tensor, groups2: Tensor) -> Tensor:
        """Prior covariance of latent values at what kernels see of points."""
        model, parameters = self._process.model, self._process.parameters
        total = 0.0
        for c, component in enumerate(model.components):
            k = _KERNELS[component.kernel](_scaled(X1, X2, self._lengthscales[c]))
            a1, a2 = self._loadings[c][groups1], self._loadings[c][groups2]
            total = total + float(parameters.scales[c]) * a1[..., :, None] * a2[..., None, :] * k
        if model.mean_var:
            same = groups1[..., :, None] == groups2[..., None, :]
            shared = same | (model.means == "shared")
            total = total + model.mean_var * shared.to(X1)
        return total

    def _columns(self, U: Tensor) -> Tensor:
        """What kernels see of points: warped numbers, and positions of levels."""
        torch = import_torch()
        embedding, parameters = self._process.objective.embedding, self._process.parameters
        numbers = U if embedding is None else U[..., embedding.numeric.tolist()]
        if self._process.model.warp:
            numbers = _warped(numbers, parameters.warp_a, parameters.warp_b)
        if embedding is None:
            return numbers
        flat = U.detach().reshape(-1, U.shape[-1]).numpy()
        whole = self._process._warp(flat)[:, len(embedding.numeric) :]
        positions = torch.as_tensor(np.ascontiguousarray(whole))
        return torch.cat([numbers, positions.reshape(*U.shape[:-1], -1)], dim=-1)


def _warped(x: Tensor, a: Array, b: Array) -> Tensor:
    """Kumaraswamy's warp inside the unit cube; points outside stay."""
    torch = import_torch()
    inside = (x > 0.0) & (x < 1.0)
    safe = torch.where(inside, x, torch.full_like(x, 0.5))
    powers = torch.as_tensor(a), torch.as_tensor(b)
    return torch.where(inside, 1.0 - (1.0 - safe ** powers[0]) ** powers[1], x)


def _scaled(X1: Tensor, X2: Tensor, lengthscales: Tensor) -> Tensor:
    """Squared distances over lengthscales."""
    Z1, Z2 = (X1 - 0.5) / lengthscales, (X2 - 0.5) / lengthscales
    norms = (Z1**2).sum(-1)[..., :, None] + (Z2**2).sum(-1)[..., None, :]
    return (norms - 2.0 * Z1 @ Z2.transpose(-1, -2)).clamp(min=0.0)


def _rbf(R: Tensor) -> Tensor:
    return (-0.5 * R).exp()


def _matern52(R: Tensor) -> Tensor:
    s = (5.0 * R).clamp(min=_NOTHING).sqrt()
    return (1.0 + s + s**2 / 3.0) * (-s).exp()


_KERNELS = {"rbf": _rbf, "matern52": _matern52}


def tensor_moments(
    response: Logarithm | YeoJohnson | None, mean: Tensor, var: Tensor
) -> tuple[Tensor, Tensor]:
    """Mean of the response and its mean slope; see :func:`mastgp.next.slopes.moments_of`."""
    torch = import_torch()
    if response is None:
        return mean, torch.ones_like(mean)
    if isinstance(response, Logarithm):
        first = (mean + 0.5 * var).exp()
        return first, first
    std = var.clamp(min=_NOTHING).sqrt()
    nodes, shares = torch.as_tensor(_NODES), torch.as_tensor(_WEIGHTS / _WEIGHTS.sum())
    z = mean[..., None] + std[..., None] * nodes
    u = _inverse(z.clamp(min=0.0), response.power) - _inverse(
        (-z).clamp(min=0.0), 2.0 - response.power
    )
    slope = ((1.0 - response.power) * torch.sign(u) * torch.log1p(u.abs())).exp() * response.scale
    return response.centre + response.scale * (u @ shares), slope @ shares


def _inverse(z: Tensor, power: float) -> Tensor:
    """Inverse of the Box-Cox transformation, less one."""
    torch = import_torch()
    if abs(power) < 1e-12:
        return torch.expm1(z)
    return torch.expm1(torch.log1p(power * z) / power)


def tensor_mean(estimator: Any, U: Tensor) -> Tensor:
    """Mean of an estimator that is no process, with its own gradient where it has one."""
    return _mean_function().apply(U, estimator)


@cache
def _mean_function() -> Any:
    """An autograd function, which needs PyTorch to be imported."""
    torch = import_torch()

    class Mean(torch.autograd.Function):  # type: ignore[misc, name-defined]
        """The mean of an estimator at unit-cube points of shape (..., n, d)."""

        @staticmethod
        def forward(ctx: Any, U: Tensor, estimator: Any) -> Tensor:
            flat = U.detach().reshape(-1, U.shape[-1]).numpy()
            ctx.save_for_backward(torch.as_tensor(_slope(estimator, flat).reshape(U.shape)))
            return torch.as_tensor(estimator.mean_unit(flat)).reshape(U.shape[:-1])

        @staticmethod
        def backward(ctx: Any, by_mean: Tensor) -> tuple[Tensor, None]:
            (slope,) = ctx.saved_tensors
            return by_mean[..., None] * slope, None

    return Mean


#: Step of central differences, in the unit cube.
_STEP = 1e-5


def _slope(estimator: Any, U: Array) -> Array:
    """Gradient of an estimator's mean: its own, or by central differences."""
    if "gradient" in estimator.abilities:
        found: Array = estimator.gradient_unit(U)[0]
        return found
    slope = np.empty_like(U)
    for column, step in enumerate(_STEP * np.eye(U.shape[1])):
        difference = estimator.mean_unit(U + step) - estimator.mean_unit(U - step)
        slope[:, column] = difference / (2.0 * _STEP)
    return slope
