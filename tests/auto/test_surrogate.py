from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.exceptions import NotFittedError

import mastgp
from mastgp import MAST, AutoSurrogate, CopiesWarning, DataError, FitWarning, MastError, validate
from mastgp.auto.surrogate import (
    EVIDENCE,
    _held_out_blend,
    _try_each,
    calibration_of,
    default_candidates,
)
from mastgp.auto.weights import blend_weights, weights_without_each
from mastgp.check.heldout import HeldOut, held_out
from mastgp.data.dataset import without_copies
from mastgp.gp import GaussianProcess
from mastgp.gp.distributions import Mixture
from mastgp.models.cokriging import CoKriging
from mastgp.models.fire import FIRE
from mastgp.models.single import SingleFidelity
from mastgp.progress import listening
from support import COSTS


def truth(X):
    return np.sin(5 * X[:, 0]) + X[:, 1] ** 2


def pair(rng, cheap, n_cheap=40, n_dear=12):
    """Expensive points of `truth`, and cheap ones of another function."""
    X1, X2 = rng.random((n_cheap, 2)), rng.random((n_dear, 2))
    X = np.concatenate([X1, X2])
    y = np.concatenate([cheap(X1), truth(X2)])
    return X, y, np.array(["coarse"] * n_cheap + ["fine"] * n_dear)


@pytest.fixture(scope="module")
def fitted():
    X, y, labels = pair(np.random.default_rng(3), lambda X: 0.7 * truth(X) + X[:, 0])
    return AutoSurrogate(COSTS).fit(X, y, fidelity=labels)


def test_as_good_as_its_best_candidates(fitted, rng):
    Q = rng.random((500, 2))

    def error(model):
        return np.sqrt(np.mean((model.predict(Q) - truth(Q)) ** 2))

    data = fitted.training_data_
    alone = SingleFidelity(order=["coarse", "fine"])._fit_data(data)
    mast = MAST()._fit_data(data)
    scaled = data.box.to_unit(Q)
    errors = {
        "auto": error(fitted),
        "alone": np.sqrt(np.mean((alone._mean_unit(scaled) - truth(Q)) ** 2)),
        "mast": np.sqrt(np.mean((mast._mean_unit(scaled) - truth(Q)) ** 2)),
    }
    assert errors["auto"] < 0.5 * errors["alone"]
    assert errors["auto"] < errors["mast"]


def test_moments_quantiles_density_and_samples_are_those_of_the_mixture(fitted, rng):
    Q = rng.random((6, 2))
    mean, std = fitted.predict(Q, return_std=True)
    mixture = fitted.predict_mixture(Q)
    shares = mixture.weights
    assert shares.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(mean, shares @ mixture.means)
    second = shares @ (mixture.variances + mixture.means**2)
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


def test_a_mixture_of_one_is_the_normal_distribution():
    mixture = Mixture(np.ones(1), np.array([[2.0]]), np.array([[9.0]]))
    assert mixture.quantile(0.9)[0] == pytest.approx(norm.ppf(0.9, 2, 3))
    assert mixture.density([1.0])[0] == pytest.approx(norm.pdf(1, 2, 3))
    with pytest.raises(ValueError, match="between 0 and 1"):
        mixture.quantile(1.0)


def test_noise_is_added_to_every_member(fitted, rng):
    Q = rng.random((3, 2))
    latent, noisy = fitted.predict_mixture(Q), fitted.predict_mixture(Q, include_noise=True)
    own = [[member.noise_var_] * 3 for member in fitted.candidates_.values()]
    np.testing.assert_allclose(noisy.variances - latent.variances, own)
    np.testing.assert_allclose(noisy.variance - latent.variance, fitted.noise_var_)
    low, _ = fitted.predict_interval(Q, include_noise=True)
    np.testing.assert_allclose(noisy.cdf(low), 0.025, atol=1e-6)


def test_weights_follow_held_out_errors():
    errors = np.array([[1.0, 4.0], [1.2, 3.0], [0.8, 5.0]] * 5)
    weights = blend_weights(errors)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[0] > 0.9
    np.testing.assert_allclose(blend_weights(errors[:, ::-1]), weights[::-1])
    np.testing.assert_allclose(blend_weights(100 * errors), weights)
    np.testing.assert_allclose(blend_weights(np.empty((0, 2))), 0.5)
    assert blend_weights(errors[:2])[1] > weights[1]  # few points decide little


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


@pytest.mark.parametrize(
    ("cheap", "words"),
    [
        (lambda X: truth(X) + 0.5 * X[:, 0], {"helps"}),
        (lambda X: -2.0 * truth(X) + 1.0, {"helps"}),
        (lambda X: np.random.default_rng(7).standard_normal(len(X)), {"is neutral", "hurts"}),
        (lambda X: np.cos(17 * X[:, 1] + 11 * X[:, 0]), {"is neutral", "hurts"}),
    ],
    ids=["useful", "anticorrelated", "noise", "unrelated"],
)
def test_verdict_on_known_truths(cheap, words):
    X, y, labels = pair(np.random.default_rng(0), cheap, n_dear=14)
    model = AutoSurrogate(COSTS).fit(X, y, fidelity=labels)
    (verdict,) = model.verdict_.fidelities
    assert verdict.word in words
    assert verdict.low <= verdict.gain <= verdict.high
    assert str(model.verdict_).startswith(f"coarse: {verdict.word}")
    assert "14 held-out points" in verdict.sentence
    Q = np.random.default_rng(1).random((400, 2))
    alone = SingleFidelity(costs=COSTS).fit(X, y, fidelity=labels)

    def error(m):
        return np.sqrt(np.mean((m.predict(Q) - truth(Q)) ** 2))

    assert error(model) < 1.3 * error(alone)


def test_copies_of_expensive_rows_prove_nothing(rng):
    X = rng.random((12, 2))
    both = np.concatenate([X, X])
    labels = ["coarse"] * 12 + ["fine"] * 12
    with pytest.warns(CopiesWarning, match="copies of 'fine' rows"):
        model = AutoSurrogate(COSTS).fit(both, truth(both), fidelity=labels)
    (verdict,) = model.verdict_.fidelities
    assert verdict.word == "is neutral"
    assert "copies" in verdict.sentence
    with pytest.warns(CopiesWarning):
        assert without_copies(model.training_data_).cheaper == ()


def test_a_fidelity_that_hurts_is_dropped_only_on_request(monkeypatch, rng):
    from mastgp.auto import surrogate as auto
    from mastgp.auto.verdict import FidelityVerdict, Verdict

    guilty = Verdict((FidelityVerdict("coarse", "hurts", -0.5, -0.8, -0.2, "coarse: hurts."),))
    monkeypatch.setattr(auto, "judge", lambda *_: guilty)
    X, y, labels = pair(rng, lambda X: X[:, 0], n_cheap=20, n_dear=8)
    kept = AutoSurrogate(COSTS).fit(X, y, fidelity=labels)
    dropped = AutoSurrogate(COSTS, drop=True).fit(X, y, fidelity=labels)
    assert "mast" in kept.weights_
    assert all(name.startswith("expensive alone") for name in dropped.weights_)


def test_differences_that_do_not_matter_are_no_help():
    """Fourteen points of a sine say all there is; noise beside them cannot help."""
    fine = np.linspace(0, 1, 14)
    for seed in range(3):
        noise = 100 * np.random.default_rng(seed).standard_normal(15)
        X = np.concatenate([np.linspace(0, 1, 15), fine])[:, None]
        y = np.concatenate([noise, np.sin(6 * fine)])
        model = AutoSurrogate(COSTS).fit(X, y, fidelity=["coarse"] * 15 + ["fine"] * 14)
        assert model.verdict_.fidelities[0].word != "helps"


def test_only_fitted_models_can_be_checked():
    with pytest.raises(NotFittedError):
        validate(MAST())


def wiggly(X):
    return np.sin(9 * X[:, 0]) * np.cos(8 * X[:, 1]) + 0.5 * np.sin(12 * X[:, 2])


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


@pytest.mark.parametrize("alter", [lambda y: 2 * y + 1, lambda y: np.round(y, 5)])
def test_altered_copies_of_expensive_rows_prove_nothing(alter):
    X = np.random.default_rng(4).random((12, 2))
    y = np.concatenate([alter(truth(X)), truth(X)])
    labels = ["coarse"] * 12 + ["fine"] * 12
    model = AutoSurrogate(COSTS).fit(np.concatenate([X, X]), y, fidelity=labels)
    assert model.verdict_.fidelities[0].word != "helps"


@pytest.mark.parametrize(
    "model", [MAST(COSTS), FIRE(COSTS), CoKriging(COSTS)], ids=["mast", "fire", "ar1"]
)
def test_cheap_rows_at_held_out_places_give_nothing_away(model, rng):
    """Whatever they say, the prediction of the held-out point is the same."""
    L, H = rng.random((20, 2)), rng.random((6, 2))
    X, labels = np.concatenate([L, H[:1], H]), ["coarse"] * 21 + ["fine"] * 6
    predicted = []
    for told in (0.0, 1.5):
        y = np.concatenate([truth(L), [told], truth(H)])
        fitted = model.fit(X, y, fidelity=labels)
        data = fitted.training_data_
        row = int(np.flatnonzero(data.top.rows == 21)[0])
        refitted = fitted._refit(data.without(data.at_places_of(np.array([row]))))
        assert len(refitted.training_data_.fidelities[0].y) == 20
        predicted.append(refitted.predict(H[:1])[0])
    assert predicted[0] == pytest.approx(predicted[1], abs=0.02)


def test_closed_form_of_a_nested_design(rng):
    """The block formula is what conditioning on the other rows gives, hyperparameters kept."""
    L = rng.random((15, 2))
    H = L[:5]
    y = np.concatenate([truth(L) + 0.3, truth(H)])
    labels = ["coarse"] * 15 + ["fine"] * 5
    model = CoKriging(COSTS, warp=None).fit(np.concatenate([L, H]), y, fidelity=labels)
    checked = held_out(model, quick=True)
    data, process = model.training_data_, model.process_
    for row in range(5):
        rest = data.without(data.at_places_of(np.array([row])))
        assert rest.n_points == 18
        state = process.get_state()
        keep = ~np.concatenate(data.at_places_of(np.array([row])))
        part = {k: state[k][keep] for k in ("X", "y", "groups")}
        again = GaussianProcess.from_state(process.model, {**state, **part})
        mean, var = again.predict(data.unit(data.top)[[row]], 1)
        assert checked.mean[row] == pytest.approx(mean[0], rel=1e-6)
        assert checked.std[row] ** 2 == pytest.approx(var[0] + model.noise_var_, rel=1e-6)


def test_a_fidelity_is_never_held_out_as_a_whole(rng):
    X = rng.random((8, 2))
    X[0] = X[1]
    labels = ["coarse"] + ["fine"] * 7
    with pytest.warns(mastgp.CostWarning):
        model = CoKriging(COSTS).fit(X, truth(X), fidelity=labels)
    data = model.training_data_
    masks = data.at_places_of(np.arange(7))
    assert not masks[0].any()
    assert masks[1].all()


def test_ten_folds_from_thirty_places_on(rng):
    for n, folds in ((29, 29), (30, 10)):
        X = rng.random((n, 1))
        model = CoKriging(structure="top-only", warp=None).fit(X, np.sin(5 * X[:, 0]))
        assert held_out(model, quick=True).n_folds == folds


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


def test_what_speaks_for_a_candidate_counts_in_the_blends_check(fitted):
    data = fitted.training_data_
    joint = [c for c in default_candidates(2) if c.name in ("ar1", "shared-bias", "general")]
    tried = _try_each(joint, data)
    errors = np.column_stack([t.checked.error**2 for t in tried])
    posterior = np.array([t.model.log_posterior_ for t in tried])
    weights = weights_without_each(errors, EVIDENCE * (posterior - posterior.max()))
    blend = np.sum(weights * np.column_stack([t.checked.mean for t in tried]), axis=1)
    np.testing.assert_allclose(_held_out_blend(tried).mean, blend)
    assert not np.allclose(weights, weights_without_each(errors))


def test_three_fidelities_get_a_verdict_each_and_one_together(tmp_path, rng):
    X = rng.random((60, 2))
    labels = np.repeat(["a", "b", "c"], [30, 20, 10])
    y = truth(X) + np.where(labels == "a", X[:, 1], np.where(labels == "b", 0.2, 0.0))
    model = AutoSurrogate(order=["a", "b", "c"]).fit(X, y, fidelity=labels)
    assert [entry.name for entry in model.verdict_.fidelities] == ["a", "b"]
    assert any(name.startswith("common-bias") for name in model.weights_)
    assert model.verdict_.together.word == "helps"
    model.save(tmp_path / "a.mast")
    again = mastgp.load(tmp_path / "a.mast")
    assert again.verdict_ == model.verdict_


def test_sources_that_say_the_same_help_together():
    """Each is worth nothing beside the other."""
    rng = np.random.default_rng(5)
    X1, X2 = rng.random((40, 2)), rng.random((10, 2))
    cheap = truth(X1) + 0.3 * X1[:, 0]
    X = np.concatenate([X1, X1, X2])
    y = np.concatenate([cheap, cheap + 0.1, truth(X2)])
    labels = np.repeat(["one", "two", "fine"], [40, 40, 10])
    model = AutoSurrogate(order=["one", "two", "fine"]).fit(X, y, fidelity=labels)
    first, second = model.verdict_.fidelities
    assert "helps" not in (first.word, second.word)
    assert "the other cheap data given" in first.sentence
    assert model.verdict_.together.word == "helps"
    assert str(model.verdict_).splitlines()[-1].startswith("all cheap data: helps")


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
    assert {"mast", "expensive alone", "ar1", "fire"} <= set(table.model)
    assert table.weight[1:].sum() == pytest.approx(1.0)
    assert table.weight[1:].is_monotonic_decreasing
    mast = MAST()._fit_data(fitted.training_data_)
    assert list(validate(mast).model) == ["MAST", "expensive alone"]
    assert (validate(mast).rmse > 0).all()


def test_calibration_widens_what_is_too_narrow():
    z = np.array([3.0, -3.0, 2.0, -2.0] * 5)
    narrow = HeldOut(np.zeros(20), z, np.ones(20), 20, True)
    assert calibration_of(narrow) == pytest.approx(np.sqrt((4 + z @ z) / 24))
    right = HeldOut(np.zeros(20), np.sign(z), np.ones(20), 20, True)
    assert calibration_of(right) == pytest.approx(1.0)


def test_calibration_keeps_the_mean(rng):
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=25, n_dear=8)
    plain, scaled = (
        AutoSurrogate(COSTS, calibrate=flag).fit(X, y, fidelity=labels) for flag in (False, True)
    )
    Q = rng.random((5, 2))
    np.testing.assert_allclose(plain.predict(Q), scaled.predict(Q))
    factor = scaled.calibration_
    assert abs(factor - 1.0) > 0.01
    assert plain.calibration_ == 1.0
    for noisy in (False, True):
        before, after = (
            m.predict(Q, return_std=True, include_noise=noisy)[1] for m in (plain, scaled)
        )
        np.testing.assert_allclose(after, factor * before)
    np.testing.assert_allclose(scaled.held_out_.std, factor * plain.held_out_.std)
    widths = [np.subtract(*m.predict_interval(Q)) for m in (plain, scaled)]
    np.testing.assert_allclose(widths[1], factor * widths[0], rtol=1e-6)
    _, cov = scaled.predict(Q, return_cov=True)
    np.testing.assert_allclose(cov, factor**2 * plain.predict(Q, return_cov=True)[1])
    draws = [m.sample_y(Q, 4, random_state=1) for m in (plain, scaled)]
    mean = plain.predict(Q)[:, None]
    np.testing.assert_allclose(draws[1] - mean, factor * (draws[0] - mean), atol=1e-9)
    slopes = [m.predict_gradient(Q)[1] for m in (plain, scaled)]
    np.testing.assert_allclose(slopes[1], factor**2 * slopes[0])


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


class Broken(CoKriging):
    def _fit_unit(self, data):
        raise ValueError("singular")


class Clueless(CoKriging):
    def _leave_out(self, folds):
        mean, var = super()._leave_out(folds)
        return np.full_like(mean, np.nan), var


def test_a_candidate_that_fails_is_left_out(rng):
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=12, n_dear=5)
    with pytest.warns(FitWarning, match="candidate 'broken' could not be fitted: singular"):
        model = AutoSurrogate(COSTS, add={"broken": Broken()}).fit(X, y, fidelity=labels)
    assert "broken" not in model.weights_
    with pytest.warns(FitWarning, match="'clueless' could not be fitted: .* not finite"):
        model = AutoSurrogate(COSTS, add={"clueless": Clueless()}).fit(X, y, fidelity=labels)
    assert np.isfinite(model.predict(X)).all()
    with pytest.raises(DataError, match="candidate 'fire' is tried anyway"):
        AutoSurrogate(COSTS, add=["fire"]).fit(X, y, fidelity=labels)


def test_what_a_member_lacks_does_not_depend_on_the_draw(fitted, rng):
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=12, n_dear=5)
    model = AutoSurrogate(COSTS, add=["reification"]).fit(X, y, fidelity=labels)
    assert "reification" in model.candidates_
    for seed in range(5):
        with pytest.raises(MastError, match="Reification has no joint covariance"):
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


def test_a_cheap_source_that_says_nothing_is_neutral(rng):
    X, y, labels = pair(rng, lambda X: np.full(len(X), 3.0), n_cheap=15, n_dear=6)
    with pytest.warns(mastgp.ConstantTargetWarning):
        model = AutoSurrogate(COSTS).fit(X, y, fidelity=labels)
    assert "the same response everywhere" in str(model.verdict_)


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
    assert all(name.startswith("expensive alone") for name in alone.weights_)
    assert alone.verdict_.fidelities == ()
    flat = AutoSurrogate(COSTS).fit(X, np.ones(9), fidelity=["coarse"] * 5 + ["fine"] * 4)
    np.testing.assert_allclose(flat.predict(X), 1.0, atol=1e-6)


def test_progress_is_told(rng):
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=12, n_dear=5)
    told = []
    with listening(lambda *report: told.append(report)):
        AutoSurrogate(COSTS).fit(X, y, fidelity=labels)
    assert {what for what, _, _ in told} == {"judging the cheap data", "trying candidates"}
    assert max(total for _, _, total in told) >= 18


def test_candidates_have_names_of_their_own():
    for n_levels, least in ((1, 4), (2, 18), (3, 20)):
        names = [candidate.name for candidate in default_candidates(n_levels)]
        assert len(names) >= least
        assert len(set(names)) == len(names)


def test_by_name():
    x1, x2 = np.linspace(0, 1, 20), np.linspace(0, 1, 5)
    tables = {"coarse": (x1[:, None], x1**2 + 0.1), "fine": (x2[:, None], x2**2)}
    model = mastgp.fit(tables, costs=COSTS, method="auto")
    assert isinstance(model, AutoSurrogate)
    assert model.predict([[0.5]])[0] == pytest.approx(0.25, abs=0.02)


def test_two_or_three_points_are_no_ground_for_a_verdict(rng):
    X, y, labels = pair(rng, truth, n_cheap=20, n_dear=3)
    (verdict,) = AutoSurrogate(COSTS).fit(X, y, fidelity=labels).verdict_.fidelities
    assert verdict.word == "cannot be judged"
    assert "fine points at 4 places, and there are 3" in verdict.sentence


def test_a_large_change_that_is_not_sure_is_told():
    from mastgp.auto.verdict import _verdict

    X, y, labels = pair(np.random.default_rng(0), truth, n_dear=6)
    data = CoKriging(COSTS, structure="top-only").fit(X, y, fidelity=labels).training_data_
    gains = np.random.default_rng(1).normal(0.5, 0.5, 4000)
    entry = _verdict("coarse", data, gains)
    assert entry.word == "is neutral"
    assert "may change the error on fine points, by about -49%" in entry.sentence
    assert "too few to say" in entry.sentence
