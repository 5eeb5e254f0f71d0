"""The bridge to BoTorch: the model's own posterior, gradients, fantasies, acquisition functions."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp import DataError
from mastgp.botorch import as_model
from mastgp.models import MAST
from mastgp.next.beliefs import Belief
from next.fitted import BEST, COSTS, bowl_data

torch = pytest.importorskip("torch")
pytest.importorskip("botorch")
pytestmark = pytest.mark.filterwarnings("ignore")

U = np.random.default_rng(1).random((5, 2))
LEVELS = np.array([0, 1, 1, 0, 1])


def tensor(U=U, levels=LEVELS):
    return torch.as_tensor(np.column_stack([U, levels]), dtype=torch.double)


@pytest.mark.parametrize("name", ["optimum_model", "drawn_model", "log_model", "single_model"])
def test_the_posterior_is_the_joint_belief(request, name):
    model = request.getfixturevalue(name)
    belief = Belief(model)
    levels = np.ones(5, dtype=int) if name == "single_model" else LEVELS
    seen = belief.at(U, levels)
    posterior = as_model(model).posterior(tensor(levels=levels))
    np.testing.assert_allclose(posterior.mean[:, 0], belief.mean(seen), rtol=1e-9)
    np.testing.assert_allclose(
        posterior.variance[:, 0], belief.variance(seen), rtol=1e-6, atol=1e-9
    )
    cov = posterior.mvn.covariance_matrix.detach().numpy()
    expected = belief.covariance(seen, seen)
    scale = expected.diagonal().max()
    np.testing.assert_allclose(cov, expected, atol=1e-7 * scale)


def test_a_blend_with_a_member_that_only_predicts():
    model = MAST(costs=COSTS).fit(*bowl_data())
    belief = Belief(model)
    top = np.ones(5, dtype=int)
    posterior = as_model(model).posterior(tensor(levels=top))
    box = model.training_data_.box
    seen = belief.at(box.to_unit(U), top)
    np.testing.assert_allclose(posterior.mean[:, 0], belief.mean(seen), rtol=1e-9)
    np.testing.assert_allclose(posterior.variance[:, 0], belief.variance(seen), rtol=1e-5)


@pytest.mark.parametrize("name", ["optimum_model", "drawn_model", "log_model"])
def test_gradients_by_differences(request, name):
    bridge = as_model(request.getfixturevalue(name))

    def value(X):
        posterior = bridge.posterior(X)
        return posterior.mean.sum() + posterior.mvn.covariance_matrix.sum()

    X = tensor().requires_grad_(True)
    value(X).backward()
    step = 1e-6
    for row in range(5):
        for column in range(2):
            moved = torch.zeros_like(X)
            moved[row, column] = step
            with torch.no_grad():
                numeric = float(value(X + moved) - value(X - moved)) / (2 * step)
            assert float(X.grad[row, column]) == pytest.approx(numeric, rel=1e-4, abs=1e-5)
    assert (X.grad[:, 2] == 0).all()


def test_batches_are_each_on_their_own(drawn_model):
    bridge = as_model(drawn_model)
    batch = torch.stack([tensor(), tensor(U[::-1].copy(), LEVELS[::-1].copy())])
    both = bridge.posterior(batch)
    assert both.mean.shape == (2, 5, 1)
    one = bridge.posterior(batch[1])
    np.testing.assert_allclose(both.mean[1], one.mean, rtol=1e-9)
    np.testing.assert_allclose(both.variance[1], one.variance, rtol=1e-7)
    noisy = bridge.posterior(tensor(), observation_noise=True)
    assert (noisy.variance > bridge.posterior(tensor()).variance).all()


@pytest.mark.filterwarnings("ignore::mastgp.RefitWarning")
def test_conditioning_is_an_update_of_the_model(optimum_model):
    new = np.array([[0.2, 0.8], [0.9, 0.1]])
    y = np.array([0.4, 0.3])
    grown = optimum_model.update(new, y, ["fine", "coarse"])
    conditioned = as_model(optimum_model).condition_on_observations(
        tensor(new, [1, 0]), torch.as_tensor(y[:, None])
    )
    top = tensor(levels=np.ones(5))
    posterior = conditioned.posterior(top)
    mean, std = grown.predict(U, return_std=True)
    np.testing.assert_allclose(posterior.mean[:, 0], mean, atol=1e-5)
    np.testing.assert_allclose(posterior.variance[:, 0], std**2, rtol=1e-3, atol=1e-8)
    twice = as_model(optimum_model)
    for row in range(2):
        twice = twice.condition_on_observations(
            tensor(new[row : row + 1], [1 - row]), torch.as_tensor(y[row : row + 1, None])
        )
    np.testing.assert_allclose(twice.posterior(top).mean, posterior.mean, atol=1e-7)


def test_fantasies_have_the_right_shapes_and_the_right_mean(drawn_model):
    from botorch.sampling import SobolQMCNormalSampler

    bridge = as_model(drawn_model)
    sampler = SobolQMCNormalSampler(torch.Size([256]), seed=1)
    fantasy = bridge.fantasize(tensor(U[:2], LEVELS[:2]), sampler)
    top = tensor(levels=np.ones(5))
    posterior = fantasy.posterior(top)
    assert posterior.mean.shape == (256, 5, 1)
    assert fantasy.batch_shape == (256,)
    now = bridge.posterior(top)
    np.testing.assert_allclose(posterior.mean.mean(0), now.mean, atol=1e-3)
    assert (posterior.variance[0] <= now.variance * (1 + 1e-6)).all()


def test_log_expected_improvement_finds_the_minimum(drawn_model):
    from botorch.acquisition import LogExpectedImprovement
    from botorch.optim import optimize_acqf

    bridge = as_model(drawn_model, most=2)
    best = float(drawn_model.training_data_.top.y.min())
    acquisition = LogExpectedImprovement(bridge, best_f=best, maximize=False)
    options = {"num_restarts": 2, "raw_samples": 64, "fixed_features": {2: 1.0}}
    found, _ = optimize_acqf(acquisition, bridge.bounds, q=1, **options)
    assert np.linalg.norm(found[0, :2].numpy() - BEST) < 0.2
    assert found[0, 2] == 1.0


def utilities():
    from botorch.acquisition.cost_aware import InverseCostWeightedUtility
    from botorch.acquisition.utils import project_to_target_fidelity
    from botorch.models.cost import AffineFidelityCostModel

    cost = InverseCostWeightedUtility(AffineFidelityCostModel({2: 9.0}, fixed_cost=1.0))
    return {
        "cost_aware_utility": cost,
        "project": lambda X: project_to_target_fidelity(X, {2: 1.0}, d=3),
    }


def test_multi_fidelity_max_value_entropy_with_pending_points(drawn_model):
    from botorch.acquisition.max_value_entropy_search import qMultiFidelityMaxValueEntropy

    torch.manual_seed(0)
    bridge = as_model(drawn_model, most=2)
    candidates = torch.rand(80, 3, dtype=torch.double)
    entropy = qMultiFidelityMaxValueEntropy(
        bridge, candidates, num_fantasies=4, maximize=False, **utilities()
    )
    X = tensor()[:, None].requires_grad_(True)
    values = entropy(X)
    values.sum().backward()
    assert torch.isfinite(values).all()
    assert values.max() > values.min()
    assert torch.isfinite(X.grad).all()
    entropy.set_X_pending(X.detach()[:1, 0])
    after = entropy(X.detach())
    assert torch.isfinite(after).all()


def test_multi_fidelity_knowledge_gradient_can_be_optimised(drawn_model):
    from botorch.acquisition import qMultiFidelityKnowledgeGradient
    from botorch.acquisition.objective import ScalarizedPosteriorTransform
    from botorch.optim import optimize_acqf_mixed

    torch.manual_seed(0)
    bridge = as_model(drawn_model, most=2)
    negative = ScalarizedPosteriorTransform(torch.tensor([-1.0], dtype=torch.double))
    best = -float(drawn_model.training_data_.top.y.min())
    knowledge = qMultiFidelityKnowledgeGradient(
        bridge,
        num_fantasies=4,
        current_value=torch.tensor(best, dtype=torch.double),
        posterior_transform=negative,
        **utilities(),
    )
    found, value = optimize_acqf_mixed(
        knowledge,
        bridge.bounds,
        q=1,
        fixed_features_list=[{2: 0.0}, {2: 1.0}],
        num_restarts=1,
        raw_samples=4,
        options={"maxiter": 4},
    )
    assert found.shape == (1, 3)
    assert torch.isfinite(value)


def test_points_without_a_fidelity_are_refused(optimum_model):
    with pytest.raises(DataError, match="number of the fidelity"):
        as_model(optimum_model).posterior(torch.zeros(3, 2, dtype=torch.double))
