from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import mastgp
from mastgp import DataError
from mastgp.check.heldout import held_out
from mastgp.errors import FewPointsWarning
from mastgp.gp import GaussianProcess
from mastgp.models.cokriging import CoKriging
from mastgp.models.single import SingleFidelity
from mastgp.models.structures import STRUCTURES, Traits
from mastgp.output.summary import summarise
from support import labelled

ORDER = ["low", "high"]


def linear_pair(rng, n_low=40, n_high=8, noise=0.0):
    """High is 2.5 times low plus a slope; designs not nested."""

    def low(X):
        return np.sin(7 * X[:, 0]) * np.cos(4 * X[:, 1])

    def high(X):
        return 2.5 * low(X) + X[:, 0] - 3

    X1, X2 = rng.random((n_low, 2)), rng.random((n_high, 2))
    y1 = low(X1) + noise * rng.standard_normal(n_low)
    return labelled(("low", X1, y1), ("high", X2, high(X2))), high


def rmse(model, truth, rng, d=2):
    Q = rng.random((400, d))
    return float(np.sqrt(np.mean((model.predict(Q) - truth(Q)) ** 2)))


def test_agrees_with_emukit_at_the_same_hyperparameters(rng):
    GPy = pytest.importorskip("GPy")
    pytest.importorskip("emukit")
    from emukit.multi_fidelity.convert_lists_to_array import (
        convert_x_list_to_array,
        convert_xy_lists_to_arrays,
    )
    from emukit.multi_fidelity.kernels import LinearMultiFidelityKernel
    from emukit.multi_fidelity.models import GPyLinearMultiFidelityModel

    (X, y, labels), _ = linear_pair(rng, noise=0.05)
    model = CoKriging(order=ORDER, warp=None, bounds=[[0, 1], [0, 1]]).fit(X, y, fidelity=labels)
    fitted, parameters = model.process_, model.process_.parameters
    # Emukit has no uncertain means: its model is compared with ours given the most likely ones.
    process = GaussianProcess.from_state(
        replace(fitted.model, means="profiled"), fitted.get_state()
    )
    # Far from all data a level is at its mean.
    far = np.full((1, 2), 1e6)
    centre = [process.predict_mean(far, level)[0] for level in (0, 1)]
    Xs = [X[labels == name] for name in ORDER]
    ys = [y[labels == name] - mean for name, mean in zip(ORDER, centre, strict=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernels = [
            GPy.kern.RBF(2, variance=s * scale**2, lengthscale=ell, ARD=True)
            for s, scale, ell in zip(
                parameters.scales, process.y_scale, parameters.lengthscales, strict=True
            )
        ]
        kernel = LinearMultiFidelityKernel(kernels)
        X_all, y_all = convert_xy_lists_to_arrays(Xs, [v[:, None] for v in ys])
        peer = GPyLinearMultiFidelityModel(X_all, y_all, kernel, n_fidelities=2)
        kernel.scale[:] = model.rho_
        for i, var in enumerate(parameters.noise_var * process.y_scale**2):
            peer.likelihood.likelihoods_list[i].variance[:] = var
        Q = rng.random((50, 2))
        at = convert_x_list_to_array([Q, Q])[len(Q) :]
        mean, var = peer.predict_noiseless(at)
    ours, our_var = process.predict(Q, 1)
    np.testing.assert_allclose(ours, mean[:, 0] + centre[1], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(our_var, var[:, 0], rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("structure", ["autoregressive", "shared-bias"])
def test_recovers_a_related_function_from_few_points(rng, structure):
    (X, y, labels), high = linear_pair(rng)
    if structure == "shared-bias":
        y = np.where(labels == "low", y * 2.5, y)
    model = CoKriging(order=ORDER, structure=structure).fit(X, y, fidelity=labels)
    alone = SingleFidelity(order=ORDER).fit(X, y, fidelity=labels)
    assert rmse(model, high, rng) < 0.1 * rmse(alone, high, rng)
    if structure == "autoregressive":
        np.testing.assert_allclose(model.rho_, [2.5], rtol=0.03)


def test_the_cheap_fidelitys_units_do_not_matter(rng):
    (X, y, labels), _ = linear_pair(rng, noise=0.1)
    Q = rng.random((30, 2))
    first, second = (
        CoKriging(order=ORDER, inference="map")
        .fit(X, np.where(labels == "low", values, y), fidelity=labels)
        .predict(Q, return_std=True)
        for values in (50 * y + 900, 1000 * y - 7)
    )
    np.testing.assert_allclose(first, second, atol=0.02)


@pytest.mark.parametrize("structure", ["shared-bias", "fading-bias"])
def test_a_bias_may_be_far_from_zero(rng, structure):
    (X, y, labels), high = linear_pair(rng)
    y = np.where(labels == "low", 2.5 * y + 1000, y)
    model = CoKriging(order=ORDER, structure=structure).fit(X, y, fidelity=labels)
    assert model.process_.model.means == "own"
    assert rmse(model, high, rng) < 0.5


def test_a_factor_near_one_is_preferred_and_an_opposite_one_found(rng):
    X1, X2 = rng.random((30, 1)), rng.random((6, 1))
    for rho in (1.0, -1.0):
        table = labelled(
            ("low", X1, np.sin(9 * X1[:, 0])), ("high", X2, rho * np.sin(9 * X2[:, 0]))
        )
        model = CoKriging(order=ORDER).fit(table[0], table[1], fidelity=table[2])
        np.testing.assert_allclose(model.rho_, [rho], atol=0.05)


def test_files_from_before_means_were_uncertain(rng):
    (X, y, labels), _ = linear_pair(rng)
    model = CoKriging(order=ORDER, inference="map").fit(X, y, fidelity=labels)
    now = model.process_
    before = GaussianProcess.from_state(replace(now.model, means="profiled"), now.get_state())
    state = model.get_state()
    del state["means"]
    model.set_state(state)
    Q = model.training_data_.unit(model.training_data_.top)
    np.testing.assert_array_equal(model.mean_unit(Q), before.predict_mean(Q, 1))
    assert not np.array_equal(model.mean_unit(Q), now.predict_mean(Q, 1))


def test_a_fold_is_fitted_with_the_same_model(rng):
    """Whether levels are in the same units is not for a fold to say."""
    X = rng.random((26, 1))
    labels = np.array(["low"] * 20 + ["high"] * 6)
    y = np.sin(6 * X[:, 0])
    y[-1] = 40.0  # without this point the spreads are alike
    model = CoKriging(order=ORDER).fit(X, y, fidelity=labels)
    data = model.training_data_
    rest = data.without([np.zeros(len(data.fidelities[0].y), dtype=bool), data.top.y >= 10.0])
    assert not Traits.of(data, data.fidelities).same_units
    assert Traits.of(rest, rest.fidelities).same_units
    again = model.refit(rest)
    assert len(set(again.process_.y_scale)) == 2
    assert again.process_.model.factor_prior == model.process_.model.factor_prior


def test_opposite_levels_are_found(rng):
    """The sign of the factor, whichever mode of the noise wins."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        low, high = rng.random((25, 2)), rng.random((5, 2))

        def f(X):
            return np.sin(5 * X[:, 0]) + X[:, 1] ** 2

        X, y, labels = labelled(
            ("low", low, -(f(low) + 0.2 * np.cos(4 * low[:, 1]))), ("high", high, f(high))
        )
        model = CoKriging(order=ORDER).fit(X, y, fidelity=labels)
        assert -1.2 < model.rho_[0] < 0.0


def test_finds_the_quiet_mode_of_wiggly_data():
    """Without noise and exactly linear: no start may lead to a model that is all noise."""
    x = np.linspace(0, 1, 300)[:, None]
    errors = []
    for seed in range(20):
        X = np.random.default_rng(seed).random((40, 1))
        labels = np.array(["low"] * 28 + ["high"] * 12)
        low = np.sin(20 * X[:, 0])
        y = np.where(labels == "low", low, 1.5 * low + X[:, 0])
        model = CoKriging(order=ORDER).fit(X, y, fidelity=labels)
        assert model.rho_[0] == pytest.approx(1.5, abs=0.1)
        truth = 1.5 * np.sin(20 * x[:, 0]) + x[:, 0]
        errors.append(np.sqrt(np.mean((model.predict(x) - truth) ** 2)))
    # A model that is all noise has an error of 1.1. One draw has a gap that nothing can fill.
    assert max(errors) < 0.5
    assert np.median(errors) < 0.015


def test_one_expensive_point_shares_the_mean(rng):
    X = rng.random((31, 1))
    labels = ["low"] * 30 + ["high"]
    model = CoKriging(order=ORDER, structure="fading-bias")
    with pytest.warns(FewPointsWarning):
        model.fit(X, X[:, 0], fidelity=labels)
    assert model.process_.model.means == "shared"


def test_the_factor_is_in_the_targets_units(rng):
    (X, y, labels), _ = linear_pair(rng)
    other = np.where(labels == "low", 1000 * y, y)
    for structure in ("autoregressive", "general"):
        first, second = (
            CoKriging(order=ORDER, structure=structure).fit(X, v, fidelity=labels).rho_[0]
            for v in (y, other)
        )
        assert second == pytest.approx(first / 1000, rel=0.05)


def test_summary_of_the_expensive_points_alone(rng):
    (X, y, labels), _ = linear_pair(rng)
    model = CoKriging(order=ORDER, structure="top-only").fit(X, y, fidelity=labels)
    low, high = summarise(model)["fidelities"]
    assert low["noise_std"] is None
    assert high["noise_std"] == pytest.approx(np.sqrt(model.noise_var_))


def test_finds_the_noise_of_each_level(rng):
    (X, y, labels), high = linear_pair(rng, n_low=150, n_high=12, noise=0.5)
    model = CoKriging(order=ORDER).fit(X, y, fidelity=labels)
    noise = model.process_.noise_var
    assert 0.4 < np.sqrt(noise[0]) < 0.6
    assert np.sqrt(noise[-1]) < 0.3
    assert rmse(model, high, rng) < 0.6


def test_known_noise_of_one_fidelity_only(rng):
    (X, y, labels), _ = linear_pair(rng, noise=0.2)
    model = CoKriging(order=ORDER, noise_std={"low": 0.2}).fit(X, y, fidelity=labels)
    noise = model.posterior_.noise_var
    np.testing.assert_allclose(noise[labels[np.argsort(labels == "high")] == "low"], 0.04)
    assert noise[-1] == pytest.approx(model.noise_var_)
    assert noise[-1] != pytest.approx(0.04)


@pytest.mark.parametrize("structure", sorted(set(STRUCTURES) - {"top-only"}))
def test_three_levels(rng, structure):
    def f(X):
        return np.sin(6 * X[:, 0]) + X[:, 1] ** 2

    def bias(X):
        return np.cos(3 * X[:, 0] + X[:, 1])

    Xs = [rng.random((n, 2)) for n in (40, 20, 7)]
    tables = [
        (name, X, f(X) + share * bias(X))
        for name, X, share in zip(("a", "b", "c"), Xs, (1.0, 0.5, 0.0), strict=True)
    ]
    X, y, labels = labelled(*tables)
    model = CoKriging(order=["a", "b", "c"], structure=structure).fit(X, y, fidelity=labels)
    alone = SingleFidelity(order=["a", "b", "c"]).fit(X, y, fidelity=labels)
    assert rmse(model, f, rng) < 0.6 * rmse(alone, f, rng)
    if structure == "common-bias":
        np.testing.assert_allclose(model.rho_, [0.5], atol=0.05)


@pytest.mark.parametrize("priors", ["wide", "botorch", None])
def test_a_saved_model_predicts_the_same(tmp_path, rng, priors):
    (X, y, labels), _ = linear_pair(rng)
    model = CoKriging(order=ORDER, kernel="matern52", priors=priors).fit(X, y, fidelity=labels)
    model.save(tmp_path / "a.mast")
    again = mastgp.load(tmp_path / "a.mast")
    Q = rng.random((9, 2))
    np.testing.assert_array_equal(again.predict(Q), model.predict(Q))


def test_gradient_covariance_and_samples(rng):
    (X, y, labels), _ = linear_pair(rng)
    model = CoKriging(order=ORDER).fit(X, y, fidelity=labels)
    Q, step = rng.uniform(0.2, 0.8, (4, 2)), 1e-5
    gradient, _ = model.predict_gradient(Q)
    for i in range(2):
        e = step * np.eye(2)[i]
        numeric = (model.predict(Q + e) - model.predict(Q - e)) / (2 * step)
        np.testing.assert_allclose(gradient[:, i], numeric, rtol=1e-4, atol=1e-6)
    _, cov = model.predict(Q, return_cov=True)
    np.testing.assert_allclose(np.sqrt(cov.diagonal()), model.predict(Q, return_std=True)[1])
    draws = model.sample_y(Q, 4000, random_state=0)
    np.testing.assert_allclose(np.cov(draws), cov, atol=0.1 * cov.max())


def test_one_fidelity_is_a_plain_gp(rng):
    X = rng.random((15, 2))
    model = CoKriging().fit(X, X[:, 0] ** 2)
    assert rmse(model, lambda Q: Q[:, 0] ** 2, rng) < 0.02
    assert model.rho_.size == 0


@pytest.mark.parametrize("option", ["structure", "kernel", "warp", "priors"])
def test_unknown_options_are_named(rng, option):
    (X, y, labels), _ = linear_pair(rng)
    with pytest.raises(DataError, match=f"unknown {option} 'magic'"):
        CoKriging(order=ORDER, **{option: "magic"}).fit(X, y, fidelity=labels)


def test_predictions_average_over_draws(rng):
    (X, y, labels), _ = linear_pair(rng, noise=0.1)
    model = CoKriging(order=ORDER, n_draws=16).fit(X, y, fidelity=labels)
    Q = rng.random((5, 2))
    U = model.training_data_.box.to_unit(Q)
    draws = model.posterior_.processes
    assert 1 < len(draws) <= 16
    assert len({draw.parameters.lengthscales.tobytes() for draw in draws}) == len(draws)
    moments = np.array([draw.predict(U, 1) for draw in draws])
    w = model.posterior_.weights
    mean, std = model.predict(Q, return_std=True)
    np.testing.assert_allclose(mean, w @ moments[:, 0])
    np.testing.assert_allclose(std**2, w @ (moments[:, 1] + (moments[:, 0] - mean) ** 2))
    with_noise = model.predict_distribution(Q, include_noise=True)
    np.testing.assert_allclose(with_noise.variance, std**2 + model.noise_var_, rtol=1e-9)
    assert model.draw_report_.effective_draws > 4
    assert summarise(model)["draws"]["gradients"] > 0


def test_draws_follow_the_random_state(rng):
    (X, y, labels), _ = linear_pair(rng, n_low=12, noise=0.1)
    Q = rng.random((3, 2))

    def predictions(random_state):
        model = CoKriging(order=ORDER, random_state=random_state, n_draws=8)
        return model.fit(X, y, fidelity=labels).predict(Q)

    np.testing.assert_array_equal(predictions(None), predictions(None))
    np.testing.assert_array_equal(predictions(3), predictions(3))
    assert not np.array_equal(predictions(3), predictions(4))


def test_draws_are_saved(tmp_path, rng):
    (X, y, labels), _ = linear_pair(rng, n_low=12, noise=0.1)
    model = CoKriging(order=ORDER, n_draws=8).fit(X, y, fidelity=labels)
    model.save(tmp_path / "a.mast")
    again = mastgp.load(tmp_path / "a.mast")
    Q = rng.random((4, 2))
    np.testing.assert_array_equal(again.predict_interval(Q), model.predict_interval(Q))
    assert again.draw_report_ == model.draw_report_
    assert again.inference == "bayes"


def test_without_priors_there_is_nothing_to_draw_from(rng):
    (X, y, labels), _ = linear_pair(rng)
    model = CoKriging(order=ORDER, priors=None).fit(X, y, fidelity=labels)
    assert model.posterior_ is model.process_
    assert model.draw_report_ is None
    with pytest.raises(DataError, match="n_draws is 0"):
        CoKriging(order=ORDER, n_draws=0).fit(X, y, fidelity=labels)


def test_an_optimum_is_too_sure_and_draws_are_not():
    """Five expensive points: the share of the truth inside 95 % intervals, over a few draws."""
    inside = {"bayes": [], "map": []}
    for seed in range(6):
        rng = np.random.default_rng(seed)
        (X, y, labels), truth = linear_pair(rng, n_low=25, n_high=5, noise=0.05)
        Q = rng.random((200, 2))
        for inference, found in inside.items():
            model = CoKriging(order=ORDER, inference=inference).fit(X, y, fidelity=labels)
            low, high = model.predict_interval(Q)
            found.append(np.mean((low <= truth(Q)) & (truth(Q) <= high)))
    assert np.mean(inside["bayes"]) > np.mean(inside["map"])
    assert np.mean(inside["bayes"]) > 0.9


def held_out_over_refits(seed):
    """Weighted draws against new draws without each point: RMSE over theirs, and distance."""
    (X, y, labels), _ = linear_pair(np.random.default_rng(seed), n_low=20, n_high=8, noise=0.05)
    model = CoKriging(order=ORDER, n_draws=64).fit(X, y, fidelity=labels)
    data = model.training_data_
    weighted = held_out(model)
    rows = range(len(data.top.y))
    folds = [data.without(data.at_places_of(np.array([row]))) for row in rows]
    refits = [model.refit(fold).predict_unit(data.unit(data.top)[[row]])[0][0]
              for row, fold in zip(rows, folds, strict=True)]  # fmt: skip
    away = np.sqrt(np.mean((weighted.mean - refits) ** 2)) / np.std(data.top.y)
    kept = held_out(CoKriging(order=ORDER, inference="map").fit(X, y, fidelity=labels), quick=True)
    assert weighted.nlpd < kept.nlpd + 1.0
    return weighted.rmse / np.sqrt(np.mean((np.array(refits) - data.top.y) ** 2)), away


def test_held_out_predictions_of_draws_are_as_hard_as_refits():
    """Draws that are weighted as if they had not seen a point, against new draws without it."""
    ratios, distances = zip(*map(held_out_over_refits, range(8)), strict=True)
    assert np.exp(np.mean(np.log(ratios))) > 0.85
    assert np.median(distances) < 0.1


def test_draws_of_exact_results_do_not_start_on_a_plateau():
    """Where noise is known to be zero, a hasty search ended 600 nats below the best."""
    low_rng, high_rng = np.random.default_rng(18), np.random.default_rng(19)
    X1, X2 = low_rng.random((120, 8)), high_rng.random((24, 8))

    def high(X):
        flow = X[:, 0] ** 2 * (1 + X[:, 3]) * (1.2 - X[:, 5]) / (1 + 0.5 * X[:, 6])
        return 50 * flow * (1 + 0.1 * X[:, 7]) + 5 * X[:, 0] - 20

    X, y, fidelity = labelled(("low", X1, 0.8 * high(X1) + 2.0), ("high", X2, high(X2)))
    exact = {"low": 0.0, "high": 0.0}
    drawn = CoKriging(order=ORDER, noise_std=exact, inference="bayes").fit(X, y, fidelity=fidelity)
    best = CoKriging(order=ORDER, noise_std=exact, inference="map").fit(X, y, fidelity=fidelity)
    gap = best.process_.report.log_likelihood - drawn.process_.report.log_likelihood
    assert gap < 10.0
