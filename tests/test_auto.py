from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.exceptions import NotFittedError

import mastgp
from conftest import COSTS
from mastgp import MAST, AutoSurrogate, CopiesWarning, DataError, FitWarning, validate
from mastgp.auto import calibration_of, default_candidates
from mastgp.crossval import HeldOut
from mastgp.data import without_copies
from mastgp.mixture import Mixture
from mastgp.progress import listening
from mastgp.rivals import FIRE, CoKriging, SingleFidelity
from mastgp.weights import blend_weights


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
    np.testing.assert_allclose(noisy.variances - latent.variances, fitted.noise_var_)


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
    trial = candidates.candidates_held_out_["mast"]
    moved = y.copy()
    row = int(data.top.rows[0])
    moved[row] += 1e-3
    again = AutoSurrogate(COSTS).fit(X, moved, fidelity=labels)
    assert again.training_data_.top.rows[0] == row
    before, after = trial.mean[0], again.candidates_held_out_["mast"].mean[0]
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
    from mastgp import auto
    from mastgp.verdict import FidelityVerdict, Verdict

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


def test_the_check_of_other_methods_warns_of_copies(rng):
    X = rng.random((20, 2))
    X[:5] = X[15:]
    labels = ["coarse"] * 15 + ["fine"] * 5
    model = MAST(COSTS).fit(X, truth(X), fidelity=labels)
    with pytest.warns(CopiesWarning, match="looks too good"):
        validate(model)
    with pytest.raises(NotFittedError):
        validate(MAST())


def test_three_fidelities_get_a_verdict_each(rng):
    X = rng.random((60, 2))
    labels = np.repeat(["a", "b", "c"], [30, 20, 10])
    y = truth(X) + np.where(labels == "a", X[:, 1], np.where(labels == "b", 0.2, 0.0))
    model = AutoSurrogate(order=["a", "b", "c"]).fit(X, y, fidelity=labels)
    assert [entry.name for entry in model.verdict_.fidelities] == ["a", "b"]
    assert any(name.startswith("common-bias") for name in model.weights_)


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
    first = plain.predict_mixture(Q).variances * scaled.calibration_**2
    np.testing.assert_allclose(scaled.predict_mixture(Q).variances, first)
    _, before = plain.predict(Q, return_std=True, include_noise=True)
    _, after = scaled.predict(Q, return_std=True, include_noise=True)
    assert (after / before - 1) * (scaled.calibration_ - 1) == pytest.approx(
        (scaled.calibration_ - 1) ** 2 * np.ones(5), rel=0.6
    )
    ratio = scaled.held_out_.std / plain.held_out_.std
    np.testing.assert_allclose(ratio, scaled.calibration_)
    assert plain.calibration_ == 1.0


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
        raise np.linalg.LinAlgError("singular")


def test_a_candidate_that_fails_is_left_out(rng):
    X, y, labels = pair(rng, lambda X: truth(X) + 0.2, n_cheap=12, n_dear=5)
    with pytest.warns(FitWarning, match="candidate 'broken' could not be fitted: singular"):
        model = AutoSurrogate(COSTS, add={"broken": Broken()}).fit(X, y, fidelity=labels)
    assert "broken" not in model.weights_
    with pytest.raises(DataError, match="candidate 'fire' is tried anyway"):
        AutoSurrogate(COSTS, add=["fire"]).fit(X, y, fidelity=labels)


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
    from mastgp.verdict import _verdict

    X, y, labels = pair(np.random.default_rng(0), truth, n_dear=6)
    data = CoKriging(COSTS, structure="top-only").fit(X, y, fidelity=labels).training_data_
    gains = np.random.default_rng(1).normal(0.5, 0.5, 4000)
    entry = _verdict("coarse", data, gains)
    assert entry.word == "is neutral"
    assert "may change the error on fine points, by about -49%" in entry.sentence
    assert "too few to say" in entry.sentence
