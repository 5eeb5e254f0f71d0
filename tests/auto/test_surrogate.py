from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from scipy.stats import norm

import mastgp
from mastgp import MAST, AutoSurrogate, DataError, FitWarning, MastError, validate
from mastgp.auto.candidates import default_candidates
from mastgp.auto.spread import spread_factor
from mastgp.auto.verdict import FidelityVerdict, Verdict
from mastgp.models.calibration import widening
from mastgp.models.cokriging import CoKriging
from mastgp.models.fire import FIRE
from mastgp.models.single import SingleFidelity
from mastgp.progress import listening
from support import COSTS, attribute_names, pair, snapshot, three_levels, truth

#: Candidates that do not look at cheap data.
NOT_CHEAP = {candidate.name for candidate in default_candidates(1)}


def wiggly(X):
    return np.sin(9 * X[:, 0]) * np.cos(8 * X[:, 1]) + 0.5 * np.sin(12 * X[:, 2])


def test_as_good_as_its_best_candidates(fitted, rng):
    Q = rng.random((500, 2))

    def error(model):
        return np.sqrt(np.mean((model.predict(Q) - truth(Q)) ** 2))

    data = fitted.training_data_
    alone = SingleFidelity(order=["coarse", "fine"]).fit_data(data)
    mast = MAST().fit_data(data)
    scaled = data.box.to_unit(Q)
    errors = {
        "auto": error(fitted),
        "alone": np.sqrt(np.mean((alone.mean_unit(scaled) - truth(Q)) ** 2)),
        "mast": np.sqrt(np.mean((mast.mean_unit(scaled) - truth(Q)) ** 2)),
    }
    assert errors["auto"] < 0.5 * errors["alone"]
    assert errors["auto"] < errors["mast"]


def test_moments_quantiles_density_and_samples_are_those_of_the_mixture(fitted, rng):
    Q = rng.random((6, 2))
    mean, std = fitted.predict(Q, return_std=True)
    mixture = fitted.predict_mixture(Q)
    shares = mixture.weights
    np.testing.assert_allclose(shares.sum(axis=0), 1.0)
    np.testing.assert_allclose(mean, np.sum(shares * mixture.means, axis=0))
    second = np.sum(shares * (mixture.variances + mixture.means**2), axis=0)
    np.testing.assert_allclose(std**2, second - mean**2, rtol=1e-6)
    by_hand = sum(
        w * norm.pdf(mean, m, np.sqrt(v))
        for w, m, v in zip(shares, mixture.means, mixture.variances, strict=True)
    )
    np.testing.assert_allclose(mixture.density(mean), by_hand)
    for q in (0.025, 0.5, 0.975):
        np.testing.assert_allclose(mixture.cdf(fitted.predict_quantile(Q, q)), q, atol=1e-9)
    samples = fitted.sample_y(Q, 20_000, random_state=0)
    np.testing.assert_allclose(samples.mean(axis=1), mean, atol=5 * std.max() / np.sqrt(20_000))
    np.testing.assert_allclose(samples.std(axis=1), std, rtol=0.05)
    _, cov = fitted.predict(Q, return_cov=True)
    np.testing.assert_allclose(np.sqrt(cov.diagonal()), std, rtol=1e-4)
    np.testing.assert_allclose(np.cov(samples), cov, atol=0.1 * cov.max())


def test_noise_is_added_to_every_member(fitted, rng):
    Q = rng.random((3, 2))
    latent, noisy = fitted.predict_mixture(Q), fitted.predict_mixture(Q, include_noise=True)
    noise_var = fitted.spread_**2 * fitted.noise_var_
    np.testing.assert_allclose(noisy.variance - latent.variance, noise_var)
    low, _ = fitted.predict_interval(Q, include_noise=True)
    np.testing.assert_allclose(noisy.cdf(low), 0.025, atol=1e-6)


def test_no_held_out_point_shapes_its_own_prediction(rng):
    """Moving one observation must not move what the blend says about it (weights included)."""
    X, y, labels = pair(rng, lambda X: truth(X) + 0.3, n_dear=8)
    candidates = AutoSurrogate(COSTS).fit(X, y, fidelity=labels)
    data = candidates.training_data_
    entry = candidates.candidates_held_out_["mast"]
    moved = y.copy()
    row = int(data.top.rows[0])
    moved[row] += 1e-3
    again = AutoSurrogate(COSTS).fit(X, moved, fidelity=labels)
    assert again.training_data_.top.rows[0] == row
    before, after = entry.mean[0], again.candidates_held_out_["mast"].mean[0]
    assert before == pytest.approx(after, abs=1e-4)


def test_a_nested_design_is_checked_as_hard_as_queries_are(rng):
    """Where all expensive places have a cheap row, that row is held out, too."""
    L = np.random.default_rng(0).random((30, 3))
    H = L[:10]
    y = np.concatenate([1.2 * wiggly(L) + L[:, 0], wiggly(H)])
    labels = ["coarse"] * 30 + ["fine"] * 10
    model = AutoSurrogate(COSTS).fit(np.concatenate([L, H]), y, fidelity=labels)
    Q = rng.random((500, 3))
    true = np.sqrt(np.mean((model.predict(Q) - wiggly(Q)) ** 2))
    assert model.held_out_.rmse > 0.5 * true
    assert model.verdict_.fidelities[0].gain < 0.8


def test_the_blend_is_checked_with_the_weights_it_has(fitted):
    """Each point's weights are from the others' errors, but otherwise as in the blend."""
    checked = fitted.candidates_held_out_
    names = list(checked)
    errors = np.column_stack([checked[name].error ** 2 for name in names])
    shipped = sum(w * checked[name].mean for name, w in fitted.weights_.items())
    rmse = np.sqrt(np.mean((shipped - fitted.held_out_.y) ** 2))
    assert fitted.held_out_.rmse == pytest.approx(rmse, rel=0.5)
    assert fitted.held_out_.rmse > 0.5 * np.sqrt(errors.mean(axis=0).min())
    probability = fitted.held_out_.probability
    assert ((probability > 0) & (probability < 1)).all()


def test_three_fidelities_get_a_verdict_each_and_one_together(tmp_path, rng):
    X, y, labels = three_levels(rng, (24, 16, 9))
    model = AutoSurrogate(order=["a", "b", "c"]).fit(X, y, fidelity=labels)
    assert [entry.name for entry in model.verdict_.fidelities] == ["a", "b"]
    assert any(name.startswith("common-bias") for name in model.weights_)
    assert model.verdict_.together.word == "helps"
    model.save(tmp_path / "a.mast")
    again = mastgp.load(tmp_path / "a.mast")
    assert again.verdict_ == model.verdict_


def test_saved_and_loaded(tmp_path, fitted, rng):
    fitted.save(tmp_path / "auto.mast")
    again = mastgp.load(tmp_path / "auto.mast")
    Q = rng.random((5, 2))
    np.testing.assert_array_equal(
        again.predict(Q, return_std=True), fitted.predict(Q, return_std=True)
    )
    assert str(again.verdict_) == str(fitted.verdict_)
    assert again.weights_ == fitted.weights_
    assert again.validation_.equals(fitted.validation_)


def test_gradient(fitted, rng):
    Q, step = rng.uniform(0.2, 0.8, (3, 2)), 1e-5
    d_mean, d_var = fitted.predict_gradient(Q)
    for i in range(2):
        e = step * np.eye(2)[i]
        (m1, s1), (m0, s0) = (fitted.predict(Q + d, return_std=True) for d in (e, -e))
        np.testing.assert_allclose(d_mean[:, i], (m1 - m0) / (2 * step), rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(d_var[:, i], (s1**2 - s0**2) / (2 * step), rtol=1e-2, atol=1e-6)


def test_validation_table(fitted):
    table = validate(fitted)
    assert table.model[0] == "blend"
    assert {"mast", "expensive alone", "ar1, warped", "fire"} <= set(table.model)
    assert table.weight[1:].sum() == pytest.approx(1.0)
    assert table.weight[1:].is_monotonic_decreasing


def test_calibration_keeps_the_mean(rng):
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=25, n_dear=8)
    plain, scaled = (
        AutoSurrogate(COSTS, calibrate=flag).fit(X, y, fidelity=labels) for flag in (False, True)
    )
    Q = rng.random((5, 2))
    np.testing.assert_allclose(plain.predict(Q), scaled.predict(Q))
    z = plain.held_out_.error / plain.held_out_.std
    assert scaled.calibration_ == widening(z)
    assert plain.calibration_ == 1.0
    np.testing.assert_allclose(
        scaled.held_out_.std, plain.held_out_.std * [widening(np.delete(z, i)) for i in range(8)]
    )
    scaled.calibration_ = factor = 1.3
    for noisy in (False, True):
        before, after = (
            m.predict(Q, return_std=True, include_noise=noisy)[1] for m in (plain, scaled)
        )
        np.testing.assert_allclose(after, factor * before)
    widths = [np.subtract(*m.predict_interval(Q)) for m in (plain, scaled)]
    np.testing.assert_allclose(widths[1], factor * widths[0], rtol=1e-6)
    _, cov = scaled.predict(Q, return_cov=True)
    np.testing.assert_allclose(cov, factor**2 * plain.predict(Q, return_cov=True)[1])
    draws = [m.sample_y(Q, 4, random_state=1) for m in (plain, scaled)]
    mean = plain.predict(Q)[:, None]
    np.testing.assert_allclose(draws[1] - mean, factor * (draws[0] - mean), atol=1e-9)
    slopes = [m.predict_gradient(Q)[1] for m in (plain, scaled)]
    np.testing.assert_allclose(slopes[1], factor**2 * slopes[0])


def test_members_are_spread_by_the_blends_own_residuals(rng, monkeypatch):
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=25, n_dear=8)
    Q = rng.random((5, 2))
    model = AutoSurrogate(COSTS).fit(X, y, fidelity=labels)
    monkeypatch.setattr("mastgp.auto.surrogate.spread_factor", lambda z: 1.0)
    monkeypatch.setattr("mastgp.auto.surrogate.spread_without_each", lambda z, groups: 1.0)
    plain = AutoSurrogate(COSTS).fit(X, y, fidelity=labels)
    z = plain.held_out_.error / plain.held_out_.std
    assert model.spread_ == spread_factor(z) != 1.0
    np.testing.assert_allclose(model.predict(Q), plain.predict(Q))
    for name, member in model.candidates_.items():
        stds = [m.predict(Q, return_std=True)[1] for m in (member, plain.candidates_[name])]
        np.testing.assert_allclose(stds[0], model.spread_ * stds[1])
    np.testing.assert_allclose(model.held_out_.mean, plain.held_out_.mean)
    checks = [m.candidates_held_out_["fire"].std for m in (model, plain)]
    np.testing.assert_array_equal(*checks)  # a candidate is checked as it is by itself


def test_a_calibrated_member_keeps_its_width_in_the_blend(fitted, rng):
    Q = rng.random((3, 2))
    name = next(iter(fitted.candidates_))
    blend = copy.copy(fitted)
    blend.candidates_, blend.weights_ = {name: copy.copy(fitted.candidates_[name])}, {name: 1.0}
    before = blend.predict(Q, return_std=True)[1], blend.predict_gradient(Q)[1]
    blend.candidates_[name].calibration_ *= 2.0
    np.testing.assert_allclose(blend.predict(Q, return_std=True)[1], 2.0 * before[0])
    np.testing.assert_allclose(blend.predict_gradient(Q)[1], 4.0 * before[1])
    cov = blend.predict(Q, return_cov=True)[1]
    np.testing.assert_allclose(np.sqrt(np.diag(cov)), 2.0 * before[0], rtol=1e-5)


def test_candidates_of_the_users_own(rng):
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=15, n_dear=6)
    model = AutoSurrogate(COSTS, add={"mine": CoKriging(isotropic=True)})
    assert "mine" in model.fit(X, y, fidelity=labels).weights_
    by_name = AutoSurrogate(COSTS, add=["recursive"], random_state=0).fit(X, y, fidelity=labels)
    assert "recursive" in by_name.weights_
    for wrong, message in ((["magic"], "unknown method"), ("recursive", "sequence of method")):
        with pytest.raises(DataError, match=message):
            AutoSurrogate(COSTS, add=wrong).fit(X, y, fidelity=labels)
    with pytest.raises(DataError, match="'mine' is no multi-fidelity estimator"):
        AutoSurrogate(COSTS, add={"mine": 3}).fit(X, y, fidelity=labels)


def test_a_blend_with_a_nonlinear_member_has_everything(tmp_path):
    """High is the square of low, tilted: FIRE takes part, and must not take anything away."""
    low, high = np.linspace(0, 1, 40), np.linspace(0.02, 0.98, 12)

    def f(x):
        return np.sin(8 * np.pi * x)

    X = np.concatenate([low, high])[:, None]
    y = np.concatenate([f(low), (high - np.sqrt(2)) * f(high) ** 2])
    model = AutoSurrogate(COSTS).fit(X, y, fidelity=["coarse"] * 40 + ["fine"] * 12)
    assert any(isinstance(member, FIRE) for member in model.candidates_.values())
    Q, step = np.array([[0.31], [0.52]]), 1e-6
    d_mean, _ = model.predict_gradient(Q)
    numeric = (model.predict(Q + step) - model.predict(Q - step)) / (2 * step)
    np.testing.assert_allclose(d_mean[:, 0], numeric, rtol=1e-3, atol=1e-3)
    std, cov = model.predict(Q, return_std=True)[1], model.predict(Q, return_cov=True)[1]
    np.testing.assert_allclose(np.sqrt(cov.diagonal()), std, rtol=1e-4)
    assert model.sample_y(Q, 50, random_state=2).shape == (2, 50)
    model.save(tmp_path / "a.mast")
    np.testing.assert_array_equal(mastgp.load(tmp_path / "a.mast").predict(Q), model.predict(Q))


class Lacking(CoKriging):
    """A good member without a covariance."""

    abilities = frozenset({"gradient", "file"})

    def covariance_unit(self, U):
        raise self._lacks("joint covariance")


def test_what_a_member_lacks_does_not_depend_on_the_draw(fitted, rng):
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=12, n_dear=5)
    model = AutoSurrogate(COSTS, add={"lacking": Lacking()}).fit(X, y, fidelity=labels)
    assert "lacking" in model.candidates_
    assert model.abilities == {"gradient", "file"}
    for seed in range(5):
        with pytest.raises(MastError, match="Lacking has no joint covariance"):
            model.sample_y(X[:2], random_state=seed)
    assert fitted.sample_y(X[:2], 0).shape == (2, 0)


def test_the_targets_units_do_not_matter(rng):
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=15, n_dear=6)
    added = {"also": CoKriging(structure="top-only", warp=None), "flat": CoKriging(priors=None)}
    first, second = (
        AutoSurrogate(COSTS, add=added).fit(X, k * y, fidelity=labels) for k in (1.0, 1000.0)
    )
    for name, weight in first.weights_.items():
        assert second.weights_[name] == pytest.approx(weight, abs=0.02)


@pytest.mark.filterwarnings("ignore::mastgp.MastWarning")
@pytest.mark.parametrize("n_dear", [1, 2, 3])
def test_very_few_expensive_points(rng, n_dear):
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=20, n_dear=n_dear)
    model = AutoSurrogate(COSTS).fit(X, y, fidelity=labels)
    mean, std = model.predict(rng.random((5, 2)), return_std=True)
    assert np.isfinite(mean).all()
    assert (std > 0).all()


@pytest.mark.filterwarnings("ignore::mastgp.MastWarning")
def test_one_fidelity_and_constant_targets(rng):
    X = rng.random((9, 2))
    alone = AutoSurrogate().fit(X, truth(X))
    assert set(alone.weights_) == NOT_CHEAP
    assert alone.verdict_.fidelities == ()
    flat = AutoSurrogate(COSTS).fit(X, np.ones(9), fidelity=["coarse"] * 5 + ["fine"] * 4)
    np.testing.assert_allclose(flat.predict(X), 1.0, atol=1e-6)


def test_progress_is_told(rng):
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=12, n_dear=5)
    told = []
    with listening(lambda *report: told.append(report)):
        AutoSurrogate(COSTS).fit(X, y, fidelity=labels)
    assert {what for what, _, _ in told} == {"judging the cheap data", "trying candidates"}
    assert max(total for _, _, total in told) == 8


@pytest.mark.parametrize(
    "cheap",
    [
        lambda X: np.random.default_rng(7).standard_normal(len(X)),
        lambda X: np.cos(17 * X[:, 1] + 11 * X[:, 0]),
    ],
    ids=["noise", "unrelated"],
)
def test_poor_cheap_data_do_little_harm(cheap):
    X, y, labels = pair(np.random.default_rng(0), cheap, n_dear=14)
    Q = np.random.default_rng(1).random((400, 2))
    blend, alone = (
        np.sqrt(np.mean((model.fit(X, y, fidelity=labels).predict(Q) - truth(Q)) ** 2))
        for model in (AutoSurrogate(COSTS), SingleFidelity(costs=COSTS))
    )
    assert blend < 1.3 * alone


def test_a_fidelity_that_hurts_is_dropped_only_on_request(tmp_path, monkeypatch, rng):
    said = Verdict((FidelityVerdict("coarse", "hurts", -0.5, -0.9, -0.1, "coarse: hurts."),))
    monkeypatch.setattr("mastgp.auto.surrogate.judge", lambda *_: said)
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=12, n_dear=6)
    kept, dropped = (
        AutoSurrogate(COSTS, drop=drop).fit(X, y, fidelity=labels) for drop in (False, True)
    )
    assert dropped.verdict_ == kept.verdict_ == said
    assert "mast" in kept.weights_
    assert set(dropped.weights_) == NOT_CHEAP
    Q = np.random.default_rng(0).random((5, 2))
    dropped.save(tmp_path / "a.mast")
    np.testing.assert_array_equal(mastgp.load(tmp_path / "a.mast").predict(Q), dropped.predict(Q))


def test_a_blend_without_one_of_three_fidelities_in_a_file(tmp_path, monkeypatch, rng):
    """Members of the other two, and of the expensive points alone, whichever comes first."""
    words = {"a": "hurts", "b": "helps"}
    said = Verdict(
        tuple(FidelityVerdict(name, word, 0.0, 0.0, 0.0, word) for name, word in words.items())
    )
    monkeypatch.setattr("mastgp.auto.surrogate.judge", lambda *_: said)
    X = rng.random((30, 2))
    labels = np.repeat(["a", "b", "c"], [10, 11, 9])
    y = np.where(labels == "c", truth(X), 50 * rng.standard_normal(30))
    model = AutoSurrogate(order=["a", "b", "c"], drop=True).fit(X, y, fidelity=labels)
    used = {member.uses_cheap_data: member for member in model.candidates_.values()}
    assert set(used) == {False, True}
    assert [f.name for f in used[True].training_data_.fidelities] == ["b", "c"]
    for first in (False, True):
        model.candidates_ = dict(
            sorted(model.candidates_.items(), key=lambda entry: entry[1].uses_cheap_data != first)
        )
        model.save(tmp_path / "a.mast")
        again = mastgp.load(tmp_path / "a.mast")
        np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_a_candidate_that_fails_is_left_out(rng):
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=12, n_dear=5)
    with pytest.warns(FitWarning, match="candidate 'broken' could not be fitted: singular"):
        model = AutoSurrogate(COSTS, add={"broken": Broken()}).fit(X, y, fidelity=labels)
    assert "broken" not in model.weights_
    with pytest.raises(DataError, match="candidate 'fire' is tried anyway"):
        AutoSurrogate(COSTS, add=["fire"]).fit(X, y, fidelity=labels)


class Broken(CoKriging):
    def fit_unit(self, data, known):
        raise ValueError("singular")


def test_variants_of_mast_are_tried_where_mast_is_in_the_running(fitted):
    rmse = {name: checked.rmse for name, checked in fitted.candidates_held_out_.items()}
    in_the_running = rmse["mast"] <= 1.25 * min(
        value for name, value in rmse.items() if not name.startswith("mast,")
    )
    assert in_the_running == any(name.startswith("mast,") for name in rmse)


def test_a_refit_changes_nothing_but_what_it_returns(rng):
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=12, n_dear=6)
    model = AutoSurrogate(COSTS).fit(X, y, fidelity=labels)
    predicted, held = model.predict(X, return_std=True), snapshot(model)
    data = model.training_data_
    again = model.refit(data.without(data.at_places_of(np.array([0]))))
    assert len(again.training_data_.top.y) == 5
    assert snapshot(model) == held
    np.testing.assert_array_equal(model.predict(X, return_std=True), predicted)
    for either in (model, again):
        assert not attribute_names(either) & {"_known", "_before", "_start", "_traits"}


def test_abilities_are_those_of_all_members(fitted):
    able = {"covariance", "gradient", "samples", "file", "export"}
    assert AutoSurrogate().abilities == able
    assert fitted.abilities == able


def test_facts_are_plain_data(fitted):
    facts = json.loads(json.dumps(fitted.facts()))
    assert facts["weights"] == fitted.weights_
    assert facts["verdict"][0]["word"] == fitted.verdict_.fidelities[0].word
    assert facts["validation"][0]["model"] == "blend"
    assert facts["noise"] == {"fine": pytest.approx(np.sqrt(fitted.noise_var_))}
    assert fitted.label == "Auto"
