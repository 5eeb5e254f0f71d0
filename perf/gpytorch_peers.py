"""GPyTorch's inducing points, for `many_rows.py`: SGPR (collapsed) and SVGP (stochastic)."""

from __future__ import annotations

import gpytorch
import numpy as np
import torch

N_INDUCING = 500
#: Rows that SGPR is fitted to at most: it keeps their covariances with the inducing points.
MOST_SGPR = 20_000
SGPR_STEPS, SVGP_EPOCHS, BATCH = 60, 6, 1024


class Sgpr(gpytorch.models.ExactGP):
    """Titsias's bound."""

    def __init__(self, X: torch.Tensor, y: torch.Tensor, likelihood: object) -> None:
        super().__init__(X, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        base = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=X.shape[1]))
        self.covar_module = gpytorch.kernels.InducingPointKernel(
            base, inducing_points=X[:N_INDUCING].clone(), likelihood=likelihood
        )

    def forward(self, X: torch.Tensor) -> object:
        return gpytorch.distributions.MultivariateNormal(self.mean_module(X), self.covar_module(X))


class Svgp(gpytorch.models.ApproximateGP):
    """Hensman's bound, by minibatches."""

    def __init__(self, inducing: torch.Tensor) -> None:
        variational = gpytorch.variational.CholeskyVariationalDistribution(len(inducing))
        super().__init__(gpytorch.variational.VariationalStrategy(self, inducing, variational))
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(
            gpytorch.kernels.RBFKernel(ard_num_dims=inducing.shape[1])
        )

    def forward(self, X: torch.Tensor) -> object:
        return gpytorch.distributions.MultivariateNormal(self.mean_module(X), self.covar_module(X))


def predict(
    kind: str, U: np.ndarray, y: np.ndarray, Q: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the response at points."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    mean, scale = y.mean(), y.std()
    X, z = torch.tensor(U), torch.tensor((y - mean) / scale)
    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    fit = _sgpr if kind == "sgpr" else _svgp
    model = fit(X, z, likelihood)
    model.eval()
    with torch.no_grad():
        found = model(torch.tensor(Q))
    return mean + scale * found.mean.numpy(), scale**2 * found.variance.numpy()


def _sgpr(X: torch.Tensor, z: torch.Tensor, likelihood: object) -> object:
    X, z = X[:MOST_SGPR], z[:MOST_SGPR]
    model = Sgpr(X, z, likelihood).double().train()
    bound = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(SGPR_STEPS):
        optimiser.zero_grad()
        loss = -bound(model(X), z)
        loss.backward()
        optimiser.step()
    return model


def _svgp(X: torch.Tensor, z: torch.Tensor, likelihood: object) -> object:
    model = Svgp(X[:N_INDUCING].clone()).double().train()
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, len(z))
    parameters = [*model.parameters(), *likelihood.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=0.02)
    for _ in range(SVGP_EPOCHS):
        for rows in torch.randperm(len(z)).split(BATCH):
            optimiser.zero_grad()
            loss = -bound(model(X[rows]), z[rows])
            loss.backward()
            optimiser.step()
    return model
