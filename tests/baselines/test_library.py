"""The libraries behind the estimator's interface: their own numbers, and no trace of them."""

from __future__ import annotations

import logging
import random
import subprocess
import sys
import warnings
from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from mastgp import DataError, MissingExtraError
from mastgp.baselines import library as _libraries
from mastgp.baselines.botorch import BoTorchAugmented, BoTorchMultiFidelity
from mastgp.baselines.mfk import MFK
from mastgp.baselines.nargp import NARGP
from mastgp.errors import FitWarning
from mastgp.libraries import untouched

NEEDS = {BoTorchMultiFidelity: "botorch", BoTorchAugmented: "botorch", NARGP: "GPy", MFK: "smt"}
MODELS = [
    pytest.param(model, marks=pytest.mark.skipif(find_spec(name) is None, reason=f"no {name}"))
    for model, name in NEEDS.items()
]
needs_botorch, needs_GPy, needs_smt = (
    pytest.mark.skipif(find_spec(name) is None, reason=f"no {name}")
    for name in ("botorch", "GPy", "smt")
)
#: What `random_state=0` makes of itself.
SEED = np.random.RandomState(0).randint(2**31 - 1)
Q = np.linspace(0.02, 0.98, 20)[:, None]


def cheap(x):
    return np.sin(9 * x) + x


def linear(x):
    return cheap(x) - 0.5 * x + 0.5


def table(top=linear, n_cheap=18, n_top=5):
    """One input, two fidelities that are not nested: X, y, labels."""
    x = np.concatenate([np.linspace(0, 1, n_cheap), np.linspace(0.01, 0.99, n_top)])
    labels = np.array(["coarse"] * n_cheap + ["fine"] * n_top)
    return x[:, None], np.where(labels == "fine", top(x), cheap(x)), labels


#: Fewer runs and samples than by default: the tests are about the numbers being the same.
QUICK = {NARGP: {"restarts": 2, "n_samples": 20}, MFK: {"restarts": 2}}


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


@pytest.fixture(scope="module", params=MODELS)
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


def direct_mfk(X, y, level):
    from smt.applications.mfk import MFK as SMT

    model = SMT(
        theta0=[1.0], n_start=2, eval_noise=True, noise0=[1e-4], noise_bounds=[1e-8, 10.0],
        hyper_opt="Cobyla", print_global=False, seed=SEED,
    )  # fmt: skip
    model.set_training_values(X[level == 0], y[level == 0], name=0)
    model.set_training_values(X[level == 1], y[level == 1])
    model.train()
    noise = model.optimal_noise_all[1] * model.optimal_par[1]["sigma2"]
    return model.predict_values(Q), model.predict_variances(Q), noise


DIRECT = {
    BoTorchMultiFidelity: direct_botorch,
    BoTorchAugmented: direct_augmented,
    NARGP: direct_nargp,
    MFK: direct_mfk,
}


def test_the_numbers_are_the_librarys_own(fitted):
    X, y, labels = table()
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        mean, var, noise = (
            np.ravel(value.detach().numpy() if hasattr(value, "detach") else value)
            for value in DIRECT[type(fitted)](X, y, (labels == "fine").astype(float))
        )
    got_mean, got_std = fitted.predict(Q, return_std=True)
    spread = y[labels == "fine"].std()
    # The libraries' optimisers pass on what rounding another number of threads makes.
    np.testing.assert_allclose(got_mean, mean, rtol=0, atol=1e-5 * spread)
    np.testing.assert_allclose(
        got_std**2, np.maximum(var, 1e-12 * y.var(ddof=1)), rtol=0.01, atol=1e-8 * spread**2
    )
    np.testing.assert_allclose(fitted.noise_var_, noise[0], rtol=0.01)


def error_of(model, top):
    """Error of a fitted model as a share of the truth's spread; a GP of the top alone has 0.48."""
    truth = top(Q[:, 0])
    return np.sqrt(np.mean((model.predict(Q) - truth) ** 2)) / truth.std()


def test_linear_relation_is_recovered(fitted):
    """As far as the method can: the augmented GP chooses cheap points, but corrects none."""
    limit = {BoTorchMultiFidelity: 0.005, BoTorchAugmented: 0.4, NARGP: 1e-3, MFK: 1e-3}
    assert error_of(fitted, linear) < limit[type(fitted)]


@pytest.mark.parametrize("model", MODELS[2:])
def test_factor_between_fidelities_is_learned(model):
    def doubled(x):
        return 2.0 * cheap(x) - 1.0

    X, y, labels = table(doubled)
    assert error_of(build(model).fit(X, y, fidelity=labels), doubled) < 1e-3


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
    monkeypatch.setattr(_libraries, "BLOCK", 7)
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


@needs_botorch
def test_augmented_gp_takes_only_cheap_points_that_agree():
    X, y, labels = table(cheap)
    model = build(BoTorchAugmented, n_std=3.0).fit(X, y, fidelity=labels)
    assert len(model.model_.train_targets) > 5
    X, y, labels = table(lambda x: cheap(x) + 9.0)
    model = build(BoTorchAugmented).fit(X, y, fidelity=labels)
    assert len(model.model_.train_targets) == 5
    with pytest.raises(DataError, match="n_std is -1"):
        build(BoTorchAugmented, n_std=-1).fit(X, y, fidelity=labels)


@needs_GPy
def test_nargp_learns_a_square():
    """The nonlinear benchmark of Perdikaris et al. (2017), section 3a."""

    def low(x):
        return np.sin(8 * np.pi * x)

    def high(x):
        return (x - np.sqrt(2)) * low(x) ** 2

    x = np.concatenate([np.linspace(0, 1, 50), np.linspace(0, 1, 14)])
    labels = np.array(["coarse"] * 50 + ["fine"] * 14)
    y = np.where(labels == "fine", high(x), low(x))
    assert error_of(build(NARGP).fit(x[:, None], y, fidelity=labels), high) < 0.05


@needs_GPy
def test_nargp_refuses_what_emukit_cannot_do():
    X, y, labels = table()
    with pytest.raises(DataError, match="n_samples is 0"):
        build(NARGP, n_samples=0).fit(X, y, fidelity=labels)
    names = list("abcd")
    with pytest.raises(DataError, match="3 fidelities at most; these data have 4"):
        NARGP(order=names).fit(X[:20], y[:20], fidelity=names * 5)


@needs_smt
def test_mfk_names_the_fidelity_that_is_too_small():
    X, y, labels = table()
    few = np.r_[0:18, 18, 22]
    with (
        pytest.warns(match="only 2 point"),
        pytest.raises(DataError, match=r"fidelity 'fine' has 2 point.* at least 3"),
    ):
        build(MFK).fit(X[few], y[few], fidelity=labels[few])


@needs_smt
def test_mfk_says_what_smt_cannot_do():
    X, y, labels = table()
    with (
        pytest.warns(match="is 1 in every row"),
        pytest.raises(DataError, match="SMT cannot model these data: F is too ill conditioned"),
    ):
        build(MFK).fit(X, np.where(labels == "coarse", 1.0, y), fidelity=labels)


@needs_smt
def test_mfk_says_that_known_noise_is_not_used():
    X, y, labels = table()
    with pytest.warns(FitWarning, match="known noise of fidelity 'fine' is not used: MFK"):
        build(MFK, noise_std={"fine": 0.1}).fit(X, y, fidelity=labels)


@needs_botorch
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


@needs_GPy
def test_known_noise_is_fixed_in_nargp():
    X, y, labels = table()
    model = build(NARGP, restarts=1, noise_std={"fine": 0.2}).fit(X, y, fidelity=labels)
    assert model.noise_var_ == pytest.approx(0.04)
    assert model.model_.models[1].Gaussian_noise.variance.is_fixed
    assert not model.model_.models[0].Gaussian_noise.variance.is_fixed


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


def test_a_broken_library_is_not_called_missing(monkeypatch, tmp_path):
    (tmp_path / "smt").mkdir()
    (tmp_path / "smt" / "__init__.py").write_text("raise ImportError('libfoo.so is too old')")
    for name in [m for m in sys.modules if m.partition(".")[0] == "smt"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    X, y, labels = table()
    with pytest.raises(MissingExtraError, match=r"installed but cannot .*: libfoo\.so is too old$"):
        build(MFK).fit(X, y, fidelity=labels)


@needs_botorch
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


@needs_botorch
def test_botorch_without_its_community_part(monkeypatch):
    X, y, labels = table()
    monkeypatch.setitem(sys.modules, "botorch_community", None)
    with pytest.raises(MissingExtraError, match="gp_regression_multisource"):
        build(BoTorchAugmented).fit(X, y, fidelity=labels)


def test_importing_the_rivals_imports_no_library():
    code = (
        "import sys, mastgp.baselines, mastgp.baselines.botorch, mastgp.baselines.nargp, "
        "mastgp.baselines.mfk; "
        "print({'torch', 'botorch', 'GPy', 'emukit', 'smt'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


@needs_botorch
@pytest.mark.parametrize("n_points", [10, 10_000])
def test_untouched_puts_everything_back_even_after_an_error(n_points, capfd):
    import torch

    def misbehave():
        if n_points == 10:
            assert torch.get_num_threads() == 1
        torch.set_default_dtype(torch.float16)
        torch.set_num_threads(3)
        warnings.warn("nobody hears this", stacklevel=1)
        warnings.simplefilter("always")
        logging.root.handlers.clear()
        logging.warning("nor this")
        draw()
        raise KeyError

    before = state_of_the_process()
    with pytest.raises(KeyError), untouched(seed=3, n_points=n_points):
        misbehave()
    assert state_of_the_process() == before
    assert "nor this" not in capfd.readouterr().err


def draw():
    """One number of each global generator."""
    import torch

    return random.random(), np.random.rand(), torch.rand(1).item()  # noqa: NPY002


@needs_botorch
def test_untouched_seeds_every_generator():
    draws = []
    for _ in range(2):
        draw()
        with untouched(seed=3):
            draws.append(draw())
    assert draws[0] == draws[1]


def test_no_random_state_means_another_seed_each_time():
    model = MFK()
    assert model._draw_seed() != model._draw_seed()
