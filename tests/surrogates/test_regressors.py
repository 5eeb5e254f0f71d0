"""Adapters of scikit-learn regressors: their moments, their seeds, their warnings."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import ARDRegression, BayesianRidge, QuantileRegressor

from mastgp import MAST, DataError
from mastgp.errors import FitWarning
from mastgp.gp import GaussianProcess, Model
from mastgp.surrogates import FromQuantiles, FromSpread, FromStd, find_surrogate
from support import COSTS


@pytest.fixture
def data(rng):
    X = rng.random((25, 2))
    return X, 40.0 + 7.0 * np.sin(4 * X[:, 0]) + X[:, 1] + 0.1 * rng.standard_normal(25)


def same_as(gp, **options):
    """scikit-learn's GP with the engine's kernel and hyperparameters, of mean zero."""
    kernel = ConstantKernel(gp.y_scale[0] ** 2) * RBF(gp.lengthscales)
    return GaussianProcessRegressor(kernel, optimizer=None, **options)


def mean_of(gp):
    return gp.y_mean[0] + gp.y_scale[0] * gp._factorisation.beta[0]


def test_the_same_gp_gives_the_same_predictions(data, rng):
    X, y = data
    gp = GaussianProcess.fit(Model(2), X, y)
    Q = rng.random((60, 2))
    surrogate = FromStd(same_as(gp, alpha=gp.noise_var[0]))
    mean, var = surrogate.fit(X, y - mean_of(gp)).predict(Q)
    expected_mean, expected_var = gp.predict(Q)
    np.testing.assert_allclose(mean + mean_of(gp), expected_mean, rtol=1e-6)
    np.testing.assert_allclose(var, expected_var, rtol=1e-6)


@pytest.mark.parametrize("normalize_y", [False, True])
def test_noise_of_every_point_reaches_the_gp(data, rng, normalize_y):
    X, y = data
    noise_var = np.linspace(0.01, 2.0, len(y))
    gp = GaussianProcess.fit(Model(2, learn_noise=False), X, y, noise_var=noise_var)
    Q = rng.random((60, 2))
    if normalize_y:
        kernel = ConstantKernel(gp.y_scale[0] ** 2 / y.std() ** 2) * RBF(gp.lengthscales)
        regressor = GaussianProcessRegressor(kernel, optimizer=None, normalize_y=True)
    else:
        regressor = same_as(gp)
    surrogate = find_surrogate(regressor)
    assert surrogate.takes_noise
    fitted = surrogate.fit(X, y - mean_of(gp), noise_var)
    np.testing.assert_array_equal(fitted.noise_var, noise_var)
    mean, var = fitted.predict(Q)
    expected_mean, expected_var = gp.predict(Q)
    np.testing.assert_allclose(var, expected_var, rtol=1e-6)
    if not normalize_y:  # which takes off another mean
        np.testing.assert_allclose(mean + mean_of(gp), expected_mean, rtol=1e-6)


def test_the_last_stage_of_a_gp_regressor_has_fixed_variances(two_fidelities):
    X, y, labels, _ = two_fidelities
    regressor = GaussianProcessRegressor(RBF(0.4), optimizer=None, alpha=1e-4, normalize_y=True)
    model = MAST(COSTS, surrogate=regressor).fit(X, y, fidelity=labels)
    table = model.augmented_
    np.testing.assert_allclose(np.sort(model.final_.noise_var), np.sort(table["variance"]))
    U = model.training_data_.box.to_unit(X)
    np.testing.assert_array_equal(
        model.predict(X, return_std=True)[1] ** 2, model.final_.predict(U)[1]
    )


@pytest.mark.parametrize("regressor", [BayesianRidge(), ARDRegression()])
def test_moments_are_the_regressors_own(data, regressor):
    X, y = data
    mean, var = find_surrogate(regressor).fit(X, y).predict(X)
    expected_mean, expected_std = regressor.fit(X, y).predict(X, return_std=True)
    np.testing.assert_allclose(mean, expected_mean)
    np.testing.assert_allclose(var, expected_std**2)


@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_variance_of_a_forest_is_the_spread_of_its_trees(data, kind, rng):
    X, y = data
    forest = kind(n_estimators=12, bootstrap=True, random_state=5).fit(X, y)
    Q = rng.random((20, 2))
    trees = np.array([tree.predict(Q) for tree in forest.estimators_])
    mean, var = (
        find_surrogate(kind(n_estimators=12, bootstrap=True, random_state=5)).fit(X, y).predict(Q)
    )
    np.testing.assert_allclose(mean, forest.predict(Q))
    np.testing.assert_allclose(var, ((trees - trees.mean(axis=0)) ** 2).mean(axis=0))


def test_members_that_see_some_inputs_only(data):
    X, y = data
    bag = BaggingRegressor(BayesianRidge(), n_estimators=8, max_features=1, random_state=3)
    mean, var = find_surrogate(bag).fit(X, y).predict(X)
    np.testing.assert_allclose(mean, bag.fit(X, y).predict(X))
    assert (var > 0).all()


def test_members_that_agree_leave_a_variance_above_zero(data):
    X, y = data
    exact = FromSpread(ExtraTreesRegressor(n_estimators=5, bootstrap=False))
    mean, var = exact.fit(X, y).predict(X)
    np.testing.assert_allclose(mean, y)
    assert (var > 0).all()
    assert (var < 1e-10 * y.var()).all()


def test_quantiles_become_the_normal_distribution_that_has_them(data):
    """Quantiles of the targets, whatever the inputs: two points on a straight line in z."""
    X, y = data
    regressor = DummyRegressor(strategy="quantile")
    mean, var = FromQuantiles(regressor, levels=(0.2, 0.6)).fit(X, y).predict(X[:3])
    low, high = np.percentile(y, [20, 60])
    std = (high - low) / (ndtri(0.6) - ndtri(0.2))
    np.testing.assert_allclose(var, std**2)
    np.testing.assert_allclose(mean, low - std * ndtri(0.2))


@pytest.mark.parametrize(
    "regressor",
    [
        QuantileRegressor(alpha=0.0),
        GradientBoostingRegressor(loss="quantile", n_estimators=40),
        HistGradientBoostingRegressor(loss="quantile", max_iter=40),
    ],
)
def test_quantile_regressors_find_mean_and_spread(regressor, rng):
    X = rng.random((400, 1))
    y = 3 * X[:, 0] + 0.5 * rng.standard_normal(400)
    surrogate = find_surrogate(regressor)
    assert isinstance(surrogate, FromQuantiles)
    mean, var = surrogate.fit(X, y).predict(np.array([[0.5]]))
    assert mean[0] == pytest.approx(1.5, abs=0.3)
    assert np.sqrt(var[0]) == pytest.approx(0.5, abs=0.25)


@pytest.mark.parametrize("levels", [(0.5,), (0.5, 0.5), (0.0, 0.5), (0.1, 1.0)])
def test_levels_must_tell_a_spread(data, levels):
    with pytest.raises(DataError, match="give two or more between 0 and 1"):
        FromQuantiles(QuantileRegressor(), levels=levels).fit(*data)


def test_a_seed_of_its_own_is_kept(data):
    X, y = data
    own = FromSpread(RandomForestRegressor(n_estimators=3, random_state=11))
    free = FromSpread(RandomForestRegressor(n_estimators=3))
    assert own.fit(X, y, random_state=1).regressor.random_state == 11
    fitted = free.fit(X, y, random_state=1)
    assert fitted.regressor.random_state == fitted.recipe.seed
    assert free.regressor.random_state is None


def test_what_the_library_says_becomes_a_warning_of_ours(data):
    kernel = RBF(0.05, length_scale_bounds=(0.04, 0.06))
    surrogate = FromStd(GaussianProcessRegressor(kernel, normalize_y=True))
    with pytest.warns(FitWarning, match="GaussianProcessRegressor: .*close to the specified"):
        surrogate.fit(*data)


def test_a_kernel_of_the_wrong_size_is_explained(two_fidelities):
    X, y, labels, _ = two_fidelities
    regressor = GaussianProcessRegressor(RBF([0.3, 0.8]), optimizer=None, normalize_y=True)
    with pytest.raises(DataError, match=r"8 points of 4 inputs \(those of a discrepancy"):
        MAST(COSTS, surrogate=regressor).fit(X, y, fidelity=labels)


def test_a_regressor_that_cannot_be_copied_is_explained(data):
    class Odd:
        """Has the methods of a regressor, but not its parameters."""

        def fit(self, X, y):
            return self

        def predict(self, X, return_std=False):
            return np.zeros(len(X)), np.ones(len(X))

    with pytest.raises(DataError, match="a Odd cannot be copied, and every stage needs a copy"):
        find_surrogate(Odd()).fit(*data)
