"""Networks side by side: their posterior's gradient, and the moments of their predictions."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp.baselines import networks
from mastgp.baselines.networks import Energy, Ensemble, backward, forward, layers_of

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("noise_var", [None, np.linspace(0.05, 0.3, 7)])
def test_gradient_is_that_of_the_negative_log_posterior(rng, noise_var):
    U, y = rng.random((7, 3)), rng.standard_normal(7)
    energy = Energy((5, 4), U, y, noise_var, torch.Generator().manual_seed(0))
    energy.update_gradient()
    parameters = energy.parameters.clone().double().requires_grad_()

    def negative_log_posterior(row):
        output, start, value = torch.as_tensor((U - 0.5) * np.sqrt(12)), 0, 0.0
        for i, (n_in, n_out) in enumerate([(3, 5), (5, 4), (4, 1)]):
            W = row[start : start + n_in * n_out].reshape(n_in, n_out)
            b = row[start + n_in * n_out : start + (n_in + 1) * n_out]
            start += (n_in + 1) * n_out
            weight_prior = torch.distributions.Normal(0.0, np.sqrt(networks.WEIGHT_VAR / n_in))
            value -= weight_prior.log_prob(W).sum()
            value -= torch.distributions.Normal(0.0, np.sqrt(networks.BIAS_VAR)).log_prob(b).sum()
            output = (output if i == 0 else output.relu()) @ W + b
        if noise_var is None:
            std = (0.5 * row[-1]).exp()
            noise_prior = torch.distributions.Normal(
                networks.LOG_NOISE_MEAN, networks.LOG_NOISE_STD
            )
            value -= noise_prior.log_prob(row[-1])
        else:
            std = torch.as_tensor(np.sqrt(noise_var))
        return (
            value - torch.distributions.Normal(output[:, 0], std).log_prob(torch.as_tensor(y)).sum()
        )

    sum(negative_log_posterior(row) for row in parameters).backward()
    expected = parameters.grad.numpy()
    np.testing.assert_allclose(energy.gradient.numpy(), expected, rtol=1e-4, atol=1e-3)


def test_layers_are_views_that_cover_all_parameters():
    parameters = torch.zeros(2, (3 + 1) * 5 + (5 + 1) * 1)
    layers = layers_of(parameters, (3, 5, 1))
    assert [tuple(part.shape) for layer in layers for part in layer] == [
        (2, 3, 5), (2, 1, 5), (2, 5, 1), (2, 1, 1)
    ]  # fmt: skip
    for layer in layers:
        for part in layer:
            part += 1.0
    assert (parameters == 1.0).all()


def test_forward_and_backward_are_those_of_torch(rng):
    parameters = torch.from_numpy(rng.standard_normal((2, 4 * 6 + 7))).requires_grad_()
    X = torch.from_numpy(rng.standard_normal((8, 3)))
    layers = layers_of(parameters, (3, 6, 1))
    (W, b), (V, c) = layers
    hidden = (X @ W + b).relu()
    outputs = forward(layers, X)
    np.testing.assert_allclose(outputs[-1].detach(), (hidden @ V + c).detach())
    delta = torch.from_numpy(rng.standard_normal((2, 8, 1)))
    (expected,) = torch.autograd.grad((outputs[-1] * delta).sum(), parameters)
    gradient = torch.zeros_like(expected)
    with torch.no_grad():
        backward(layers, forward(layers, X), delta, layers_of(gradient, (3, 6, 1)))
    np.testing.assert_allclose(gradient, expected, rtol=1e-10)


def test_start_values_have_the_priors_spread():
    generator = torch.Generator().manual_seed(0)
    energy = Energy((400,), np.zeros((2, 8)), np.zeros(2), None, generator)
    (first, bias), (last, _) = layers_of(energy.weights, energy.sizes)
    assert first.var().item() == pytest.approx(networks.WEIGHT_VAR / 8, rel=0.05)
    assert last.var().item() == pytest.approx(networks.WEIGHT_VAR / 400, rel=0.1)
    assert bias.var().item() == pytest.approx(networks.BIAS_VAR, rel=0.1)
    assert (energy.parameters[:, -1] == networks.LOG_NOISE_MEAN).all()


def test_an_ensemble_predicts_the_moments_of_its_networks(rng, monkeypatch):
    weights = torch.from_numpy(rng.standard_normal((6, 3 * 4 + 5))).float()
    ensemble = Ensemble((2, 4, 1), weights, mean=5.0, scale=3.0)
    U = rng.random((11, 2))
    single = [Ensemble((2, 4, 1), row[None], 5.0, 3.0).predict(U)[0] for row in weights]
    whole = ensemble.predict(U)
    np.testing.assert_allclose(whole[0], np.mean(single, axis=0), rtol=1e-5)
    np.testing.assert_allclose(whole[1], np.var(single, axis=0), rtol=1e-4)
    monkeypatch.setattr(networks, "CHUNK", 6 * 4 * 3)  # three points at a time
    np.testing.assert_allclose(ensemble.predict(U), whole, rtol=1e-5)
