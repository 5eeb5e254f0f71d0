from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import mastgp
from mastgp import MastError
from mastgp.gp import GaussianProcess, Model
from mastgp.models.cokriging import CoKriging
from mastgp.models.fire import FIRE
from mastgp.models.mast import MAST
from mastgp.surrogates import Surrogate
from support import COSTS, nonlinear_pair, numeric_gradient, seen_by, three_levels


def problem(rng, n_levels):
    """Labelled data of so many fidelities, and an estimator for them."""
    X, y, labels = three_levels(rng)
    if n_levels == 2:
        keep = labels != "b"
        return FIRE(order=["a", "c"]), X[keep], y[keep], labels[keep]
    return FIRE(order=["a", "b", "c"]), X, y, labels


def columns_of(mean, var):
    """Mean, variance, and the quantiles of a tenth and nine tenths."""
    std = np.sqrt(var)
    return np.column_stack([mean, var, norm.ppf(0.1, mean, std), norm.ppf(0.9, mean, std)])


@pytest.mark.parametrize("n_levels", [2, 3])
def test_levels_are_fitted_and_predict_as_the_authors_do(rng, n_levels):
    """From scratch: means and variances add up; the residual sees the distribution below."""
    model, X, y, labels = problem(rng, n_levels)
    model.fit(X, y, fidelity=labels)
    data = model.training_data_
    Q = rng.random((15, 2))
    U = [*(data.unit(fidelity) for fidelity in data.fidelities), data.box.to_unit(Q)]

    gp = GaussianProcess.fit(Model(2), U[0], data.fidelities[0].y)
    said = [gp.predict(points) for points in U]
    for level in range(1, n_levels):
        pooled = np.concatenate([columns_of(*said[level]), columns_of(*said[level - 1])])
        Z = [
            np.hstack([p, (columns_of(*s) - pooled.min(axis=0)) / np.ptp(pooled, axis=0)])
            for p, s in zip(U, said, strict=True)
        ]
        residual = data.fidelities[level].y - said[level][0]
        seen_X, seen_y = seen_by(model.stages_[level])
        np.testing.assert_allclose(seen_X, Z[level], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(seen_y, residual, rtol=1e-5, atol=1e-6)
        gp = GaussianProcess.fit(Model(6), Z[level], residual)
        own = [gp.predict(z) for z in Z]
        said = [(m + dm, v + dv) for (m, v), (dm, dv) in zip(said, own, strict=True)]
    mean, std = model.predict(Q, return_std=True)
    np.testing.assert_allclose(mean, said[-1][0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(std**2, said[-1][1], rtol=1e-3)
    assert model.noise_var_ == pytest.approx(gp.noise_var[0], rel=1e-3)


def test_the_residuals_inputs_are_scaled_over_both_fidelities(rng):
    model, X, y, labels = problem(rng, 2)
    model.fit(X, y, fidelity=labels)
    data = model.training_data_
    pooled = np.concatenate(
        [columns_of(*model.stages_[0].predict(data.unit(f))) for f in data.fidelities]
    )
    (appended,) = model.appended_
    np.testing.assert_allclose(appended.low, pooled.min(axis=0))
    np.testing.assert_allclose(appended.span, np.ptp(pooled, axis=0))


@pytest.mark.parametrize("n_levels", [2, 3])
def test_joint_covariance_agrees_with_the_variance(rng, n_levels):
    model, X, y, labels = problem(rng, n_levels)
    Q = rng.random((9, 2))
    mean, std = model.fit(X, y, fidelity=labels).predict(Q, return_std=True)
    joint_mean, cov = model.predict(Q, return_cov=True)
    np.testing.assert_allclose(joint_mean, mean, rtol=1e-9)
    np.testing.assert_allclose(cov.diagonal(), std**2, rtol=1e-6)
    np.testing.assert_array_equal(cov, cov.T)
    assert np.linalg.eigvalsh(cov).min() > -1e-9 * cov.max()
    parts = [stage.predict(Z)[1] for stage, Z in _with_inputs(model, Q)]
    np.testing.assert_allclose(np.sum(parts, axis=0), std**2)


def _with_inputs(model, Q):
    """Every stage with what it sees at Q."""
    U = model.training_data_.box.to_unit(Q)
    mean, var = model.stages_[0].predict(U)
    found = [(model.stages_[0], U)]
    for stage, appended in zip(model.stages_[1:], model.appended_, strict=True):
        Z = np.hstack([U, (columns_of(mean, var) - appended.low) / appended.span])
        found.append((stage, Z))
        correction, own = stage.predict(Z)
        mean, var = mean + correction, var + own
    return found


@pytest.mark.parametrize("n_levels", [2, 3])
def test_gradient_is_that_of_finite_differences(rng, n_levels):
    model, X, y, labels = problem(rng, n_levels)
    model.fit(X, y, fidelity=labels)
    Q = rng.uniform(0.2, 0.8, (6, 2))
    d_mean, d_var = model.predict_gradient(Q)
    np.testing.assert_allclose(d_mean, numeric_gradient(model.predict, Q), rtol=1e-5, atol=1e-6)
    numeric = numeric_gradient(lambda at: model.predict(at, return_std=True)[1] ** 2, Q)
    np.testing.assert_allclose(d_var, numeric, rtol=1e-3, atol=1e-4 * np.abs(numeric).max())


def test_follows_a_nonlinear_relation_where_linear_co_kriging_fails():
    X, y, labels, truth = nonlinear_pair(np.random.default_rng(3))
    x = np.linspace(0, 1, 300)

    def error(model):
        values = model.fit(X, y, fidelity=labels).predict(x[:, None])
        return np.sqrt(np.mean((values - truth(x)) ** 2))

    assert error(FIRE(COSTS)) < error(CoKriging(COSTS)) / 3


def test_recovers_a_linear_relation():
    coarse, fine = np.linspace(0, 1, 40), np.linspace(0.01, 0.99, 10)
    X = np.concatenate([coarse, fine])[:, None]
    y = np.concatenate([np.sin(20 * coarse), 2 * np.sin(20 * fine) + 0.3 * fine])
    model = FIRE(COSTS).fit(X, y, fidelity=["coarse"] * 40 + ["fine"] * 10)
    x = np.linspace(0, 1, 200)
    error = model.predict(x[:, None]) - 2 * np.sin(20 * x) - 0.3 * x
    assert np.sqrt(np.mean(error**2)) < 0.1


@pytest.mark.parametrize("surrogate", ["gp", "bayesian-ridge"])
def test_three_fidelities_in_a_file(tmp_path, rng, surrogate):
    model, X, y, labels = problem(rng, 3)
    model.set_params(surrogate=surrogate, random_state=0).fit(X, y, fidelity=labels)
    Q = rng.random((20, 2))
    model.save(tmp_path / "m.mast")
    again = mastgp.load(tmp_path / "m.mast").predict(Q, return_std=True)
    np.testing.assert_array_equal(again, model.predict(Q, return_std=True))


def test_one_fidelity_is_a_plain_gp(rng):
    X = rng.random((20, 2))
    y, bounds = np.sin(3 * X[:, 0]) + X[:, 1], [[0, 1], [0, 1]]
    model = FIRE(bounds=bounds).fit(X, y)
    gp = GaussianProcess.fit(Model(2), model.training_data_.top.X, model.training_data_.top.y)
    np.testing.assert_allclose(model.predict(X), gp.predict_mean(X), rtol=1e-12)


def test_what_takes_gps_is_refused_without_them(rng):
    model, X, y, labels = problem(rng, 2)
    model.set_params(surrogate="bayesian-ridge").fit(X, y, fidelity=labels)
    with pytest.raises(MastError, match="no joint covariance unless its stages are GPs"):
        model.predict(X, return_cov=True)
    with pytest.raises(MastError, match="no gradient unless its stages are GPs"):
        model.predict_gradient(X)


def test_known_noise_outlives_a_surrogate_that_ignores_it(rng):
    X = rng.random((20, 1))
    labels = ["coarse"] * 12 + ["fine"] * 8
    model = FIRE(COSTS, surrogate="bayesian-ridge", noise_std={"fine": 0.1})
    assert model.fit(X, X[:, 0], fidelity=labels).noise_var_ == pytest.approx(0.01)


def test_a_refit_takes_over_levels_whose_data_have_not_changed(rng):
    model, X, y, labels = problem(rng, 3)
    data = model.fit(X, y, fidelity=labels).training_data_
    drop_top = [np.zeros(len(f.y), dtype=bool) for f in data.fidelities]
    drop_top[2][0] = True
    again = model.refit(data.without(drop_top))
    assert again.stages_[0] is model.stages_[0]
    assert again.stages_[1] is model.stages_[1]
    assert again.stages_[2] is not model.stages_[2]
    drop_middle = [np.zeros(len(f.y), dtype=bool) for f in data.fidelities]
    drop_middle[1][0] = True
    other = model.refit(data.without(drop_middle))
    assert other.stages_[0] is model.stages_[0]
    assert other.stages_[1] is not model.stages_[1]
    assert other.stages_[2] is not model.stages_[2]


def test_a_model_of_an_older_file_can_be_fitted_again(rng):
    """Its stages have fewer inputs, so none of them is taken over."""
    X = rng.random((24, 1))
    labels = np.array(["a"] * 12 + ["b"] * 7 + ["c"] * 5)
    model = FIRE(order=["a", "b", "c"]).fit(X, np.sin(6 * X[:, 0]), fidelity=labels)
    old = FIRE(order=["a", "b", "c"]).fit(X, np.sin(6 * X[:, 0]), fidelity=labels)
    old._adds_variances = False
    data = model.training_data_
    part = data.without(data.at_places_of(np.array([0])))
    again = old.refit(part)
    fresh = FIRE(order=["a", "b", "c"]).fit_data(part)
    np.testing.assert_array_equal(again.predict_unit(X), fresh.predict_unit(X))
    assert again.stages_[1] is not old.stages_[1]


def test_what_cannot_be_stored_says_so():
    class Own(Surrogate):
        def fit(self, X, y, noise_var=None):
            return self

    assert FIRE(surrogate=Own()).abilities == frozenset()
    assert MAST(surrogate=Own()).abilities == frozenset()
    assert FIRE(surrogate="extra-trees").abilities == {"file"}
