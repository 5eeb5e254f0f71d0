"""What all methods have in common that another library computes."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone

from library_support import (
    Q,
    build,
    cheap,
    linear,
    needs_botorch,
    needs_GPy,
    needs_smt,
    state_of_the_process,
    table,
)
from mastgp import DataError, MissingExtraError
from mastgp.baselines import library
from mastgp.baselines.botorch import BoTorchAugmented, BoTorchMultiFidelity
from mastgp.baselines.mfk import MFK
from mastgp.baselines.nargp import NARGP

MODELS = [
    pytest.param(BoTorchMultiFidelity, marks=needs_botorch),
    pytest.param(BoTorchAugmented, marks=needs_botorch),
    pytest.param(NARGP, marks=needs_GPy),
    pytest.param(MFK, marks=needs_smt),
]


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    X, y, labels = table()
    return build(request.param).fit(X, y, fidelity=labels)


def test_same_random_state_gives_the_same_model_and_leaves_no_trace(fitted):
    import torch

    X, y, labels = table()
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    before = state_of_the_process()
    again = clone(fitted).fit(X, y, fidelity=labels)
    mean, std = again.predict(Q, return_std=True)
    after = state_of_the_process()
    torch.set_num_threads(threads)
    assert after == before
    expected_mean, expected_std = fitted.predict(Q, return_std=True)
    np.testing.assert_array_equal(mean, expected_mean)
    np.testing.assert_array_equal(std, expected_std)


def test_units_of_the_target_do_not_matter(fitted):
    """Scaling by a power of two is exact, so nothing but the units may change."""
    X, y, labels = table()
    scale = 2.0**-100
    other = clone(fitted).fit(X, scale * y, fidelity=labels).predict(Q, return_std=True)
    np.testing.assert_allclose(
        np.array(other) / scale, fitted.predict(Q, return_std=True), rtol=1e-6
    )


def test_blocks_do_not_change_predictions(fitted, monkeypatch):
    whole = fitted.predict(Q, return_std=True)
    monkeypatch.setattr(library, "BLOCK", 7)
    np.testing.assert_allclose(fitted.predict(Q, return_std=True), whole, rtol=1e-6, atol=1e-9)


def test_noise_is_added_on_request(fitted):
    _, latent = fitted.predict(Q, return_std=True)
    _, observed = fitted.predict(Q, return_std=True, include_noise=True)
    np.testing.assert_allclose(observed**2 - latent**2, fitted.noise_var_, atol=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_three_fidelities(model):
    x = np.concatenate([np.linspace(0, 1, 14), np.linspace(0.02, 1, 9), np.linspace(0.01, 0.99, 6)])
    labels = np.array(["a"] * 14 + ["b"] * 9 + ["c"] * 6)
    y = cheap(x) + 0.02 * np.select([labels == "a", labels == "b"], [x, -x])
    fitted = build(model, order="abc").fit(x[:, None], y, fidelity=labels)
    mean, std = fitted.predict(Q, return_std=True)
    assert np.abs(mean - cheap(Q[:, 0])).max() < 0.1 * y.std()
    assert (std > 0).all()


@pytest.mark.parametrize("model", MODELS)
def test_one_fidelity_is_a_gp_or_a_clear_error(model):
    x = np.linspace(0, 1, 12)[:, None]
    estimator = build(model, order=["data"])
    if model is BoTorchAugmented:
        with pytest.raises(DataError, match="needs a cheaper fidelity"):
            estimator.fit(x, linear(x[:, 0]))
    else:
        error = estimator.fit(x, linear(x[:, 0])).predict(Q) - linear(Q[:, 0])
        assert np.abs(error).max() < 0.1


@pytest.mark.parametrize(
    ("model", "hidden", "extra"),
    [
        (BoTorchMultiFidelity, "botorch", "botorch"),
        (BoTorchAugmented, "botorch", "botorch"),
        (NARGP, "GPy", "emukit"),
        (NARGP, "emukit", "emukit"),
        (MFK, "smt", "smt"),
    ],
)
def test_missing_library_is_named_with_the_command(model, hidden, extra, monkeypatch):
    X, y, labels = table()
    monkeypatch.setitem(sys.modules, hidden, None)
    message = rf"^this method needs '[\w.]+'; install it with pip install 'mastgp\[{extra}\]'$"
    with pytest.raises(MissingExtraError, match=message):
        build(model).fit(X, y, fidelity=labels)


def test_importing_the_baselines_imports_no_library():
    code = (
        "import sys, mastgp.baselines, mastgp.baselines.botorch, mastgp.baselines.nargp, "
        "mastgp.baselines.mfk; "
        "print({'torch', 'botorch', 'GPy', 'emukit', 'smt'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


def test_no_random_state_means_another_seed_each_time():
    model = MFK()
    assert model._draw_seed() != model._draw_seed()


def test_counts_below_one_are_named():
    library.check_at_least_one(restarts=1, n_samples=2)
    with pytest.raises(DataError, match="n_samples is 0; it must be at least 1"):
        library.check_at_least_one(restarts=1, n_samples=0)
