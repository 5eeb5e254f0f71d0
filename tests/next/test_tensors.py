"""Processes in PyTorch: the engine's own numbers, and gradients by differences."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp.gp.responses import Logarithm, YeoJohnson
from mastgp.models import FIRE, CoKriging
from mastgp.next.beliefs import Belief
from mastgp.next.slopes import moments_of
from mastgp.next.tensors import TorchProcess, tensor_mean, tensor_moments
from next.fitted import COSTS, bowl_data

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("kernel", ["rbf", "matern52"])
@pytest.mark.parametrize("warp", ["kumaraswamy", None])
def test_a_process_is_the_engines(rng, kernel, warp):
    model = CoKriging(costs=COSTS, inference="map", kernel=kernel, warp=warp).fit(*bowl_data())
    check_process(model, rng.uniform(-0.1, 1.1, (6, 2)), np.array([0, 1, 1, 0, 1, 0]))


def test_categories_are_the_engines(mixed_model, rng):
    U = np.column_stack([rng.random(5), rng.random(5), rng.integers(0, 3, 5) / 2])
    check_process(mixed_model, U, np.array([0, 1, 1, 0, 1]))


def check_process(model, U, levels):
    belief = Belief(model)
    part = TorchProcess(belief.processes[0], belief.groups[0].tolist(), belief.noises[0])
    mean, cov, noise, modelled = part.joint(torch.as_tensor(U), torch.as_tensor(levels))
    seen = belief.at(U, levels)
    np.testing.assert_allclose(mean, seen.means[0], rtol=1e-9)
    np.testing.assert_allclose(cov, belief.of_process(0, seen, seen), atol=1e-9)
    np.testing.assert_allclose(noise, seen.noises[0])
    assert bool(modelled.all())


@pytest.mark.parametrize(
    "response", [None, Logarithm(), YeoJohnson(0.5, 1.0, 2.0), YeoJohnson(1.5)]
)
def test_moments_are_those_of_arrays(response):
    mean, var = np.array([-0.7, 0.2, 1.1]), np.array([0.1, 0.3, 0.02])
    found = tensor_moments(response, torch.as_tensor(mean), torch.as_tensor(var))
    for tensor, array in zip(found, moments_of(response, mean, var), strict=True):
        np.testing.assert_allclose(tensor, array, rtol=1e-9)


def test_estimators_that_are_no_processes_have_gradients(rng):
    model = FIRE(costs=COSTS).fit(*bowl_data())
    U = torch.as_tensor(rng.uniform(0.1, 0.9, (2, 3, 2)), dtype=torch.double).requires_grad_(True)
    mean = tensor_mean(model, U)
    assert mean.shape == (2, 3)
    mean.sum().backward()
    step = 1e-5
    for column in range(2):
        moved = np.zeros(2)
        moved[column] = step
        flat = U.detach().numpy().reshape(-1, 2)
        numeric = (model.mean_unit(flat + moved) - model.mean_unit(flat - moved)) / (2 * step)
        np.testing.assert_allclose(U.grad[..., column].ravel(), numeric, rtol=1e-3, atol=1e-5)
