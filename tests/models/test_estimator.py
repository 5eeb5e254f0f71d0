from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import mastgp
from mastgp import MAST, DataError, ExtrapolationWarning
from mastgp.models.cokriging import CoKriging
from mastgp.models.estimator import MultiFidelityRegressor
from mastgp.models.fire import FIRE
from mastgp.models.fusion import Reification
from mastgp.models.known import Known, SharedFits
from mastgp.models.recursive import Recursive
from mastgp.models.single import SingleFidelity
from mastgp.surrogates import GP
from support import COSTS, attribute_names, snapshot


@pytest.mark.filterwarnings("ignore::mastgp.MastWarning")
@parametrize_with_checks([MAST(), CoKriging(), FIRE()])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.fixture
def fitted(two_fidelities):
    X, y, labels, _ = two_fidelities
    return MAST(COSTS).fit(X, y, fidelity=labels)


def test_predict_returns_what_is_asked_for(fitted, rng):
    Q = rng.uniform(0.2, 0.8, (5, 2))
    mean = fitted.predict(Q)
    with_std = fitted.predict(Q, return_std=True)
    with_cov = fitted.predict(Q, return_cov=True)
    np.testing.assert_array_equal(with_std[0], mean)
    np.testing.assert_allclose(with_cov[0], mean, rtol=1e-10)
    np.testing.assert_allclose(np.sqrt(with_cov[1].diagonal()), with_std[1], rtol=1e-4)
    with pytest.raises(DataError, match="not for both"):
        fitted.predict(Q, return_std=True, return_cov=True)


def test_noise_is_added_only_when_asked_for(fitted, rng):
    Q = rng.uniform(0.2, 0.8, (5, 2))
    _, latent = fitted.predict(Q, return_std=True)
    _, noisy = fitted.predict(Q, return_std=True, include_noise=True)
    np.testing.assert_allclose(noisy**2, latent**2 + fitted.noise_var_)
    _, latent_cov = fitted.predict(Q, return_cov=True)
    _, noisy_cov = fitted.predict(Q, return_cov=True, include_noise=True)
    np.testing.assert_allclose(noisy_cov - latent_cov, fitted.noise_var_ * np.eye(5), atol=1e-12)


def test_gradient_is_in_the_users_units(rng):
    X = rng.uniform([0, 1000], [0.1, 3000], (25, 2))
    y = np.sin(30 * X[:, 0]) + X[:, 1] / 1000
    model = MAST().fit(X, y)
    Q = np.array([[0.04, 1800.0], [0.06, 2500.0]])
    d_mean, d_var = model.predict_gradient(Q)
    for i, step in enumerate((1e-6, 1e-2)):
        change = np.zeros(2)
        change[i] = step
        up, down = (model.predict(Q + s * change, return_std=True) for s in (1, -1))
        np.testing.assert_allclose(d_mean[:, i], (up[0] - down[0]) / (2 * step), rtol=1e-4)
        numeric = (up[1] ** 2 - down[1] ** 2) / (2 * step)
        np.testing.assert_allclose(d_var[:, i], numeric, rtol=1e-3, atol=1e-3 * abs(numeric).max())


def test_samples_follow_the_random_state(fitted, rng):
    Q = rng.uniform(0.2, 0.8, (6, 2))
    draws = fitted.sample_y(Q, n_samples=3, random_state=1)
    assert draws.shape == (6, 3)
    np.testing.assert_array_equal(draws, fitted.sample_y(Q, n_samples=3, random_state=1))
    assert not np.array_equal(draws, fitted.sample_y(Q, n_samples=3, random_state=2))
    many = fitted.sample_y(Q, n_samples=20_000, random_state=0)
    mean, std = fitted.predict(Q, return_std=True)
    np.testing.assert_allclose(many.mean(axis=1), mean, atol=5 * std.max() / np.sqrt(20_000))
    np.testing.assert_allclose(many.std(axis=1), std, rtol=0.05)


def test_works_in_a_pipeline(two_fidelities):
    X, y, labels, _ = two_fidelities
    pipeline = make_pipeline(StandardScaler(), MAST(COSTS))
    pipeline.fit(X, y, mast__fidelity=labels)
    plain = MAST(COSTS).fit(X, y, fidelity=labels)
    np.testing.assert_allclose(pipeline.predict(X), plain.predict(X), rtol=1e-3)


@pytest.mark.filterwarnings("ignore::mastgp.FewPointsWarning")
def test_works_in_cross_validation(two_fidelities):
    X, y, labels, _ = two_fidelities
    folds = KFold(3, shuffle=True, random_state=0)
    model = MAST(COSTS, bounds=[(0, 1), (0, 1)])
    scores = cross_val_score(model, X, y, cv=folds, params={"fidelity": labels})
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()


def test_clone_and_pickle(fitted, rng):
    Q = rng.uniform(0.2, 0.8, (5, 2))
    assert clone(fitted).get_params() == fitted.get_params()
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(Q), fitted.predict(Q))


def test_score_is_r_squared(fitted, two_fidelities):
    X, y, labels, _ = two_fidelities
    fine = labels == "fine"
    assert fitted.score(X[fine], y[fine]) > 0.99


def test_score_counts_the_expensive_rows_only(fitted, two_fidelities):
    X, y, labels, _ = two_fidelities
    fine = labels == "fine"
    assert fitted.score(X, y, fidelity=labels) == fitted.score(X[fine], y[fine])
    assert fitted.score(X, y) < fitted.score(X, y, fidelity=labels)


def test_options_of_the_surrogate_can_be_tuned(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, surrogate=GP()).set_params(surrogate__kernel="matern52")
    assert model.fit(X, y, fidelity=labels).final_.model.components[0].kernel == "matern52"


def test_dataframes_keep_their_names(two_fidelities):
    X, y, labels, _ = two_fidelities
    frame = pd.DataFrame(X, columns=["span", "sweep"])
    model = MAST(COSTS).fit(frame, pd.Series(y, name="drag"), fidelity=pd.Series(labels))
    assert list(model.feature_names_in_) == ["span", "sweep"]
    assert model.target_name_ == "drag"
    assert list(model.augmented_.columns[:4]) == ["fidelity", "span", "sweep", "y"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["sweep", "span"]])
    bounds = {"span": (0.0, 1.0)}
    bounded = MAST(COSTS, bounds=bounds).fit(frame, y, fidelity=labels)
    np.testing.assert_array_equal(bounded.training_data_.box.high, [1.0, X[:, 1].max()])


def test_input_is_left_alone(two_fidelities):
    X, y, labels, _ = two_fidelities
    copies = X.copy(), y.copy(), labels.copy()
    MAST(COSTS).fit(X, y, fidelity=labels).predict(X)
    for before, after in zip(copies, (X, y, labels), strict=True):
        np.testing.assert_array_equal(before, after)


def test_far_queries_warn_once(fitted):
    far = np.tile([[5.0, 0.5]], (100, 1))
    with pytest.warns(ExtrapolationWarning, match="'x0'") as caught:
        mean, std = fitted.predict(far, return_std=True)
    assert len(caught) == 1
    assert np.isfinite(mean).all()
    assert (std > 0.5 * fitted.final_.y_scale).all()


def test_predict_before_fit():
    with pytest.raises(NotFittedError):
        MAST().predict([[1.0]])


def test_many_queries_in_bounded_memory(rng):
    import tracemalloc

    X = rng.random((150, 4))
    model = MAST().fit(X, X.sum(axis=1))
    Q = rng.random((200_000, 4))
    tracemalloc.start()
    model.predict(Q, return_std=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * Q.nbytes + 100e6  # the whole cross-covariance would take 240 MB


def test_intervals_and_quantiles(rng):
    X = rng.random((20, 2))
    model = MAST().fit(X, X[:, 0] + 0.1 * rng.standard_normal(20))
    Q = rng.random((5, 2))
    mean, std = model.predict(Q, return_std=True, include_noise=True)
    low, high = model.predict_interval(Q, level=0.9, include_noise=True)
    np.testing.assert_allclose(high - mean, 1.6448536 * std)
    np.testing.assert_allclose(mean - low, 1.6448536 * std)
    np.testing.assert_allclose(model.predict_quantile(Q, 0.5), model.predict(Q))
    for wrong in (0.0, 1.0, 95, np.nan):
        with pytest.raises(DataError, match="between 0 and 1"):
            model.predict_interval(Q, level=wrong)
        with pytest.raises(DataError, match="between 0 and 1"):
            model.predict_quantile(Q, wrong)


def test_nothing_works_before_fit():
    X = [[0.1, 0.2]]
    for call in (
        lambda: MAST().predict_interval(X, include_noise=True),
        lambda: MAST().predict_quantile(X, 0.5, include_noise=True),
        lambda: MAST().score(X, [1.0], fidelity=["fine"]),
    ):
        with pytest.raises(NotFittedError):
            call()


class Simple(MultiFidelityRegressor):
    """The least that a method must say of itself."""

    def __init__(
        self, costs=None, order=None, bounds=None, noise_std=None, random_state=None
    ) -> None:
        self.costs = costs
        self.order = order
        self.bounds = bounds
        self.noise_std = noise_std
        self.random_state = random_state

    noise_var_ = 0.25

    def fit_unit(self, data, known):
        self.mean_ = data.top.y.mean()
        self.known_ = known

    def predict_unit(self, U):
        return np.full(len(U), self.mean_), np.ones(len(U))


class Able(Simple):
    """The same with everything that a method may have besides."""

    def covariance_unit(self, U):
        return self.mean_unit(U), np.eye(len(U))

    def gradient_unit(self, U):
        return np.zeros_like(U), np.zeros_like(U)

    def get_state(self):
        return {"mean": self.mean_}


def test_what_a_method_lacks_is_said_by_name(rng):
    X = rng.random((5, 1))
    model = Simple().fit(X, X[:, 0])
    assert model.predict(X) == pytest.approx(X.mean())
    assert model.abilities == frozenset()
    for call, lacking in (
        (lambda: model.predict(X, return_cov=True), "has no joint covariance"),
        (lambda: model.sample_y(X), "has no joint covariance"),
        (lambda: model.predict_gradient(X), "has no gradient"),
        (lambda: model.points_table(), "has no table"),
        (lambda: model.get_state(), "has no file format"),
        (lambda: model.save("nowhere.mast"), "cannot be written"),
    ):
        with pytest.raises(mastgp.MastError, match=f"Simple {lacking}"):
            call()
    with pytest.raises(TypeError, match="abstract"):
        MultiFidelityRegressor()


def test_what_a_method_says_of_itself_unless_it_says_more(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = Simple(COSTS).fit(X, y, fidelity=labels)
    assert model.label == "Simple"
    assert model.uses_cheap_data
    assert model.leave_out([np.arange(2)]) is None
    assert model.facts() == {"noise": {"fine": 0.5}}
    assert model.trusted_points() == []
    ((caption, cheap_X, cheap_y),) = model.cheap_points()
    assert caption == "coarse, as observed"
    np.testing.assert_array_equal(cheap_X, model.training_data_.fidelities[0].X)
    np.testing.assert_array_equal(cheap_y, model.training_data_.fidelities[0].y)
    low, high = model.predict_interval(X, include_noise=True)
    np.testing.assert_allclose(high - low, 2 * 1.959964 * np.sqrt(1.25))


def test_abilities_follow_from_the_hooks():
    assert Able().abilities == {"covariance", "gradient", "samples", "file"}


def test_a_fit_starts_from_nothing_and_a_refit_from_the_model(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = Simple(COSTS).fit(X, y, fidelity=labels)
    assert model.known_.before is None
    data, shared = model.training_data_, SharedFits()
    assert model.refit(data, shared).known_ == Known(model, shared)


def without_first(data):
    """The data without the first expensive point."""
    masks = [np.zeros(len(f.y), dtype=bool) for f in data.fidelities]
    masks[-1][0] = True
    return data.without(masks)


OURS = pytest.mark.parametrize(
    "estimator",
    [
        MAST(COSTS),
        CoKriging(COSTS),
        FIRE(COSTS),
        Recursive(COSTS),
        SingleFidelity(costs=COSTS),
        Reification(COSTS),
    ],
    ids=lambda estimator: type(estimator).__name__,
)


@OURS
def test_a_refit_changes_nothing_but_what_it_returns(estimator, two_fidelities, rng):
    X, y, labels, _ = two_fidelities
    model = clone(estimator).fit(X, y, fidelity=labels)
    Q = rng.random((7, 2))
    predicted, held = model.predict(Q, return_std=True), snapshot(model)
    given = snapshot(model.training_data_)
    again = model.refit(without_first(model.training_data_))
    assert type(again) is type(model)
    assert again is not model
    assert len(again.training_data_.top.y) == 7
    assert not np.array_equal(again.predict(Q), predicted[0])
    assert snapshot(model.training_data_) == given
    assert snapshot(model) == held
    np.testing.assert_array_equal(model.predict(Q, return_std=True), predicted)


@OURS
def test_nothing_of_a_fits_circumstances_stays_on_a_model(estimator, two_fidelities):
    X, y, labels, _ = two_fidelities
    model = clone(estimator).fit(X, y, fidelity=labels)
    for fitted in (model, model.refit(without_first(model.training_data_))):
        assert not attribute_names(fitted) & {"_known", "_before", "_start", "_traits", "known_"}


def gps_of(model):
    """Every GP of a model that is fitted again for other expensive points."""
    if isinstance(model, MAST):
        return [model.stage1_["fine"], model.discrepancy_["coarse"], model.final_]
    return model.stages_[1:] if isinstance(model, FIRE) else [model.process_]


@pytest.mark.parametrize("estimator", [MAST(COSTS), CoKriging(COSTS), FIRE(COSTS)])
def test_a_refit_searches_from_where_the_fit_ended(estimator, two_fidelities):
    """It costs fewer evaluations of the likelihood than a fit that knows nothing."""
    X, y, labels, _ = two_fidelities
    model = clone(estimator).fit(X, y, fidelity=labels)
    rest = without_first(model.training_data_)
    warm, cold = model.refit(rest), clone(estimator).fit_data(rest)
    assert all(gp.report.start == "before" for gp in gps_of(warm))
    assert all(gp.report.start != "before" for gp in gps_of(cold))
    evaluations = [sum(gp.report.evaluations for gp in gps_of(m)) for m in (warm, cold)]
    assert evaluations[0] < 0.8 * evaluations[1]


def test_distributions_of_many_queries_are_held_in_blocks(two_fidelities, rng, monkeypatch):
    X, y, labels, _ = two_fidelities
    model = CoKriging(COSTS, n_draws=8).fit(X, y, fidelity=labels)
    Q = rng.random((25, 2))
    whole = (
        model.predict_interval(Q),
        model.predict_quantile(Q, 0.3),
        model.predict(Q, return_std=True),
    )
    sizes = []
    of_block = CoKriging.distribution_unit

    def counted(self, U, include_noise=False):
        sizes.append(len(U))
        return of_block(self, U, include_noise)

    monkeypatch.setattr(CoKriging, "distribution_unit", counted)
    monkeypatch.setattr("mastgp.models.estimator.BLOCK_ROWS", 10)
    monkeypatch.setattr("mastgp.gp.ensemble._BLOCK_ROWS", 10)
    parts = (
        model.predict_interval(Q),
        model.predict_quantile(Q, 0.3),
        model.predict(Q, return_std=True),
    )
    assert sizes == [10, 10, 5] * 2
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
