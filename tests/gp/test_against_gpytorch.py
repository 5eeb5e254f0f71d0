"""The engine against GPyTorch and BoTorch on the same data."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp.gp import Component, GaussianProcess, Model
from mastgp.gp.likelihood import Objective

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def libraries():
    import botorch
    import gpytorch

    return botorch, gpytorch


def standardised(y: np.ndarray) -> np.ndarray:
    return (y - y.mean()) / y.std(ddof=1)


def tensor(values):
    return torch.as_tensor(np.asarray(values), dtype=torch.float64)


def exact_gp(gpytorch, X, y, kernel, lengthscales, noise, mean):
    """An ExactGP with all hyperparameters set; `noise` is a scalar or one value per point."""

    class ExactGP(gpytorch.models.ExactGP):
        def __init__(self, likelihood):
            super().__init__(tensor(X), tensor(y), likelihood)
            self.mean_module = gpytorch.means.ConstantMean()
            base = gpytorch.kernels.RBFKernel if kernel == "rbf" else gpytorch.kernels.MaternKernel
            self.covar_module = base(ard_num_dims=X.shape[1])

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(x), self.covar_module(x)
            )

    noises = np.broadcast_to(noise, len(y))
    model = ExactGP(gpytorch.likelihoods.FixedNoiseGaussianLikelihood(tensor(noises.copy())))
    model = model.double()
    model.covar_module.lengthscale = tensor(lengthscales)
    model.mean_module.constant = float(mean)
    return model


@pytest.mark.parametrize("kernel", ["rbf", "matern52"])
@pytest.mark.parametrize("warp", [False, True])
@pytest.mark.parametrize("learn_noise", [False, True])
def test_objective_mean_and_variance(rng, libraries, kernel, warp, learn_noise):
    _, gpytorch = libraries
    n, d = 40, 3
    X, Q, y = rng.random((n, d)), rng.random((60, d)), rng.standard_normal(n)
    noise_var = None if learn_noise else rng.uniform(0.01, 0.3, n)
    model = Model(d, (Component(kernel=kernel),), warp=warp, learn_noise=learn_noise)
    gp = GaussianProcess.fit(model, X, y, noise_var=noise_var)
    ours_mean, ours_var = gp.predict(Q)
    p = gp.parameters
    if warp:
        from botorch.models.transforms.input import Warp

        transform = Warp(
            d=d, indices=list(range(d)), eps=1e-15, bounds=tensor([[0.0] * d, [1.0] * d])
        )
        transform.concentration1.data = tensor(p.warp_a)
        transform.concentration0.data = tensor(p.warp_b)
        with torch.no_grad():
            X, Q = (transform.transform(tensor(v)).numpy() for v in (X, Q))
    noise = p.noise_var[0] if learn_noise else noise_var / gp.y_scale**2
    beta = float(gp._factorisation.beta[0])
    peer = exact_gp(gpytorch, X, standardised(y), kernel, p.lengthscales[0], noise, beta)

    with gpytorch.settings.fast_computations(False, False, False), torch.no_grad():
        peer.train()
        density = peer.likelihood(peer(tensor(X))).log_prob(tensor(standardised(y)))
        peer.eval()
        posterior = peer(tensor(Q))
        mean, var = posterior.mean.numpy(), posterior.variance.numpy()

    objective = Objective(model, gp._data)
    assert objective.log_likelihood(p) == pytest.approx(float(density), rel=1e-8)
    ours_mean = (ours_mean - gp.y_mean) / gp.y_scale
    np.testing.assert_allclose(ours_mean, mean, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours_var / gp.y_scale**2, var, rtol=1e-8, atol=1e-8 * var.max())


@pytest.mark.parametrize("fixed", [False, True])
def test_same_optimum_as_single_task_gp(rng, libraries, fixed):
    botorch, gpytorch = libraries
    from botorch.models.transforms.outcome import Standardize

    X = rng.random((30, 3))
    y = np.sin(4 * X[:, 0]) + X[:, 1] ** 2 + 0.05 * rng.standard_normal(30)
    noise_var = np.full(30, 0.05**2) if fixed else None
    peer = botorch.models.SingleTaskGP(
        tensor(X),
        tensor(y)[:, None],
        None if noise_var is None else tensor(noise_var)[:, None],
        outcome_transform=Standardize(1),
    )
    mll = gpytorch.mlls.ExactMarginalLogLikelihood(peer.likelihood, peer)
    botorch.fit.fit_gpytorch_mll(mll)
    gp = GaussianProcess.fit(Model(3, learn_noise=not fixed), X, y, noise_var=noise_var)

    peer.train()
    with torch.no_grad():
        theirs = -float(mll(peer(*peer.train_inputs), peer.train_targets))
    assert gp.report.objective == pytest.approx(theirs, abs=1e-5)
    lengthscales = peer.covar_module.lengthscale.detach().numpy()[0]
    np.testing.assert_allclose(gp.lengthscales, lengthscales, rtol=5e-3)
