from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

import mastgp
from mastgp import MAST, DataError
from mastgp.bench import problem, synthetic_draw
from mastgp.bench.protocol import THREE_FIDELITIES
from mastgp.gp import GaussianProcess, Model
from mastgp.models.trust import METRICS, NEIGHBOUR_WEIGHTS, RADII, trust_in
from mastgp.surrogates import GP
from support import COSTS, seen_by, three_levels


@pytest.fixture
def model(two_fidelities):
    X, y, labels, _ = two_fidelities
    return MAST(COSTS).fit(X, y, fidelity=labels)


def test_augmentation_equals_the_papers_equations(model, two_fidelities):
    """y~ and sigma~^2 from the fitted GPs and distances alone, computed here from scratch."""
    X, y, labels, _ = two_fidelities
    low, high = X.min(axis=0), X.max(axis=0)
    U = (X - low) / (high - low)
    cheap, top = labels == "coarse", labels == "fine"
    gp_cheap, gp_top = model.stage1_["coarse"], model.stage1_["fine"]
    gp_delta = model.discrepancy_["coarse"]

    posterior = np.column_stack(gp_cheap.predict(U))
    scaled = (posterior - posterior.min(axis=0)) / np.ptp(posterior, axis=0)
    delta_mean, delta_var = gp_delta.predict(np.hstack([U, scaled])[cheap])
    top_mean, top_var = gp_top.predict(U[cheap])
    alpha = np.log10(10.0) / 2
    W = trust_by_hand(U[cheap], U[top], alpha)
    expected_y = W * (y[cheap] + delta_mean) + (1 - W) * top_mean
    expected_var = W**2 * (gp_cheap.noise_var[0] + delta_var) + (1 - W) ** 2 * top_var
    expected_var = np.maximum(expected_var, gp_delta.noise_var[0])

    table = model.augmented_
    np.testing.assert_allclose(table["trust"][cheap], W, rtol=1e-9)
    np.testing.assert_allclose(table["y_corrected"][cheap], expected_y, rtol=1e-6)
    np.testing.assert_allclose(table["variance"][cheap], expected_var, rtol=1e-6)


def trust_by_hand(cheap, top, alpha):
    """W of every cheap point by the paper's equations, one point at a time."""
    W = []
    for x in cheap:
        d = np.linalg.norm(x - top, axis=1)
        inside = d <= np.sqrt(d.min())
        W.append(1 - np.mean(np.clip(1 - d[inside] ** alpha, 0, 1)))
    return np.array(W)


def scaled_together(at_top, at_own):
    """Mean and variance at the expensive and at the cheap points, scaled to [0, 1]."""
    pooled = np.concatenate([at_top, at_own])
    low, span = pooled.min(axis=0), np.ptp(pooled, axis=0)
    return (at_top - low) / span, (at_own - low) / span


def as_they_are(at_top, at_own):
    return at_top, at_own


@pytest.mark.parametrize(
    ("posterior_inputs", "prepared"), [("scaled", scaled_together), ("raw", as_they_are)]
)
def test_three_fidelities_equal_the_papers_equations(rng, posterior_inputs, prepared):
    """All three stages from scratch, with an exponent and a discrepancy of each cheap level."""
    X, y, labels = three_levels(rng, (22, 16, 14))
    y = y + np.where(labels == "c", 0.12 * rng.standard_normal(len(y)), 0.0)
    costs = {"a": 1.0, "b": 20.0, "c": 100.0}
    model = MAST(costs, posterior_inputs=posterior_inputs).fit(X, y, fidelity=labels)
    data = model.training_data_
    U = {f.name: data.unit(f) for f in data.fidelities}
    targets = {f.name: f.y for f in data.fidelities}
    gps = {name: GaussianProcess.fit(Model(2), U[name], targets[name]) for name in "abc"}
    top_noise = gps["c"].noise_var

    fused_y, fused_var, floored = [], [], []
    for name, alpha in (("a", np.log10(100.0) / 2), ("b", np.log10(5.0) / 2)):
        at_top, at_own = (np.column_stack(gps[name].predict(U[where])) for where in ("c", name))
        told_top, told_own = prepared(at_top, at_own)
        residual = targets["c"] - at_top[:, 0]
        Z = np.hstack([U["c"], told_top])
        np.testing.assert_allclose(seen_by(model.discrepancy_[name])[0], Z, rtol=1e-6, atol=1e-9)
        delta = GaussianProcess.fit(Model(4), Z, residual)
        delta_mean, delta_var = delta.predict(np.hstack([U[name], told_own]))
        top_mean, top_var = gps["c"].predict(U[name])
        W = trust_by_hand(U[name], U["c"], alpha)
        var = W**2 * (gps[name].noise_var + delta_var) + (1 - W) ** 2 * top_var
        floored.append(var < delta.noise_var[0])
        fused_var.append(np.maximum(var, delta.noise_var[0]))
        fused_y.append(W * (targets[name] + delta_mean) + (1 - W) * top_mean)
    floored = np.concatenate(floored)
    assert floored.any()
    assert not floored.all()

    seen_X, seen_y = seen_by(model.final_)
    np.testing.assert_allclose(seen_X, np.concatenate([U[name] for name in "abc"]))
    fused_y = np.concatenate([*fused_y, targets["c"]])
    fused_var = np.concatenate([*fused_var, top_noise])
    np.testing.assert_allclose(seen_y, fused_y, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.final_.noise_var, fused_var, rtol=1e-3)

    last = GaussianProcess.fit(
        Model(2, learn_noise=False, warp=True), seen_X, fused_y, noise_var=fused_var
    )
    Q = rng.random((20, 2))
    mean, std = model.predict(Q, return_std=True)
    expected_mean, expected_var = last.predict(data.box.to_unit(Q))
    np.testing.assert_allclose(mean, expected_mean, atol=1e-3 * np.ptp(y))
    np.testing.assert_allclose(std**2, expected_var, rtol=1e-2)


def test_posterior_inputs_are_scaled_or_as_they_are(two_fidelities):
    X, y, labels, _ = two_fidelities
    y = 1000.0 * y + 300.0
    told = {}
    for how in ("scaled", "raw"):
        model = MAST(COSTS, posterior_inputs=how).fit(X, y, fidelity=labels)
        data = model.training_data_
        told[how] = seen_by(model.discrepancy_["coarse"])[0][:, 2:]
    posterior = np.column_stack(model.stage1_["coarse"].predict(data.unit(data.top)))
    np.testing.assert_allclose(told["raw"], posterior)
    assert told["raw"].max() > 100.0
    assert told["scaled"].min() >= 0.0
    assert told["scaled"].max() <= 1.0
    with pytest.raises(DataError, match="unknown posterior_inputs 'both'; use 'scaled' or 'raw'"):
        MAST(COSTS, posterior_inputs="both").fit(X, y, fidelity=labels)


def test_a_refit_takes_over_stages_whose_data_have_not_changed(rng):
    X, y, labels = three_levels(rng)
    model = MAST(order=["a", "b", "c"]).fit(X, y, fidelity=labels)
    data = model.training_data_
    masks = [np.zeros(len(f.y), dtype=bool) for f in data.fidelities]
    masks[2][0] = masks[1][3] = True
    again = model.refit(data.without(masks))
    assert again.stage1_["a"] is model.stage1_["a"]
    assert again.stage1_["b"] is not model.stage1_["b"]
    assert again.stage1_["b"].n_points == model.stage1_["b"].n_points - 1
    assert again.stage1_["c"].n_points == model.stage1_["c"].n_points - 1
    assert again.final_.n_points == model.final_.n_points - 2


def test_discrepancy_gp_is_fitted_to_the_residuals(model, two_fidelities):
    X, y, labels, _ = two_fidelities
    top = labels == "fine"
    residual = y[top] - model.stage1_["coarse"].predict(model.training_data_.box.to_unit(X[top]))[0]
    seen_X, seen_y = seen_by(model.discrepancy_["coarse"])
    np.testing.assert_allclose(np.sort(seen_y), np.sort(residual), rtol=1e-9, atol=1e-12)
    assert seen_X.shape[1] == 4  # x, mean, variance


def test_last_stage_sees_all_points_with_fixed_variances_and_warp(model):
    final = model.final_
    assert final.n_points == 38
    assert final.model.warp
    assert not final.model.learn_noise
    table = model.augmented_
    np.testing.assert_allclose(
        np.sort(final.noise_var), np.sort(np.maximum(table["variance"], 1e-6 * final.y_scale**2))
    )


def test_augmented_table_is_in_the_users_order(model, two_fidelities):
    X, y, labels, _ = two_fidelities
    table = model.augmented_
    np.testing.assert_array_equal(table["fidelity"], labels)
    np.testing.assert_array_equal(table[["x0", "x1"]], X)
    np.testing.assert_array_equal(table["y"], y)
    fine = table[table["fidelity"] == "fine"]
    np.testing.assert_array_equal(fine["y_corrected"], fine["y"])
    assert (fine["trust"] == 1).all()
    assert not table.isna().any(axis=None)


def test_cheap_data_help(model, two_fidelities, rng):
    X, y, labels, truth = two_fidelities
    Q = rng.random((500, 2))
    alone = MAST().fit(X[labels == "fine"], y[labels == "fine"])
    error = np.sqrt(np.mean((model.predict(Q) - truth(Q)) ** 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mastgp.ExtrapolationWarning)
        error_alone = np.sqrt(np.mean((alone.predict(Q) - truth(Q)) ** 2))
    assert error < 0.5 * error_alone


def test_one_fidelity_is_a_plain_gp(rng):
    X = rng.random((20, 3))
    y = np.sin(3 * X[:, 0]) + X[:, 1]
    bounds = np.array([[0, 1]] * 3)
    order = np.lexsort((y, *X.T[::-1]))
    gp = GaussianProcess.fit(Model(3), X[order], y[order])
    mean, std = MAST(bounds=bounds).fit(X, y).predict(X, return_std=True)
    np.testing.assert_array_equal(mean, gp.predict(X)[0])
    np.testing.assert_array_equal(std, np.sqrt(gp.predict(X)[1]))


def test_weight_one_replaces_cheap_values_by_the_expensive_model(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, weight="hf-only").fit(X, y, fidelity=labels)
    table = model.augmented_[labels == "coarse"]
    np.testing.assert_allclose(table["y_corrected"], table["top_mean"])
    assert (table["trust"] == 0).all()


def test_three_fidelities():
    trial = synthetic_draw(problem("park2"), 0, THREE_FIDELITIES)
    model = MAST(trial.costs, bounds=trial.bounds).fit(trial.X, trial.y, fidelity=trial.fidelity)
    assert model.training_data_.ranking.names == ("low", "mid", "high")
    assert set(model.discrepancy_) == {"low", "mid"}
    assert model.final_.n_points == len(trial.y)
    mid, low = (np.log10(1 / trial.costs[name]) / 2 for name in ("mid", "low"))
    assert model.training_data_.ranking.exponents == pytest.approx({"mid": mid, "low": low})
    assert np.corrcoef(model.predict(trial.X_test), trial.y_test)[0, 1] > 0.99


@pytest.mark.filterwarnings("ignore::mastgp.DecadesWarning")
@pytest.mark.parametrize("name", ["park2", "hartmann3"])
def test_beats_the_cost_equivalent_gp_where_the_paper_says_so(name):
    ratios = []
    for seed in range(4):
        trial = synthetic_draw(problem(name), seed)
        errors = []
        for X, y, fidelity in (
            (trial.X, trial.y, trial.fidelity), (trial.X_only, trial.y_only, None)
        ):  # fmt: skip
            costs = None if fidelity is None else trial.costs
            model = MAST(costs, bounds=trial.bounds).fit(X, y, fidelity=fidelity)
            errors.append(np.sqrt(np.mean((model.predict(trial.X_test) - trial.y_test) ** 2)))
        ratios.append(errors[0] / errors[1])
    assert np.mean(ratios) < 0.85


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_fits(two_fidelities, metric):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, metric=metric).fit(X, y, fidelity=labels)
    assert np.isfinite(model.predict(X)).all()
    np.testing.assert_allclose(model.augmented_["trust"][:30], expected_trust(model, metric=metric))


@pytest.mark.parametrize(
    ("what", "name"),
    [("radius", name) for name in RADII] + [("weight", name) for name in NEIGHBOUR_WEIGHTS],
)
def test_every_radius_and_weight_fits(two_fidelities, what, name):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, **{what: name}).fit(X, y, fidelity=labels)
    assert np.isfinite(model.predict(X)).all()
    np.testing.assert_allclose(
        model.augmented_["trust"][:30], expected_trust(model, **{what: name})
    )


def expected_trust(model, **options):
    table = model.augmented_
    U = model.training_data_.box.to_unit(table[["x0", "x1"]].to_numpy())
    lengthscales = model.stage1_["fine"].lengthscales
    return trust_in(U[:30], U[30:], 0.5, lengthscales=lengthscales, **options).value


def test_own_functions_and_exponents(two_fidelities):
    X, y, labels, _ = two_fidelities
    by_name = MAST(COSTS).fit(X, y, fidelity=labels)
    own = MAST(
        exponents={"coarse": 0.5},
        metric=lambda A, B: np.sqrt(((A[:, None] - B) ** 2).sum(axis=-1)),
        radius=np.sqrt,
        weight=lambda d, alpha, r: 1 - d**alpha,
    ).fit(X, y, fidelity=labels)
    np.testing.assert_allclose(own.predict(X), by_name.predict(X), rtol=1e-6)


def test_known_noise_is_used_as_given(two_fidelities):
    X, y, labels, _ = two_fidelities
    scalar = MAST(COSTS, noise_std={"fine": 0.05}).fit(X, y, fidelity=labels)
    assert scalar.noise_var_ == pytest.approx(0.05**2)
    assert scalar.stage1_["coarse"].model.learn_noise
    rows = np.where(labels == "fine", 0.05, np.nan)
    per_row = MAST(COSTS).fit(X, y, fidelity=labels, noise_std=rows)
    np.testing.assert_array_equal(per_row.predict(X), scalar.predict(X))
    varying = np.where(labels == "coarse", np.linspace(0.01, 0.2, len(y)), np.nan)
    model = MAST(COSTS).fit(X, y, fidelity=labels, noise_std=varying)
    got = model.stage1_["coarse"].noise_var
    np.testing.assert_allclose(np.sort(got), np.sort(varying[labels == "coarse"] ** 2))


def test_zero_noise_means_interpolation(rng):
    X = rng.random((12, 1))
    y = np.sin(6 * X[:, 0])
    model = MAST(noise_std={"data": 0.0}).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-3)


def test_kernel_and_priors_can_be_chosen(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, surrogate=GP("matern52", priors=False), warp=None)
    model.fit(X, y, fidelity=labels)
    assert model.final_.model.components[0].kernel == "matern52"
    assert not model.final_.model.warp
    with pytest.raises(DataError, match="unknown surrogate 'forest'"):
        MAST(COSTS, surrogate="forest").fit(X, y, fidelity=labels)
    with pytest.raises(DataError, match="unknown warp 'box-cox'"):
        MAST(COSTS, warp="box-cox").fit(X, y, fidelity=labels)


def test_order_is_enough(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = MAST(order=["coarse", "fine"]).fit(X, y, fidelity=labels)
    assert model.training_data_.ranking.costs_assumed
    np.testing.assert_array_equal(
        model.predict(X), MAST(COSTS).fit(X, y, fidelity=labels).predict(X)
    )


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_order_of_rows_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    X, y, labels = small_problem(rng)
    shuffled = rng.permutation(len(y))
    first = MAST(COSTS).fit(X, y, fidelity=labels)
    second = MAST(COSTS).fit(X[shuffled], y[shuffled], fidelity=labels[shuffled])
    np.testing.assert_array_equal(first.predict(X), second.predict(X))
    np.testing.assert_array_equal(
        first.augmented_["y_corrected"][shuffled], second.augmented_["y_corrected"]
    )


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    exponent=st.integers(-40, 40),
    shift=st.sampled_from([0.0, 1.0, -7.0]),
)
def test_units_of_y_do_not_matter(seed, exponent, shift):
    """Scaling by a power of two is exact, so nothing but the units may change."""
    X, y, labels = small_problem(np.random.default_rng(seed))
    scale = 2.0**exponent
    mean, std = MAST(COSTS).fit(X, y, fidelity=labels).predict(X, return_std=True)
    other = MAST(COSTS).fit(X, scale * (y + shift), fidelity=labels)
    other_mean, other_std = other.predict(X, return_std=True)
    tolerance = 1e-12 if shift == 0 else 2e-3
    spread = y.std()
    np.testing.assert_allclose(other_mean / scale - shift, mean, atol=tolerance * spread)
    np.testing.assert_allclose(other_std / scale, std, atol=tolerance * spread)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000), low=st.floats(-100, 100), width=st.floats(0.01, 1e4))
def test_units_of_x_do_not_matter(seed, low, width):
    X, y, labels = small_problem(np.random.default_rng(seed))
    first = MAST(COSTS, bounds=[(0, 1), (0, 1)]).fit(X, y, fidelity=labels)
    stretched = low + width * X
    box = [(low - 1e-9 * width, low + width * (1 + 1e-9))] * 2
    second = MAST(COSTS, bounds=box).fit(stretched, y, fidelity=labels)
    np.testing.assert_allclose(second.predict(stretched), first.predict(X), atol=2e-3 * y.std())


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000), copies=st.integers(1, 6), same=st.booleans())
def test_duplicated_cheap_points_never_raise(seed, copies, same):
    rng = np.random.default_rng(seed)
    X, y, labels = small_problem(rng)
    again = np.zeros(copies, dtype=int)
    X, labels = np.vstack([X, X[again]]), np.append(labels, labels[again])
    y = np.append(y, y[again] + (0 if same else rng.standard_normal(copies)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mastgp.DuplicateWarning)
        model = MAST(COSTS).fit(X, y, fidelity=labels)
    mean, std = model.predict(X, return_std=True)
    assert np.isfinite(mean).all()
    assert (std > 0).all()


def small_problem(rng):
    X = rng.random((22, 2))
    labels = np.array(["coarse"] * 16 + ["fine"] * 6)
    y = np.sin(4 * X[:, 0]) + X[:, 1] + np.where(labels == "coarse", 0.3 * X[:, 1], 0.0)
    return X, y, labels


def test_a_fit_that_fails_leaves_no_model(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS).fit(X, y, fidelity=labels)
    with pytest.raises(DataError, match="unknown metric"):
        model.set_params(metric="nonsense").fit(2 * X, 3 * y, fidelity=labels)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_names_of_inputs_never_hide_results(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS).fit(pd.DataFrame(X, columns=["trust", "y"]), y, fidelity=labels)
    columns = list(model.augmented_.columns)
    assert columns[:4] == ["fidelity", "trust (input)", "y (input)", "y"]
    assert len(set(columns)) == len(columns)


def test_a_weight_must_give_numbers(two_fidelities):
    X, y, labels, _ = two_fidelities
    with pytest.raises(DataError, match="gave NaN"):
        MAST(COSTS, weight=lambda d, alpha, r: np.nan * d).fit(X, y, fidelity=labels)


def test_without_weight_of_neighbours_cheap_points_are_trusted_wholly(two_fidelities):
    """W = 1: the cheap values, corrected. The paper's W9 is the opposite."""
    X, y, labels, _ = two_fidelities
    cheap = labels == "coarse"
    trusting = MAST(COSTS, weight=lambda d, alpha, r: np.zeros_like(d))
    table = trusting.fit(X, y, fidelity=labels).augmented_[cheap]
    assert (table["trust"] == 1.0).all()
    np.testing.assert_array_equal(table["y_corrected"], table["y"] + table["discrepancy"])
    assert not np.allclose(table["y_corrected"], table["top_mean"])
    ninth = MAST(COSTS, weight="hf-only").fit(X, y, fidelity=labels).augmented_[cheap]
    assert (ninth["trust"] == 0.0).all()
    np.testing.assert_array_equal(ninth["y_corrected"], ninth["top_mean"])
