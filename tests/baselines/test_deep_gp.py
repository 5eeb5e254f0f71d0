"""The deep GP as an estimator: what it learns, its seeds, its limits."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
import warnings
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from mastgp import MAST, DataError, progress
from mastgp.baselines import deep_gp
from mastgp.baselines.deep_gp import DeepGP
from mastgp.baselines.deep_layers import Layer, LayerData, lower_bound
from mastgp.errors import FitWarning, MastError
from mastgp.models.cokriging import CoKriging
from mastgp.models.single import SingleFidelity

torch = pytest.importorskip("torch")

ORDER = ["low", "high"]


def perdikaris(n_cheap=50, n_expensive=14):
    """The nonlinear problem of Perdikaris (2017), nested: X, y, labels."""
    cheap = np.linspace(0, 1, n_cheap)
    expensive = np.sort(np.random.default_rng(1).choice(cheap, n_expensive, replace=False))
    x = np.concatenate([cheap, expensive])
    labels = np.repeat(ORDER, [n_cheap, n_expensive])
    y = np.where(labels == "low", np.sin(8 * np.pi * x), perdikaris_truth(x))
    return x[:, None], y, labels


def perdikaris_truth(x):
    return (x - np.sqrt(2)) * np.sin(8 * np.pi * x) ** 2


def rmse(a, b):
    return np.sqrt(np.mean((a - b) ** 2))


def quick(iterations=30, **options):
    return DeepGP(order=ORDER, iterations=iterations, **{"random_state": 0, **options})


def test_training_of_one_layer_is_a_gp(rng):
    """The bound of one layer can reach the evidence: the prediction is that of a plain GP."""
    X = rng.random((25, 2))
    y = np.sin(5 * X[:, 0]) + X[:, 1] + 0.1 * rng.standard_normal(25)
    model = DeepGP(iterations=300, random_state=0).fit(X, y)
    (layer,) = model.layers_
    exact = Layer(LayerData(layer.x.numpy(), None, layer.y.numpy(), None), 0.1)
    for name in ("lengthscales", "variances", "noise_var"):
        exact.log[name].copy_(layer.log[name])
    exact.log["pseudo_var"].fill_(float(layer.log["noise_var"]))
    evidence = float(lower_bound([exact], []))
    assert evidence - 0.05 < float(lower_bound([layer], [])) <= evidence
    assert rmse(model.predict(X), MAST().fit(X, y).predict(X)) < 0.1


def test_beats_linear_cokriging_where_the_relation_is_nonlinear():
    X, y, labels = perdikaris()
    x = np.linspace(0, 1, 400)[:, None]
    model = quick(600).fit(X, y, fidelity=labels)
    mean, std = model.predict(x, return_std=True)
    error = rmse(mean, perdikaris_truth(x[:, 0]))
    linear = CoKriging(order=ORDER).fit(X, y, fidelity=labels)
    assert error < rmse(linear.predict(x), perdikaris_truth(x[:, 0])) / 3
    assert error < 0.06
    assert np.mean(np.abs(mean - perdikaris_truth(x[:, 0])) < 3 * std) > 0.9


def test_recovers_a_linear_relation(rng):
    X = rng.random((36, 1))
    labels = np.repeat(ORDER, [30, 6])
    cheap = np.sin(9 * X[:, 0])
    y = np.where(labels == "low", cheap, 50 * cheap + 7 * X[:, 0] + 1000)
    model = quick(250, bounds=[(0, 1)]).fit(X, y, fidelity=labels)
    alone = SingleFidelity(order=ORDER, bounds=[(0, 1)]).fit(X, y, fidelity=labels)
    x = np.linspace(0.05, 0.95, 200)[:, None]
    truth = 50 * np.sin(9 * x[:, 0]) + 7 * x[:, 0] + 1000
    assert rmse(model.predict(x), truth) < 0.05 * truth.std()
    assert rmse(model.predict(x), truth) < 0.3 * rmse(alone.predict(x), truth)


def test_three_fidelities(rng):
    """The top response is a nonlinear function of the middle one, seen at few points."""
    X = rng.random((58, 1))
    labels = np.repeat(["a", "b", "c"], [30, 18, 10])
    a = np.sin(10 * X[:, 0])
    y = np.select([labels == "a", labels == "b"], [a, a**2 + X[:, 0]], -3 * (a**2 + X[:, 0]) + 2)
    model = DeepGP(order=["a", "b", "c"], iterations=250, bounds=[(0, 1)], random_state=0)
    model.fit(X, y, fidelity=labels)
    x = np.linspace(0.03, 0.97, 200)[:, None]
    truth = -3 * (np.sin(10 * x[:, 0]) ** 2 + x[:, 0]) + 2
    assert [len(layer.y) for layer in model.layers_] == [30, 18, 10]
    assert rmse(model.predict(x), truth) < 0.1 * truth.std()


def test_uncertainty_grows_away_from_the_data(rng):
    X = np.linspace(0, 0.5, 40)[:, None]
    y = np.sin(12 * X[:, 0])
    model = quick(120, bounds=[(0, 1)]).fit(X, y, fidelity=["low", "low", "low", "high"] * 10)
    _, std = model.predict([[0.25], [0.6], [0.75], [0.95]], return_std=True)
    assert (np.diff(std) > 0).all()
    assert std[-1] > 20 * std[0]


def test_same_seed_same_model(two_fidelities):
    X, y, labels, _ = two_fidelities
    fits = [
        DeepGP(order=["coarse", "fine"], iterations=30, random_state=seed).fit(
            X, y, fidelity=labels
        )
        for seed in (3, 3, 4, np.random.RandomState(3))
    ]
    first, again, other, from_state = (model.predict(X, return_std=True) for model in fits)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, from_state)
    assert not np.array_equal(first[0], other[0])


def test_predictions_do_not_depend_on_the_other_queries(monkeypatch):
    X, y, labels = perdikaris(20, 6)
    model = quick().fit(X, y, fidelity=labels)
    x = np.linspace(0, 1, 9)[:, None]
    mean, std = model.predict(x, return_std=True)
    monkeypatch.setattr(deep_gp, "_BLOCK_ENTRIES", 20 * 100 * 2)  # two points at a time
    in_blocks = model.predict(x, return_std=True)
    np.testing.assert_allclose(in_blocks, (mean, std), rtol=1e-9)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(x), in_blocks[0])


def test_prediction_is_the_mixture_over_many_samples():
    """Against plain Monte Carlo through the fitted layers."""
    X, y, labels = perdikaris(12, 6)
    model = quick().fit(X, y, fidelity=labels)
    low, high = model.layers_
    x = torch.tensor([[0.13], [0.77]], dtype=torch.float64)
    mean, var = low.marginals(*low.factorise(), x, None)
    normal = torch.from_numpy(np.random.default_rng(0).standard_normal((40_000, 1)))
    means, variances = high.marginals(*high.factorise(), x, mean + var.sqrt() * normal)
    top = y[labels == "high"]
    expected = top.mean() + top.std(ddof=1) * means.mean(0).numpy()
    expected_std = top.std(ddof=1) * (variances.mean(0) + means.var(0)).sqrt().numpy()
    got, got_std = model.predict(x.numpy(), return_std=True)
    np.testing.assert_allclose(got, expected, atol=0.02 * expected_std.max())
    np.testing.assert_allclose(got_std, expected_std, rtol=0.02)


def test_units_of_y_do_not_matter():
    X, y, labels = perdikaris(15, 6)
    mean, std = quick().fit(X, y, fidelity=labels).predict(X, return_std=True)
    scaled = quick().fit(X, 1024 * y, fidelity=labels).predict(X, return_std=True)
    np.testing.assert_allclose(scaled, (1024 * mean, 1024 * std), rtol=1e-9)


def test_known_noise_is_used_as_given():
    X, y, labels = perdikaris(15, 6)
    model = quick(noise_std={"high": 0.05}).fit(X, y, fidelity=labels)
    assert model.noise_var_ == pytest.approx(0.05**2)
    low, high = model.layers_
    assert low.learns_noise
    assert not high.learns_noise
    learned = quick().fit(X, y, fidelity=labels)
    assert learned.noise_var_ != pytest.approx(0.05**2)
    exact = quick(noise_std={"low": 0.0, "high": 0.0}).fit(X, y, fidelity=labels)
    assert np.isfinite(exact.predict(X)).all()


def test_process_state_is_left_alone():
    X, y, labels = perdikaris(15, 6)
    before = process_state()
    torch_before = torch.get_rng_state()
    quick(5).fit(X, y, fidelity=labels).predict(X, return_std=True)
    assert process_state() == before
    assert torch.equal(torch.get_rng_state(), torch_before)


def process_state():
    return (
        random.getstate(),
        str(np.random.get_state()),  # noqa: NPY002
        torch.get_default_dtype(),
        torch.get_num_threads(),
        torch.is_grad_enabled(),
        list(warnings.filters),
    )


def test_fits_where_gradients_are_switched_off():
    X, y, labels = perdikaris(15, 6)
    expected = quick(5).fit(X, y, fidelity=labels).predict(X)
    with torch.no_grad():
        np.testing.assert_array_equal(quick(5).fit(X, y, fidelity=labels).predict(X), expected)
        assert not torch.is_grad_enabled()


def test_first_use_leaves_no_traces():
    """Torch is loaded when the first model is fitted, and not a moment earlier."""
    code = """
import os, sys, warnings
import numpy as np
from mastgp.baselines.deep_gp import DeepGP
assert "torch" not in sys.modules
before = list(warnings.filters), dict(os.environ)
x = np.linspace(0, 1, 8)[:, None]
DeepGP(iterations=5, random_state=0).fit(x, x[:, 0]).predict(x)
assert "torch" in sys.modules
assert (list(warnings.filters), dict(os.environ)) == before
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


class Ticks:
    """A clock that moves on by one second whenever it is asked."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


def test_time_limit_stops_the_training(monkeypatch):
    X, y, labels = perdikaris(15, 6)
    monkeypatch.setattr("mastgp.baselines.clock.monotonic", Ticks())
    with pytest.warns(FitWarning, match="stopped at its time limit, after 20 of 1000"):
        model = quick(1000, time_limit=20.5).fit(X, y, fidelity=labels)
    assert model.n_iter_ == 20
    assert np.isfinite(model.predict(X)).all()


def test_progress_is_reported():
    X, y, labels = perdikaris(15, 6)
    reports = []
    with progress.listening(lambda *report: reports.append(report)):
        model = quick(7).fit(X, y, fidelity=labels)
    steps = [(done, total) for what, done, total in reports if what == "training the deep GP"]
    assert steps == [(done, 7) for done in range(1, 8)]
    assert model.n_iter_ == 7


@pytest.mark.parametrize("verbose", [True, False])
def test_progress_is_shown_in_the_terminal(verbose, monkeypatch):
    X, y, labels = perdikaris(15, 6)
    screen = StringIO()
    console = Console(file=screen, force_terminal=True, width=120)
    monkeypatch.setattr(progress, "_console", lambda: console)
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    quick(7, verbose=verbose).fit(X, y, fidelity=labels)
    assert ("training the deep GP" in screen.getvalue()) == verbose


def test_the_time_limit_counts_from_the_start(monkeypatch):
    """What comes before the training takes its share of it."""
    X, y, labels = perdikaris(15, 6)
    clock = Ticks()
    monkeypatch.setattr("mastgp.baselines.clock.monotonic", clock)
    layer_data = deep_gp._layer_data

    def slow(*arguments):
        clock.now += 1000.0
        return layer_data(*arguments)

    monkeypatch.setattr(deep_gp, "_layer_data", slow)
    with pytest.warns(FitWarning, match="time limit, after 0 of"):
        quick(100, time_limit=900.0).fit(X, y, fidelity=labels)


@pytest.mark.parametrize(
    "option", [{"iterations": 0}, {"n_samples": 0}, {"learning_rate": -1.0}, {"time_limit": 0}]
)
def test_options_out_of_range_are_named(option):
    X, y, labels = perdikaris(15, 6)
    (name,) = option
    with pytest.raises(DataError, match=rf"{name} is .* must be (positive|a number above)"):
        quick(**option).fit(X, y, fidelity=labels)


def test_what_it_lacks_is_refused(tmp_path):
    X, y, labels = perdikaris(15, 6)
    model = quick(5).fit(X, y, fidelity=labels)
    with pytest.raises(MastError, match="DeepGP"):
        model.save(tmp_path / "deep.mast")
