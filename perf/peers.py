"""The peers that mastgp is timed against, each on the data of one draw.

`mast_on_botorch` is the same pipeline as `mastgp.MAST`, stage by stage, written the way a
BoTorch user would write it.
"""

from __future__ import annotations

import warnings

import botorch
import numpy as np
import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP, SingleTaskMultiFidelityGP
from botorch.models.transforms.input import Warp
from botorch.models.transforms.outcome import Standardize
from gpytorch.mlls import ExactMarginalLogLikelihood
from gpytorch.priors import LogNormalPrior

from mastgp.bench import Draw
from mastgp.data.fidelities import rank_fidelities
from mastgp.models.trust import trust_in

warnings.filterwarnings("ignore", module="botorch|gpytorch|linear_operator")
botorch.settings.validate_input_scaling._state = False  # X is scaled, y standardised


def tensor(values) -> torch.Tensor:
    return torch.as_tensor(np.asarray(values), dtype=torch.float64)


def fit_gp(X, y, noise_var=None, warp=False) -> SingleTaskGP:
    d = X.shape[1]
    prior = LogNormalPrior(0.0, 0.75**0.5)
    transform = (
        Warp(
            d=d,
            indices=list(range(d)),
            concentration0_prior=prior,
            concentration1_prior=prior,
            bounds=torch.stack([torch.zeros(d), torch.ones(d)]).double(),
        )
        if warp
        else None
    )
    model = SingleTaskGP(
        tensor(X),
        tensor(y)[:, None],
        None if noise_var is None else tensor(noise_var)[:, None],
        outcome_transform=Standardize(1),
        input_transform=transform,
    )
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def posterior(model: SingleTaskGP, X) -> tuple[np.ndarray, np.ndarray]:
    with torch.no_grad():
        p = model.posterior(tensor(X))
        return p.mean[:, 0].numpy(), p.variance[:, 0].numpy()


def learned_noise(model: SingleTaskGP) -> float:
    with torch.no_grad():
        return float(model.likelihood.noise[0] * model.outcome_transform.stdvs.squeeze() ** 2)


def mast_on_botorch(draw: Draw) -> SingleTaskGP:
    ranking = rank_fidelities(set(draw.fidelity), draw.costs)
    unit = (draw.X - draw.bounds[:, 0]) / np.ptp(draw.bounds, axis=1)
    X = {name: unit[draw.fidelity == name] for name in ranking.names}
    y = {name: draw.y[draw.fidelity == name] for name in ranking.names}
    top = ranking.top
    stage1 = {name: fit_gp(X[name], y[name]) for name in ranking.names}
    parts = []
    for name in ranking.cheaper:
        summaries = [np.column_stack(posterior(stage1[name], X[at])) for at in (top, name)]
        pooled = np.concatenate(summaries)
        low, span = pooled.min(axis=0), np.ptp(pooled, axis=0)
        Z_top, Z = (
            np.hstack([X[at], (s - low) / span])
            for at, s in zip((top, name), summaries, strict=True)
        )
        discrepancy = fit_gp(Z_top, y[top] - summaries[0][:, 0])
        delta_mean, delta_var = posterior(discrepancy, Z)
        top_mean, top_var = posterior(stage1[top], X[name])
        W = trust_in(X[name], X[top], ranking.exponents[name]).value
        mean = W * (y[name] + delta_mean) + (1 - W) * top_mean
        var = W**2 * (learned_noise(stage1[name]) + delta_var) + (1 - W) ** 2 * top_var
        parts.append((X[name], mean, np.maximum(var, learned_noise(discrepancy))))
    parts.append((X[top], y[top], np.full(len(y[top]), learned_noise(stage1[top]))))
    return fit_gp(*(np.concatenate(column) for column in zip(*parts, strict=True)), warp=True)


def botorch_multifidelity(draw: Draw) -> SingleTaskMultiFidelityGP:
    ranking = rank_fidelities(set(draw.fidelity), draw.costs)
    levels = dict(zip(ranking.names, np.linspace(0.5, 1.0, len(ranking.names)), strict=True))
    unit = (draw.X - draw.bounds[:, 0]) / np.ptp(draw.bounds, axis=1)
    level = np.array([levels[name] for name in draw.fidelity])
    model = SingleTaskMultiFidelityGP(
        tensor(np.column_stack([unit, level])),
        tensor(draw.y)[:, None],
        data_fidelities=[unit.shape[1]],
        outcome_transform=Standardize(1),
    )
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def smt_mfk(draw: Draw):
    from smt.applications.mfk import MFK

    ranking = rank_fidelities(set(draw.fidelity), draw.costs)
    model = MFK(theta0=draw.X.shape[1] * [1.0], print_global=False, n_start=10)
    for level, name in enumerate(ranking.cheaper):
        rows = draw.fidelity == name
        model.set_training_values(draw.X[rows], draw.y[rows][:, None], name=level)
    rows = draw.fidelity == ranking.top
    model.set_training_values(draw.X[rows], draw.y[rows][:, None])
    model.train()
    return model
