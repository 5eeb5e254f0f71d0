"""The layers of a deep Gaussian process: one for each fidelity.

Layer t models fidelity t as a function of the inputs and of layer t-1's response there. Its
posterior q(u) is the posterior of a Gaussian process that saw pseudo-observations: values at fixed
inducing inputs, each with a variance. Values and variances are learned. Three things follow. The
posterior adapts to the kernel while the kernel is learned. With one layer it can be exact. And no
kernel matrix has to be inverted without noise on its diagonal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .torch_support import import_torch

Array = NDArray[np.float64]
#: A ``torch.Tensor``. PyTorch itself is imported only when a model is fitted.
Tensor = Any

#: Ranges of what is learned on a log scale, in the unit cube and in standardised targets. They are
#: as wide as double precision allows.
BOUNDS = {
    "lengthscales": (1e-2, 1e2),
    "variances": (1e-6, 1e4),
    "noise_var": (1e-6, 1e1),
    "pseudo_var": (1e-6, 1e6),
}
_SMALLEST_VAR = 1e-12


@dataclass(frozen=True)
class LayerData:
    """The data of one fidelity, with standardised targets.

    Attributes
    ----------
    x : array of shape (n, d)
        Inputs in the unit cube.
    f : array of shape (n,) or None
        Predicted response of the fidelity below at these inputs; None for the cheapest one.
    y : array of shape (n,)
        Targets.
    noise_var : array of shape (n,) or None
        Known noise variances; None if one is to be learned.
    """

    x: Array
    f: Array | None
    y: Array
    noise_var: Array | None


class Layer:
    """Data, kernel, noise and variational posterior of one fidelity.

    Parameters
    ----------
    data : LayerData
        The inducing inputs are fixed at its inputs and its `f`.
    start_noise_var : float
        Where the noise variance starts, unless it is known.
    """

    def __init__(self, data: LayerData, start_noise_var: float) -> None:
        from_numpy = import_torch().from_numpy
        self.learns_noise = data.noise_var is None
        self.x: Tensor = from_numpy(data.x)
        self.f: Tensor = None if data.f is None else from_numpy(data.f)
        self.y: Tensor = from_numpy(data.y)
        self.pseudo_y: Tensor = self.y.clone()
        start = _start_values(data, start_noise_var)
        self.log = {name: from_numpy(np.log(value)) for name, value in start.items()}

    def value(self, name: str) -> Tensor:
        """Return a positive parameter by its name in `BOUNDS`."""
        return self.log[name].exp()

    def kernel_parameters(self) -> list[Tensor]:
        """Return what the first training step learns."""
        return [self.log["lengthscales"], self.log["variances"]]

    def parameters(self) -> list[Tensor]:
        """Return what the second training step learns."""
        noise = [self.log["noise_var"]] if self.learns_noise else []
        return [*self.kernel_parameters(), self.pseudo_y, self.log["pseudo_var"], *noise]

    def keep_in_bounds(self) -> None:
        """Bring the parameters back into their ranges."""
        for name, (low, high) in BOUNDS.items():
            if self.learns_noise or name != "noise_var":
                self.log[name].clamp_(np.log(low), np.log(high))

    def covariance(self, x: Tensor, f: Tensor) -> Tensor:
        """Compute the prior covariance of points with the inducing points.

        Parameters
        ----------
        x : tensor of shape (n_points, d)
        f : tensor of shape (..., n_points) or None
            Samples of the layer below at these points.

        Returns
        -------
        K : tensor of shape (..., n_points, n)
        """
        d = x.shape[1]
        lengthscales, variances = self.value("lengthscales"), self.value("variances")
        k_delta = variances[0] * _rbf(x, self.x, lengthscales[:d])
        if self.f is None:
            return k_delta
        f = f[..., None]
        k_rho = _rbf(x, self.x, lengthscales[d : 2 * d])
        linear = variances[1] * f * self.f
        k_f = variances[2] * (-0.5 * ((f - self.f) / lengthscales[-1]) ** 2).exp()
        return k_rho * (linear + k_f) + k_delta

    def prior_var(self, f: Tensor) -> Tensor:
        """Compute the prior variance at points where the layer below has the values `f`."""
        variances = self.value("variances")
        if self.f is None:
            return variances[0]
        return variances[0] + variances[1] * f**2 + variances[2]

    def factorise(self) -> tuple[Tensor, Tensor]:
        """Factorise the covariance of the pseudo-data y~, whose variances are the diagonal D.

        Returns
        -------
        L : tensor of shape (n, n)
            Cholesky factor of K + D.
        a : tensor of shape (n,)
            (K + D)^-1 y~.
        """
        linalg = import_torch().linalg
        K = self.covariance(self.x, self.f)
        L = linalg.cholesky(K + self.value("pseudo_var").diag_embed())
        return L, self.pseudo_y[:, None].cholesky_solve(L)[:, 0]

    def marginals(self, L: Tensor, a: Tensor, x: Tensor, f: Tensor) -> tuple[Tensor, Tensor]:
        """Compute mean and variance of q(f_t) at points, given samples of the layer below."""
        K = self.covariance(x, f)
        V = import_torch().linalg.solve_triangular(L, K.reshape(-1, len(L)).T, upper=False)
        explained = (V**2).sum(0).reshape(K.shape[:-1])
        return K @ a, (self.prior_var(f) - explained).clamp_min(_SMALLEST_VAR)

    def divergence(self, L: Tensor, a: Tensor) -> Tensor:
        """KL(q(u) || p(u)) = (tr(D C) - n + a'Ka + log|K + D| - log|D|) / 2, C = (K + D)^-1."""
        pseudo_var = self.value("pseudo_var")
        trace = (pseudo_var * import_torch().cholesky_inverse(L).diagonal()).sum()
        quadratic = a @ (self.pseudo_y - pseudo_var * a)
        log_ratio = 2.0 * L.diagonal().log().sum() - self.log["pseudo_var"].sum()
        return 0.5 * (trace - len(L) + quadratic + log_ratio)

    def expected_log_likelihood(self, mean: Tensor, var: Tensor) -> Tensor:
        """E_q[log p(y | f_t)] from the marginals at the training inputs, averaged over samples."""
        log_noise_var = self.log["noise_var"] + np.log(2.0 * np.pi)
        error = ((self.y - mean) ** 2 + var) / self.value("noise_var")
        return -0.5 * (log_noise_var + error).sum(-1).mean()


def lower_bound(layers: Sequence[Layer], eps: Sequence[Tensor]) -> Tensor:
    """Estimate the evidence lower bound of all fidelities' data from given base samples.

    Parameters
    ----------
    layers : sequence of Layer
    eps : sequence of tensors of shape (n_samples, n_points)
        For every layer but the last: standard normal numbers for the points of the layers above.
    """
    x, f = import_torch().cat([layer.x for layer in layers]), None
    bound = 0.0
    for t, layer in enumerate(layers):
        n = len(layer.y)
        factorisation = layer.factorise()
        mean, var = layer.marginals(*factorisation, x, f)
        bound = bound + layer.expected_log_likelihood(mean[..., :n], var[..., :n])
        bound = bound - layer.divergence(*factorisation)
        if t < len(eps):
            x, f = x[n:], mean[..., n:] + var[..., n:].sqrt() * eps[t]
    return bound


def bound_of_separate_layers(layers: Sequence[Layer]) -> Tensor:
    """Sum the lower bounds of each layer's own data.

    The response of the layer below is fixed at what the data of the layer say.
    """
    return sum(_bound_alone(layer) for layer in layers)


def _bound_alone(layer: Layer) -> Tensor:
    factorisation = layer.factorise()
    marginals = layer.marginals(*factorisation, layer.x, layer.f)
    return layer.expected_log_likelihood(*marginals) - layer.divergence(*factorisation)


def mixture(
    layers: Sequence[tuple[Layer, Tensor, Tensor]], x: Tensor, eps: Tensor
) -> tuple[Array, Array]:
    """Compute mean and variance of the last layer over samples of the layers below it.

    Parameters
    ----------
    layers : sequence of (layer, L, a)
        Layers with their factorisations.
    x : tensor of shape (n_points, d)
    eps : tensor of shape (n_layers - 1, n_samples)
        Standard normal numbers.
    """
    f = None
    for t, (layer, L, a) in enumerate(layers):
        mean, var = layer.marginals(L, a, x, f)
        if t < len(eps):
            f = mean + var.sqrt() * eps[t][:, None]
    if f is None:
        return mean.numpy(), var.numpy()
    return mean.mean(0).numpy(), (var.mean(0) + mean.var(0, correction=0)).numpy()


def _start_values(data: LayerData, start_noise_var: float) -> dict[str, Array]:
    """Where the training of a layer starts."""
    n, d = data.x.shape
    noise_var = np.full(1, start_noise_var) if data.noise_var is None else data.noise_var
    noise_var = np.maximum(noise_var, BOUNDS["noise_var"][0])
    return {
        # Those of k_delta and, above the first layer, of k_rho and of k_f.
        "lengthscales": np.ones(d if data.f is None else 2 * d + 1),
        # Those of k_delta and, above the first layer, of the linear kernel and of k_f.
        "variances": np.ones(1 if data.f is None else 3),
        "noise_var": noise_var,
        "pseudo_var": noise_var * np.ones(n),
    }


def _rbf(a: Tensor, b: Tensor, lengthscales: Tensor) -> Tensor:
    a, b = a / lengthscales, b / lengthscales
    distances = (a**2).sum(-1)[:, None] + (b**2).sum(-1) - 2.0 * a @ b.T
    return (-0.5 * distances.clamp_min(0.0)).exp()
