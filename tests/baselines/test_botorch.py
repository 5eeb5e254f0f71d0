"""BoTorch behind the estimator's interface."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from library_support import (
    SEED,
    Q,
    assert_same_numbers,
    build,
    cheap,
    linear,
    needs_botorch,
    quiet_and_alone,
    relative_error,
    table,
)
from mastgp import DataError, MissingExtraError
from mastgp.baselines.botorch import BoTorchAugmented, BoTorchMultiFidelity

pytestmark = needs_botorch


@pytest.fixture(scope="module", params=[BoTorchMultiFidelity, BoTorchAugmented])
def fitted(request):
    X, y, labels = table()
    return build(request.param).fit(X, y, fidelity=labels)


def direct_botorch(X, y, level):
    import torch
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskMultiFidelityGP
    from gpytorch.mlls import ExactMarginalLogLikelihood

    rows = torch.tensor(np.column_stack([X, np.where(level == 1, 1.0, 0.5)]))
    torch.manual_seed(SEED)
    model = SingleTaskMultiFidelityGP(rows, torch.tensor(y)[:, None], data_fidelities=[1])
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    posterior = model.posterior(torch.tensor(np.column_stack([Q, np.ones(len(Q))])))
    noise = model.likelihood.noise * model.outcome_transform.stdvs.squeeze() ** 2
    return posterior.mean, posterior.variance, noise


def direct_augmented(X, y, level):
    import torch
    from botorch.fit import fit_gpytorch_mll
    from botorch_community.models.gp_regression_multisource import SingleTaskAugmentedGP
    from gpytorch.mlls import ExactMarginalLogLikelihood

    mean, scale = y[level == 1].mean(), y[level == 1].std(ddof=1)
    rows = torch.tensor(np.column_stack([X, level]))
    torch.manual_seed(SEED)
    model = SingleTaskAugmentedGP(rows, torch.tensor((y - mean) / scale)[:, None])
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    posterior = model.posterior(torch.tensor(Q))
    noise = model.likelihood.noise * scale**2
    return mean + scale * posterior.mean, scale**2 * posterior.variance, noise


def test_the_numbers_are_the_librarys_own(fitted):
    X, y, labels = table()
    direct = direct_botorch if isinstance(fitted, BoTorchMultiFidelity) else direct_augmented
    with quiet_and_alone():
        numbers = direct(X, y, (labels == "fine").astype(float))
    assert_same_numbers(fitted, numbers)


def test_linear_relation_is_recovered(fitted):
    """As far as the method can: the augmented GP chooses cheap points, but corrects none."""
    limit = {BoTorchMultiFidelity: 0.005, BoTorchAugmented: 0.4}
    assert relative_error(fitted, linear) < limit[type(fitted)]


def test_augmented_gp_takes_only_cheap_points_that_agree():
    X, y, labels = table(cheap)
    model = build(BoTorchAugmented, n_std=3.0).fit(X, y, fidelity=labels)
    assert len(model.model_.train_targets) > 5
    X, y, labels = table(lambda x: cheap(x) + 9.0)
    model = build(BoTorchAugmented).fit(X, y, fidelity=labels)
    assert len(model.model_.train_targets) == 5
    with pytest.raises(DataError, match="n_std is -1"):
        build(BoTorchAugmented, n_std=-1).fit(X, y, fidelity=labels)


@pytest.mark.parametrize("model", [BoTorchMultiFidelity, BoTorchAugmented])
def test_known_noise_reaches_botorch(model):
    X, y, labels = table()
    rows = np.where(labels == "fine", 0.2, np.linspace(0.01, 0.1, len(y)))
    fitted = build(model).fit(X, y, fidelity=labels, noise_std=rows)
    assert fitted.noise_var_ == pytest.approx(0.04)
    transform = getattr(fitted.model_, "outcome_transform", None)
    scale = fitted.y_scale_ * (1.0 if transform is None else transform.stdvs.item())
    seen = fitted.model_.likelihood.noise.detach().numpy().ravel() * scale**2
    np.testing.assert_allclose(seen[-5:], 0.04)
    if model is BoTorchMultiFidelity:
        np.testing.assert_allclose(seen[:18], rows[:18] ** 2)


def test_torchs_switches_do_not_matter():
    """Gradients off, or another device than the CPU by default."""
    import torch

    X, y, labels = table()
    expected = build(BoTorchMultiFidelity).fit(X, y, fidelity=labels).predict(X)
    with torch.no_grad(), torch.device("meta"):
        got = build(BoTorchMultiFidelity).fit(X, y, fidelity=labels).predict(X)
        assert not torch.is_grad_enabled()
        assert torch.get_default_device().type == "meta"
    np.testing.assert_allclose(got, expected)


def test_botorch_without_its_community_part(monkeypatch):
    X, y, labels = table()
    monkeypatch.setitem(sys.modules, "botorch_community", None)
    with pytest.raises(MissingExtraError, match="gp_regression_multisource"):
        build(BoTorchAugmented).fit(X, y, fidelity=labels)
