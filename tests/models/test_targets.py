from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import mastgp
from mastgp import MAST, ConstantTargetWarning, DataError, MissingWarning, ModelFileError
from mastgp.estimators import clone
from mastgp.gp.responses import Logarithm
from mastgp.methods import METHODS
from mastgp.models import CoKriging, SeveralTargets, models_of
from mastgp.models.transformed import of_response
from support import COSTS

QUERIES = np.array([[0.2, 0.3], [0.6, 0.9], [0.5, 0.5]])


@pytest.fixture(scope="module")
def data():
    """Inputs, two targets with a gap in the second, and labels."""
    rng = np.random.default_rng(0)
    X = rng.random((32, 2))
    labels = np.repeat(list(COSTS), [24, 8])
    factor = np.where(labels == list(COSTS)[-1], 1.0, 0.8)
    Y = np.column_stack([factor * np.sin(3 * X[:, 0]), np.exp(X[:, 0]) + factor * X[:, 1]])
    Y[-2, 1] = np.nan
    return X, pd.DataFrame(Y, columns=["cl", "cd"]), labels


@pytest.fixture(scope="module")
def fitted(data):
    X, Y, labels = data
    with pytest.warns(MissingWarning):
        return SeveralTargets(CoKriging(COSTS, inference="map")).fit(X, Y, labels)


def test_each_target_equals_its_separate_fit(data, fitted):
    X, Y, labels = data
    for name, model in fitted.models_.items():
        there = Y[name].notna().to_numpy()
        alone = CoKriging(COSTS, inference="map").fit(X[there], Y[name][there], labels[there])
        np.testing.assert_array_equal(model.predict(QUERIES), alone.predict(QUERIES))
        np.testing.assert_array_equal(
            model.predict_interval(QUERIES), alone.predict_interval(QUERIES)
        )
        assert model.target_name_ == name


@pytest.mark.parametrize(
    "name", ["auto", "ar1", "mast", "fire", "recursive", "hf-only", "shared-bias"]
)
@pytest.mark.parametrize("log", [False, True])
def test_a_joint_call_gives_every_method_its_separate_fits(data, name, log):
    X, Y, labels = data
    Y = Y.assign(cl=Y["cl"] + 0.1)  # positive, too
    rows = np.r_[:10, 24:32]
    X, Y, labels = X[rows], Y.iloc[rows], labels[rows]
    method = METHODS[name].build(costs=COSTS, random_state=3)
    with pytest.warns(MissingWarning):
        joint = SeveralTargets(method, log=["cd"] if log else ()).fit(X, Y, labels)
    for target, model in joint.models_.items():
        there = Y[target].notna().to_numpy()
        own = clone(method)
        alone = (of_response(own, Logarithm()) if log and target == "cd" else own).fit(
            X[there], Y[target][there], labels[there]
        )
        for ask in ("predict", "predict_interval"):
            np.testing.assert_array_equal(
                getattr(model, ask)(QUERIES), getattr(alone, ask)(QUERIES)
            )


def test_answers_are_those_of_the_single_models(fitted):
    cl, cd = fitted["cl"], fitted["cd"]
    both = lambda ask: np.stack([ask(cl), ask(cd)], axis=-1)  # noqa: E731
    same = np.testing.assert_array_equal
    same(fitted.predict(QUERIES), both(lambda m: m.predict(QUERIES)))
    mean, std = fitted.predict(QUERIES, return_std=True, include_noise=True)
    same(std, both(lambda m: m.predict(QUERIES, return_std=True, include_noise=True)[1]))
    assert fitted.predict(QUERIES, return_cov=True)[1].shape == (3, 3, 2)
    low, high = fitted.predict_interval(QUERIES, 0.8)
    same(low, both(lambda m: m.predict_interval(QUERIES, 0.8)[0]))
    assert (low < mean).all()
    assert (mean < high).all()
    same(fitted.predict_quantile(QUERIES, 0.9), both(lambda m: m.predict_quantile(QUERIES, 0.9)))
    same(fitted.predict_gradient(QUERIES)[1], both(lambda m: m.predict_gradient(QUERIES)[1]))
    distributions = fitted.predict_distribution(QUERIES)
    same(distributions["cd"].mean, cd.predict(QUERIES))
    assert fitted.label == cl.label
    assert fitted.target_names_ == ["cl", "cd"]


def test_samples_of_a_target_are_functions_and_targets_are_independent(fitted):
    near = np.array([[0.5, 0.5], [0.5, 0.5 + 1e-6]])
    draws = fitted.sample_y(near, 400, random_state=0)
    assert draws.shape == (2, 2, 400)
    spread = np.std(draws, axis=-1)
    assert (np.abs(draws[0] - draws[1]).max(axis=-1) < 0.05 * spread[0]).all()
    assert abs(np.corrcoef(draws[0])[0, 1]) < 0.2
    np.testing.assert_array_equal(draws, fitted.sample_y(near, 400, random_state=0))


def test_models_of_one_and_of_several(data, fitted):
    X, Y, labels = data
    assert models_of(fitted) == fitted.models_
    alone = CoKriging(COSTS, inference="map").fit(X, Y.cl, labels)
    assert models_of(alone) == {"cl": alone}
    assert list(models_of(alone.fit(X, Y.cl.to_numpy(), labels))) == ["y"]
    with pytest.raises(NotFittedError):
        models_of(SeveralTargets(MAST()))


def test_one_file_holds_all_models(fitted, tmp_path):
    path = tmp_path / "wing.mast"
    fitted.save(path)
    for read in (mastgp.load(path), SeveralTargets.load(path)):
        np.testing.assert_array_equal(read.predict(QUERIES), fitted.predict(QUERIES))
        assert read.target_names_ == ["cl", "cd"]
    with pytest.raises(ModelFileError, match="holds a SeveralTargets, not a MAST"):
        MAST.load(path)
    fitted["cl"].save(path)
    with pytest.raises(ModelFileError, match="holds a CoKriging, not a SeveralTargets"):
        SeveralTargets.load(path)


def test_the_score_is_the_mean_over_the_targets(data, fitted):
    X, Y, labels = data
    there = Y.notna().all(axis=1).to_numpy() & (labels == list(COSTS)[-1])
    expected = np.mean([fitted[name].score(X[there], Y[name][there]) for name in Y])
    assert fitted.score(X[there], Y[there]) == pytest.approx(expected)


def test_what_is_said_names_its_target(data):
    X, Y, labels = data
    constant = Y.assign(cd=1.0, cm=Y.cl)
    with pytest.warns(ConstantTargetWarning, match=r"^target 'cd': the target of fidelity"):
        SeveralTargets(CoKriging(COSTS, inference="map")).fit(X, constant, labels)
    with pytest.raises(DataError, match=r"^target 'cd': Input y contains infinity"):
        SeveralTargets(MAST(COSTS)).fit(X, Y.assign(cd=np.inf), labels)


def test_what_is_said_of_all_targets_is_said_once(data):
    X, Y, labels = data
    constant = np.column_stack([X, np.ones(len(X))])
    with pytest.warns(mastgp.ConstantInputWarning) as caught:
        SeveralTargets(CoKriging(COSTS, inference="map")).fit(constant, Y.fillna(1.0), labels)
    assert [str(w.message)[:5] for w in caught] == ["input"]


def test_known_noise_of_several_targets_must_have_no_unit(data):
    X, Y, labels = data
    with pytest.raises(DataError, match="in the unit of one target"):
        SeveralTargets(MAST(COSTS, noise_std=dict.fromkeys(COSTS, 0.1))).fit(X, Y, labels)


def test_what_cannot_be_is_refused(data, fitted):
    X, Y, labels = data
    with pytest.raises(DataError, match="needs an estimator"):
        SeveralTargets().fit(X, Y, labels)
    with pytest.raises(DataError, match="there is no target 'cm'; choose one of 'cl', 'cd'"):
        fitted["cm"]
    other = CoKriging(COSTS, inference="map").fit(X[:, :1], Y.cl, labels)
    with pytest.raises(DataError, match="need the same inputs"):
        SeveralTargets.of({"cl": fitted["cl"], "other": other})


def test_fit_takes_targets_as_columns(data):
    X, Y, labels = data
    tables = {n: (X[labels == n], Y.fillna(1.0)[labels == n]) for n in COSTS}
    model = mastgp.fit(tables, COSTS, method="ar1-map")
    assert model.target_names_ == ["cl", "cd"]
    arrays = {n: (X, Y.to_numpy()) for n, (X, Y) in tables.items()}
    same = mastgp.fit(arrays, COSTS, method="ar1-map")
    assert same.target_names_ == ["y0", "y1"]
    np.testing.assert_array_equal(same.predict(QUERIES), model.predict(QUERIES))


def test_logarithms_of_some_targets(data):
    X, Y, labels = data
    Y = Y.fillna(1.0).assign(cl=Y.cl - 0.5)
    model = SeveralTargets(CoKriging(COSTS, inference="map"), log=["cd"]).fit(X, Y, labels)
    assert (model["cl"].is_transformed, model["cd"].is_logarithmic) == (False, True)
    assert (model.predict_interval(QUERIES)[0][:, 1] > 0.0).all()
    alone = CoKriging(COSTS, inference="map").fit(X, np.log(Y.cd), labels)
    np.testing.assert_allclose(
        model["cd"].predict_quantile(QUERIES, 0.5), np.exp(alone.predict(QUERIES))
    )


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (["cm"], "log names 'cm', but the targets are 'cl', 'cd'"),
        ("cd", "log must be a list of targets"),
        (True, r"^target 'cl': cl is -\d.* in row \d+ \(\d+ such values in all\): only positive"),
    ],
)
def test_logarithms_that_cannot_be(data, log, words):
    X, Y, labels = data
    Y = Y.fillna(1.0).assign(cl=Y.cl - 0.5)
    with pytest.raises(DataError, match=words):
        SeveralTargets(CoKriging(COSTS, inference="map"), log=log).fit(X, Y, labels)


def test_the_logarithm_of_one_target(data):
    X, Y, labels = data
    tables = {n: (X[labels == n], Y.cl[labels == n] + 0.1) for n in COSTS}
    named = mastgp.fit(tables, COSTS, method="ar1-map", log=["cl"])
    everything = mastgp.fit(tables, COSTS, method="ar1-map", log=True)
    np.testing.assert_array_equal(named.predict(QUERIES), everything.predict(QUERIES))
    dataset = mastgp.Dataset.from_tables(tables, costs=COSTS)
    same = mastgp.fit(dataset, method="ar1-map", log=["cl"])
    np.testing.assert_array_equal(named.predict(QUERIES), same.predict(QUERIES))
    for data_of in (tables, dataset):
        costs = COSTS if data_of is tables else None
        with pytest.raises(DataError, match="log names 'cd', but the target is 'cl'"):
            mastgp.fit(data_of, costs, method="ar1-map", log=["cd"])


@pytest.mark.parametrize("method", ["auto", "ar1-map"])
def test_a_bounded_target_beside_another(data, method, tmp_path):
    X, Y, labels = data
    share = 1.0 / (1.0 + np.exp(-4.0 * (Y["cl"] - 0.5)))
    Y = Y.assign(cl=share, cd=Y["cd"].fillna(1.0))
    tables = {name: (X[labels == name], Y[labels == name]) for name in COSTS}
    model = mastgp.fit(tables, COSTS, method=method, bounded={"cl": (0, 1)})
    low, high = model.predict_interval(QUERIES, 0.999)
    assert ((low[:, 0] >= 0.0) & (high[:, 0] <= 1.0)).all()
    assert (high[:, 1] > 1.0).any()
    model.save(tmp_path / "m.mast")
    again = mastgp.load(tmp_path / "m.mast")
    np.testing.assert_array_equal(again.predict(QUERIES), model.predict(QUERIES))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bounded": {"cm": (0, 1)}}, "bounded names 'cm', but the targets are 'cl', 'cd'"),
        ({"bounded": {"cl": (1, 0)}}, "must be finite and in order, as"),
        ({"bounded": {"cl": (0, np.inf)}}, "must be finite and in order"),
        ({"bounded": {"cl": 1}}, "must be two numbers, as"),
        ({"bounded": {"cd": (0, 9)}, "log": ["cd"]}, "logarithm modelled, or bounds: not both"),
        ({"bounded": {"cd": (0, 2)}}, r"cd is [0-9.]+ in row [0-9]+.*between 0 and 2, and never"),
    ],
)
def test_bounds_that_cannot_be(data, options, words):
    X, Y, labels = data
    model = SeveralTargets(CoKriging(COSTS, inference="map"), **options)
    with pytest.warns(MissingWarning), pytest.raises(DataError, match=words):
        model.fit(X, Y, labels)
