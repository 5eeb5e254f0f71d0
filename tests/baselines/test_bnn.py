"""The multi-fidelity Bayesian network as an estimator."""

from __future__ import annotations

import random
import warnings
from itertools import count

import numpy as np
import pytest
from sklearn.base import clone

from mastgp.baselines.bnn import MFBNN, fit_line
from mastgp.baselines.networks import BIAS_VAR, NETWORKS, WEIGHT_VAR
from mastgp.errors import (
    DataError,
    ExtrapolationWarning,
    FewPointsWarning,
    FitWarning,
    MastError,
)
from mastgp.progress import listening

torch = pytest.importorskip("torch")

#: Enough for what is tested here; the defaults are for accuracy.
SHORT = {"lf_epochs": 1000, "iterations": 2000, "burn_in": 1000, "thinning": 20}
#: Where only the mechanics are tested.
TINY = {"hidden": (4,), "lf_epochs": 50, "iterations": 60, "burn_in": 20, "thinning": 10}
GRID = np.linspace(0.0, 1.0, 201)


def published_high(x):
    """Expensive function of the publication's one-dimensional example."""
    return np.sin(8 * np.pi * x) ** 2 * (x - np.sqrt(2))


def published_low(x):
    """Its cheap function that is related linearly."""
    return 1.2 * published_high(x) - 0.5


def forrester(x):
    return (6 * x - 2) ** 2 * np.sin(12 * x - 4)


def cheap_forrester(x):
    return 0.5 * forrester(x) + 10 * (x - 0.5) - 5


def fitted(functions, points, noise_std=0.0, **options):
    """Model of one-dimensional functions, cheapest first, at equidistant or given points."""
    rng = np.random.default_rng(1)
    X, y, labels = [], [], []
    for name, (function, x) in enumerate(zip(functions, points, strict=True)):
        X.append(x)
        y.append(function(x) + noise_std * rng.standard_normal(len(x)))
        labels += [str(name)] * len(x)
    model = MFBNN(order=sorted(set(labels)), random_state=0, **{**SHORT, **options})
    return model.fit(np.concatenate(X)[:, None], np.concatenate(y), fidelity=labels)


def relative_error(model, truth, x=GRID):
    """Root mean square error in standard deviations of the truth."""
    return np.sqrt(np.mean((model.predict(x[:, None]) - truth(x)) ** 2)) / truth(x).std()


def tiny_model(two_fidelities, **options):
    X, y, labels, _ = two_fidelities
    model = MFBNN(order=["coarse", "fine"], **{**TINY, "random_state": 3, **options})
    return model.fit(X, y, fidelity=labels)


def test_linear_model_has_the_exact_posterior():
    """Without hidden layers the posterior is that of Bayesian linear regression."""
    rng, noise_std = np.random.default_rng(0), 0.3
    X = rng.random((15, 2))
    y = 1 + 2 * X[:, 0] - X[:, 1] + noise_std * rng.standard_normal(15)
    model = MFBNN(
        hidden=(),
        iterations=14_000,
        burn_in=6000,
        thinning=20,
        noise_std={"data": noise_std},
        bounds=[(0, 1)] * 2,
        random_state=0,
    ).fit(X, y)
    Q = np.array([[0, 0], [0.5, 0.5], [1, 1], [0, 1]])
    mean, std = model.predict(Q, return_std=True)

    def basis(X):
        return np.column_stack([(X - 0.5) * np.sqrt(12), np.ones(len(X))])

    scale = y.std()
    noise_precision = (scale / noise_std) ** 2
    prior_precision = np.diag([2 / WEIGHT_VAR] * 2 + [1 / BIAS_VAR])
    cov = np.linalg.inv(noise_precision * basis(X).T @ basis(X) + prior_precision)
    weights = noise_precision * cov @ basis(X).T @ (y - y.mean()) / scale
    exact_std = scale * np.sqrt(np.diag(basis(Q) @ cov @ basis(Q).T))
    exact_mean = y.mean() + scale * basis(Q) @ weights
    # Four correlated chains: over seeds the mean is off by up to a quarter of the deviation.
    np.testing.assert_allclose((mean - exact_mean) / exact_std, 0.0, atol=0.3)
    np.testing.assert_allclose(std, exact_std, rtol=0.15)


def test_published_example_recovers_the_line_and_the_function():
    """The publication's setting: 201 cheap and 11 expensive points, noise 0.05."""
    points = [np.linspace(0, 1, 201), np.linspace(0.05, 0.95, 11)]
    options = {"noise_std": 0.05, "lf_epochs": 2000}
    model = fitted([published_low, published_high], points, **options)
    alone = fitted([published_high], points[1:], **options)
    np.testing.assert_allclose(model.beta_, [0.5 / 1.2, 1 / 1.2], atol=0.05)
    assert relative_error(model, published_high) < 0.2
    assert relative_error(alone, published_high, points[0][10:-10]) > 0.8


@pytest.mark.filterwarnings("ignore::mastgp.FewPointsWarning")
def test_forrester_is_recovered_better_with_cheap_data():
    """Forrester et al. (2007): four expensive points, 11 cheap ones."""
    points = [np.linspace(0, 1, 11), np.array([0.0, 0.4, 0.6, 1.0])]
    model = fitted([cheap_forrester, forrester], points)
    alone = fitted([forrester], points[1:])
    assert relative_error(model, forrester) < 0.7 * relative_error(alone, forrester)


def test_nonlinear_residual_is_learned():
    def low(x):
        return np.sin(6 * x)

    def high(x):
        return 2 * low(x) + 1 + 2 * np.abs(x - 0.5)

    points = [np.linspace(0, 1, 40), np.linspace(0, 1, 12)]
    model = fitted([low, high], points)
    assert relative_error(model, high) < 0.1
    line = model.beta_[0] + model.beta_[1] * low(GRID)
    assert np.sqrt(np.mean((line - high(GRID)) ** 2)) / high(GRID).std() > 0.15


def test_three_fidelities_are_a_chain():
    """The expensive function is linear in the middle one, which is not linear in the cheapest."""

    def low(x):
        return np.sin(9 * x)

    def mid(x):
        return low(x) + 3 * np.abs(x - 0.5)

    def high(x):
        return 2 * mid(x) - 1

    points = [np.linspace(0, 1, 40), np.linspace(0, 1, 20), np.linspace(0, 1, 5)]
    model = fitted([low, mid, high], points)
    assert len(model.trend_) == 2
    np.testing.assert_array_equal(model.trend_[0].beta, 0.0)
    np.testing.assert_allclose(model.beta_, [-1, 2], atol=0.15)
    assert relative_error(model, high) < 0.15
    skipping = fitted([low, high], [points[0], points[2]])
    assert relative_error(model, high) < 0.5 * relative_error(skipping, high)


def test_line_is_that_of_least_squares(rng):
    base, y = 1e3 + 5 * rng.random(9), 1e-3 * rng.standard_normal(9)
    slope, intercept = np.polyfit(base - base.mean(), y, 1)
    beta = fit_line(base, y)
    assert beta[1] == pytest.approx(slope, rel=1e-4)
    assert beta[0] == pytest.approx(intercept - slope * base.mean(), rel=1e-4)
    np.testing.assert_allclose(fit_line(np.array([3.0]), np.array([5.0])), [2.0, 1.0])


def test_interval_grows_away_from_the_data():
    x = np.linspace(0.3, 0.5, 8)
    model = MFBNN(bounds=[(0, 1)], random_state=0, **SHORT).fit(x[:, None], np.sin(5 * x))
    _, std = model.predict([[0.4], [0.6], [0.8], [1.0]], return_std=True)
    assert (np.diff(std) > 0).all()
    assert std[-1] > 5 * std[0]


def test_noise_is_learned_or_used_as_given(rng):
    x = np.linspace(0, 1, 60)
    y = 3 * x + 0.5 * rng.standard_normal(60)
    learned = MFBNN(hidden=(5,), random_state=0, **SHORT).fit(x[:, None], y)
    assert np.sqrt(learned.noise_var_) == pytest.approx(0.5, rel=0.3)
    known = MFBNN(noise_std={"data": 0.4}, random_state=0, **TINY).fit(x[:, None], y)
    assert known.noise_var_ == pytest.approx(0.16)
    _, latent = known.predict(x[:, None], return_std=True)
    _, observed = known.predict(x[:, None], return_std=True, include_noise=True)
    np.testing.assert_allclose(observed**2 - latent**2, 0.16)


def test_prediction_is_the_line_and_the_sampled_networks(two_fidelities):
    X, *_ = two_fidelities
    model = tiny_model(two_fidelities)
    n_samples = NETWORKS * (TINY["iterations"] - TINY["burn_in"]) // TINY["thinning"]
    assert len(model.residual_.weights) == n_samples
    U = model.training_data_.box.to_unit(X)
    (cheap,) = model.trend_
    mean, var = model.residual_.predict(U)
    line = model.beta_[0] + model.beta_[1] * cheap.network.predict(U)[0]
    got, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(got, line + mean, rtol=1e-12)
    np.testing.assert_allclose(std**2, var, rtol=1e-12)


def test_same_seed_same_model(two_fidelities):
    X, *_ = two_fidelities
    first, again = tiny_model(two_fidelities), tiny_model(two_fidelities)
    np.testing.assert_array_equal(first.predict(X), again.predict(X))
    other = tiny_model(two_fidelities, random_state=4)
    assert (other.predict(X) != first.predict(X)).all()
    unseeded = [tiny_model(two_fidelities, random_state=None).predict(X) for _ in range(2)]
    assert (unseeded[0] != unseeded[1]).all()


def test_refit_keeps_the_models_of_the_cheap_data(two_fidelities):
    X, *_ = two_fidelities
    model = tiny_model(two_fidelities)
    again = model.refit(model.training_data_)
    assert again.trend_ is model.trend_
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert "_known" not in vars(again)


def test_global_state_is_untouched(two_fidelities):
    X, *_ = two_fidelities
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        before = _global_state()
        tiny_model(two_fidelities).predict(X, return_std=True)
        after = _global_state()
    finally:
        torch.set_num_threads(threads)
    assert before == after


def _global_state():
    return (
        random.getstate(),
        str(np.random.get_state(legacy=False)),  # noqa: NPY002
        torch.get_rng_state().numpy().tobytes(),
        torch.get_default_dtype(),
        torch.get_num_threads(),
        torch.is_grad_enabled(),
        list(warnings.filters),
    )


def test_time_limit_keeps_what_there_is(two_fidelities, monkeypatch):
    """A clock that moves on by one second whenever it is asked, which is once per step."""
    X, *_ = two_fidelities
    monkeypatch.setattr("mastgp.baselines.clock.monotonic", count().__next__)
    steps = []
    with (
        pytest.warns(FitWarning, match="time limit of 60 s"),
        listening(lambda what, done, total: steps.append(what)),
    ):
        model = tiny_model(two_fidelities, lf_epochs=10, iterations=10**7, time_limit=60)
    assert steps.count("training for coarse") == 10
    assert steps.count("sampling for fine") == 51
    assert len(model.residual_.weights) == 3 * NETWORKS  # after 30, 40 and 50 steps
    assert np.isfinite(model.predict(X)).all()
    with pytest.warns(FitWarning):
        model = tiny_model(two_fidelities, lf_epochs=10**7, time_limit=20)
    assert len(model.residual_.weights) == NETWORKS  # one step, no sample
    assert np.isfinite(model.predict(X, return_std=True)).all()


def test_progress_is_reported(two_fidelities):
    last = {}
    with listening(lambda what, done, total: last.update({what: (done, total)})):
        tiny_model(two_fidelities)
    assert last == {
        "training for coarse": (TINY["lf_epochs"],) * 2,
        "sampling for fine": (TINY["iterations"],) * 2,
    }


def test_two_expensive_points_leave_no_certainty(rng):
    """A line passes through both: what they say of the rest is nothing, not that it is zero."""
    cheap, dear = np.linspace(0, 1, 40)[:, None], np.array([[0.2], [0.8]])
    X = np.concatenate([cheap, dear])
    y = np.sin(8 * X[:, 0]) + np.where(np.arange(42) < 40, 0.0, 0.5 * X[:, 0])
    labels = ["coarse"] * 40 + ["fine"] * 2
    with pytest.warns(FewPointsWarning):
        model = MFBNN(order=["coarse", "fine"], random_state=0, **TINY).fit(X, y, fidelity=labels)
    assert model.residual_.scale > 0.3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hidden": (4, 0)}, "at least one unit"),
        ({"lf_epochs": 0}, "at least 1"),
        ({"thinning": 0}, "at least 1"),
        ({"burn_in": 60}, "less than iterations"),
        ({"time_limit": 0.0}, "above zero"),
    ],
)
def test_impossible_options_are_refused(two_fidelities, options, message):
    with pytest.raises(DataError, match=message):
        tiny_model(two_fidelities, **options)


def test_what_it_lacks_is_refused_by_name(two_fidelities, tmp_path):
    X, *_ = two_fidelities
    model = tiny_model(two_fidelities)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(MastError, match="MFBNN has no joint covariance"):
        model.predict(X, return_cov=True)
    with pytest.raises(MastError, match="a MFBNN cannot be written to a file"):
        model.save(tmp_path / "model.mast")


def test_odd_data_are_survived(rng):
    X = rng.random((6, 1))
    with pytest.warns(match="in every row"):
        model = MFBNN(random_state=0, **TINY).fit(X, np.full(6, 7.0))
    mean, std = model.predict(X, return_std=True)
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()
    exact = MFBNN(noise_std={"data": 0.0}, random_state=0, **TINY).fit(X, 1e6 * X[:, 0])
    with pytest.warns(ExtrapolationWarning):
        assert np.isfinite(exact.predict([[1e9]])).all()
