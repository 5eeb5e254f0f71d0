"""A small problem for the methods that other libraries compute."""

from __future__ import annotations

import logging
import random
import sys
import warnings
from contextlib import contextmanager
from importlib.util import find_spec

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from mastgp.baselines.mfk import MFK
from mastgp.baselines.nargp import NARGP

needs_botorch, needs_GPy, needs_smt = (
    pytest.mark.skipif(find_spec(name) is None, reason=f"no {name}")
    for name in ("botorch", "GPy", "smt")
)
#: What `random_state=0` makes of itself.
SEED = np.random.RandomState(0).randint(2**31 - 1)
Q = np.linspace(0.02, 0.98, 20)[:, None]
#: Fewer runs and samples than by default: the tests are about the numbers being the same.
QUICK = {NARGP: {"restarts": 2, "n_samples": 20}, MFK: {"restarts": 2}}


def cheap(x):
    return np.sin(9 * x) + x


def linear(x):
    return cheap(x) - 0.5 * x + 0.5


def table(top=linear, n_cheap=18, n_top=5):
    """One input, two fidelities that are not nested: X, y, labels."""
    x = np.concatenate([np.linspace(0, 1, n_cheap), np.linspace(0.01, 0.99, n_top)])
    labels = np.array(["coarse"] * n_cheap + ["fine"] * n_top)
    return x[:, None], np.where(labels == "fine", top(x), cheap(x)), labels


def build(model, order=("coarse", "fine"), **options):
    options = {**QUICK.get(model, {}), **options}
    return model(order=list(order), bounds=[(0, 1)], random_state=0, **options)


def state_of_the_process():
    """Everything global that a library might change."""
    import torch

    state = {
        "python": random.getstate(),
        "numpy": str(np.random.get_state()),  # noqa: NPY002
        "torch": torch.get_rng_state().tolist(),
        "dtype": torch.get_default_dtype(),
        "threads": torch.get_num_threads(),
        "filters": list(warnings.filters),
        "handlers": list(logging.root.handlers),
        "log level": (logging.root.level, logging.root.manager.disable),
        "floating point": np.geterr(),
        "stdout": sys.stdout,
    }
    if "gpytorch" in sys.modules:
        from gpytorch import settings

        state["jitter"] = settings.cholesky_jitter.value(torch.float64)
        state["fast"] = [settings.fast_pred_var.on(), settings.fast_computations.log_prob.on()]
    if "botorch" in sys.modules:
        state["scaling"] = sys.modules["botorch"].settings.validate_input_scaling.on()
    return state


def assert_same_numbers(model, direct):
    """Compare a fitted model with (mean, variance, noise variance) of the library itself at Q."""
    _, y, labels = table()
    mean, var, noise = (
        np.ravel(value.detach().numpy() if hasattr(value, "detach") else value) for value in direct
    )
    got_mean, got_std = model.predict(Q, return_std=True)
    spread = y[labels == "fine"].std()
    # The libraries' optimisers amplify rounding errors that depend on the number of threads.
    np.testing.assert_allclose(got_mean, mean, rtol=0, atol=1e-5 * spread)
    np.testing.assert_allclose(
        got_std**2, np.maximum(var, 1e-12 * y.var(ddof=1)), rtol=0.01, atol=1e-8 * spread**2
    )
    np.testing.assert_allclose(model.noise_var_, noise[0], rtol=0.01)


def relative_error(model, top):
    """Error of a fitted model as a share of the truth's spread; a GP of the top alone has 0.48."""
    truth = top(Q[:, 0])
    return np.sqrt(np.mean((model.predict(Q) - truth) ** 2)) / truth.std()


def doubled(x):
    """Top response with a factor between the fidelities."""
    return 2.0 * cheap(x) - 1.0


@contextmanager
def quiet_and_alone():
    """What a library needs to be compared with: no warnings, one thread."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        yield
