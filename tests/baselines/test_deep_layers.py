"""Layers of the deep GP against the paper's formulas, computed with plain inverses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from mastgp.baselines.deep_layers import (
    BOUNDS,
    Layer,
    LayerData,
    bound_of_separate_layers,
    lower_bound,
    mixture,
)

torch = pytest.importorskip("torch")


@pytest.fixture
def layers(rng):
    """Two layers in an arbitrary state, and their arrays."""
    low = Layer(LayerData(rng.random((7, 2)), None, rng.standard_normal(7), None), 0.05)
    f, y = rng.standard_normal((2, 5))
    high = Layer(LayerData(rng.random((5, 2)), f, y, None), 0.02)
    for layer in (low, high):
        for values in (*layer.log.values(), layer.pseudo_y):
            values += torch.from_numpy(0.3 * rng.standard_normal(values.shape))
    return [low, high]


def rbf(a, b, lengthscales=1.0):
    return np.exp(-0.5 * ((a - b) ** 2 / lengthscales**2).sum())


def prior_covariance(layer, x, f):
    """The paper's kernel, one pair of points at a time."""
    s, ell = layer.value("variances").numpy(), layer.value("lengthscales").numpy()
    K = np.empty((len(x), len(x)))
    for i in range(len(x)):
        for j in range(len(x)):
            K[i, j] = s[0] * rbf(x[i], x[j], ell[:2])
            if f is not None:
                of_f = s[1] * f[i] * f[j] + s[2] * rbf(f[i : i + 1], f[j : j + 1], ell[4])
                K[i, j] += rbf(x[i], x[j], ell[2:4]) * of_f
    return K


def posterior(layer):
    """Mean and covariance of q(u), and the prior's covariance, with plain inverses."""
    K = prior_covariance(layer, layer.x.numpy(), None if layer.f is None else layer.f.numpy())
    gain = K @ np.linalg.inv(K + np.diag(layer.value("pseudo_var").numpy()))
    return gain @ layer.pseudo_y.numpy(), K - gain @ K, K


def test_marginals_are_those_of_the_papers_kernel_and_q(layers, rng):
    """q(f) at new points from q(u) by the textbook formula of sparse GPs."""
    for layer in layers:
        x, f = rng.random((4, 2)), None if layer.f is None else rng.standard_normal((3, 4))
        given_f = None if f is None else torch.from_numpy(f)
        mean, var = layer.marginals(*layer.factorise(), torch.from_numpy(x), given_f)
        m, S, K = posterior(layer)
        for s in range(1 if f is None else 3):
            points = np.vstack([layer.x.numpy(), x])
            below = None if f is None else np.append(layer.f.numpy(), f[s])
            joint = prior_covariance(layer, points, below)
            A = joint[len(m) :, : len(m)] @ np.linalg.inv(K)
            expected_var = joint[len(m) :, len(m) :] - A @ (K - S) @ A.T
            np.testing.assert_allclose(mean.reshape(-1, 4)[s], A @ m, rtol=1e-8)
            np.testing.assert_allclose(var.reshape(-1, 4)[s], expected_var.diagonal(), rtol=1e-8)


def test_divergence_is_that_of_two_gaussians(layers):
    for layer in layers:
        m, S, K = posterior(layer)
        _, log_det_K = np.linalg.slogdet(K)
        _, log_det_S = np.linalg.slogdet(S)
        inverse = np.linalg.inv(K)
        expected = np.trace(inverse @ S) + m @ inverse @ m - len(m) + log_det_K - log_det_S
        assert float(layer.divergence(*layer.factorise())) == pytest.approx(0.5 * expected)


def test_bound_of_two_layers_is_the_papers(layers, rng):
    """Each fidelity's expected log likelihood at its own layer, less both divergences."""
    low, high = layers
    eps = torch.from_numpy(rng.standard_normal((6, 5)))
    mean, var = low.marginals(*low.factorise(), high.x, None)
    samples = mean + var.sqrt() * eps
    total = expected_log_likelihood(low, *low.marginals(*low.factorise(), low.x, None))
    for f in samples:
        at_own = high.marginals(*high.factorise(), high.x, f)
        total += expected_log_likelihood(high, *at_own) / len(samples)
    total -= sum(float(layer.divergence(*layer.factorise())) for layer in layers)
    assert float(lower_bound(layers, [eps])) == pytest.approx(total)


def expected_log_likelihood(layer, mean, var):
    noise_var = float(layer.value("noise_var"))
    log_density = -0.5 * np.log(2 * np.pi * noise_var) - 0.5 * (layer.y - mean) ** 2 / noise_var
    return float((log_density - 0.5 * var / noise_var).sum())


def evidence(layer):
    """Exact log marginal likelihood of a first layer's data."""
    K = prior_covariance(layer, layer.x.numpy(), None)
    cov = K + float(layer.value("noise_var")) * np.eye(len(K))
    return multivariate_normal(np.zeros(len(K)), cov).logpdf(layer.y.numpy())


def test_bound_of_one_layer_is_the_evidence_at_best(layers, rng):
    layer = layers[0]
    assert float(lower_bound([layer], [])) < evidence(layer) - 0.01
    layer.pseudo_y.copy_(layer.y)
    layer.log["pseudo_var"].fill_(float(layer.log["noise_var"]))
    assert float(lower_bound([layer], [])) == pytest.approx(evidence(layer), abs=1e-9)


def test_separate_layers_have_the_sum_of_their_bounds(layers):
    expected = 0.0
    for layer in layers:
        at_own = layer.marginals(*layer.factorise(), layer.x, layer.f)
        expected += expected_log_likelihood(layer, *at_own)
        expected -= float(layer.divergence(*layer.factorise()))
    assert float(bound_of_separate_layers(layers)) == pytest.approx(expected)


def test_mixture_has_the_moments_over_samples(layers, rng):
    x, eps = torch.from_numpy(rng.random((3, 2))), torch.from_numpy(rng.standard_normal((1, 50)))
    low, high = layers
    mean, var = low.marginals(*low.factorise(), x, None)
    values = [high.marginals(*high.factorise(), x, mean + var.sqrt() * e) for e in eps[0]]
    means, variances = (torch.stack(parts).numpy() for parts in zip(*values, strict=True))
    got = mixture([(layer, *layer.factorise()) for layer in layers], x, eps)
    np.testing.assert_allclose(got[0], means.mean(axis=0))
    np.testing.assert_allclose(got[1], variances.mean(axis=0) + means.var(axis=0))
    alone = mixture([(low, *low.factorise())], x, eps[:0])
    np.testing.assert_array_equal(alone, (mean.numpy(), var.numpy()))


def test_parameters_are_brought_back_into_their_ranges(layers, rng):
    known = Layer(LayerData(rng.random((4, 2)), None, rng.random(4), np.full(4, 0.5)), 0.1)
    for layer in (*layers, known):
        for values in layer.log.values():
            values += 50.0
        layer.keep_in_bounds()
        for name, (_, high) in BOUNDS.items():
            learned = layer.learns_noise or name != "noise_var"
            assert np.allclose(layer.value(name), high) == learned


def test_known_noise_is_not_learned(layers, rng):
    noise_var = np.linspace(0.1, 0.4, 4)
    known = Layer(LayerData(rng.random((4, 2)), None, rng.random(4), noise_var), 0.1)
    np.testing.assert_allclose(known.value("noise_var"), noise_var)
    assert len(layers[0].parameters()) == len(known.parameters()) + 1
    assert len(known.kernel_parameters()) == 2
