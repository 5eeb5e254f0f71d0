"""Emukit's NARGP behind the estimator's interface."""

from __future__ import annotations

import numpy as np
import pytest

from library_support import (
    SEED,
    Q,
    assert_same_numbers,
    build,
    doubled,
    linear,
    needs_GPy,
    quiet_and_alone,
    relative_error,
    table,
)
from mastgp import DataError
from mastgp.baselines.nargp import NARGP

pytestmark = needs_GPy


def direct_nargp(X, y, level):
    import GPy
    from emukit.multi_fidelity.models.non_linear_multi_fidelity_model import (
        NonLinearMultiFidelityModel,
        make_non_linear_kernels,
    )

    mean, scale = y.mean(), y.std(ddof=1)
    np.random.seed(SEED)  # noqa: NPY002
    kernels = make_non_linear_kernels(GPy.kern.RBF, 2, 1)
    rows = np.column_stack([X, level])
    model = NonLinearMultiFidelityModel(
        rows, (y[:, None] - mean) / scale, 2, kernels, n_samples=20, optimization_restarts=2
    )
    model.optimize()
    model.models[0].Gaussian_noise.unfix()
    model.optimize()
    z_mean, z_var = model.predict(np.column_stack([Q, np.ones(len(Q))]))
    noise = model.models[1].Gaussian_noise.variance[0] * scale**2
    return mean + scale * z_mean, scale**2 * z_var - noise, noise


def test_the_numbers_are_the_librarys_own():
    X, y, labels = table()
    model = build(NARGP).fit(X, y, fidelity=labels)
    with quiet_and_alone():
        numbers = direct_nargp(X, y, (labels == "fine").astype(float))
    assert_same_numbers(model, numbers)


@pytest.mark.parametrize("top", [linear, doubled])
def test_linear_relation_is_recovered(top):
    X, y, labels = table(top)
    assert relative_error(build(NARGP).fit(X, y, fidelity=labels), top) < 1e-3


def test_nargp_learns_a_square():
    """The nonlinear benchmark of Perdikaris et al. (2017), section 3a."""

    def low(x):
        return np.sin(8 * np.pi * x)

    def high(x):
        return (x - np.sqrt(2)) * low(x) ** 2

    x = np.concatenate([np.linspace(0, 1, 50), np.linspace(0, 1, 14)])
    labels = np.array(["coarse"] * 50 + ["fine"] * 14)
    y = np.where(labels == "fine", high(x), low(x))
    assert relative_error(build(NARGP).fit(x[:, None], y, fidelity=labels), high) < 0.05


def test_nargp_refuses_what_emukit_cannot_do():
    X, y, labels = table()
    with pytest.raises(DataError, match="n_samples is 0"):
        build(NARGP, n_samples=0).fit(X, y, fidelity=labels)
    names = list("abcd")
    with pytest.raises(DataError, match="3 fidelities at most; these data have 4"):
        NARGP(order=names).fit(X[:20], y[:20], fidelity=names * 5)


def test_known_noise_is_fixed_in_nargp():
    X, y, labels = table()
    model = build(NARGP, restarts=1, noise_std={"fine": 0.2}).fit(X, y, fidelity=labels)
    assert model.noise_var_ == pytest.approx(0.04)
    assert model.model_.models[1].Gaussian_noise.variance.is_fixed
    assert not model.model_.models[0].Gaussian_noise.variance.is_fixed
