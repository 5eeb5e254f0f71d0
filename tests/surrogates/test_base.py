"""What a surrogate must do, and what MAST makes of it: closed forms computed by hand."""

from __future__ import annotations

import pickle
from threading import Lock

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor

from mastgp import MAST, DataError, MastError
from mastgp.check.heldout import held_out
from mastgp.gp import GaussianProcess
from mastgp.models.fire import FIRE
from mastgp.models.trust import trust_in
from mastgp.output.figures import draw
from mastgp.progress import listening
from mastgp.surrogates import FromSpread, Surrogate
from support import COSTS


class Plane(Surrogate):
    """Least squares; `fit` returns the surrogate itself, as scikit-learn's regressors do."""

    noise_var = None

    def __init__(self, ridge=1e-3):
        self.ridge = ridge

    def fit(self, X, y, noise_var=None):
        A = np.column_stack([X, np.ones(len(X))])
        self.coefficients = np.linalg.solve(A.T @ A + self.ridge * np.eye(A.shape[1]), A.T @ y)
        self.var = y.var()
        return self

    def predict(self, X):
        mean = np.column_stack([X, np.ones(len(X))]) @ self.coefficients
        return mean, np.full(len(X), self.var)


class NewPlane(Plane):
    """The same; `fit` returns a new object."""

    def fit(self, X, y, noise_var=None):
        return Plane(self.ridge).fit(X, y)


@pytest.mark.parametrize("model", [MAST, FIRE])
def test_fit_may_return_the_surrogate_itself(two_fidelities, model):
    """Every stage has an object of its own, whichever object `fit` returns."""
    X, y, labels, _ = two_fidelities
    given = Plane(ridge=0.1)
    itself, new = (
        model(COSTS, surrogate=surrogate).fit(X, y, fidelity=labels)
        for surrogate in (given, NewPlane(ridge=0.1))
    )
    np.testing.assert_array_equal(itself.predict(X, True), new.predict(X, True))
    assert vars(given) == {"ridge": 0.1}
    assert itself.surrogate is given


def test_stages_are_different_objects(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, surrogate=Plane()).fit(X, y, fidelity=labels)
    stages = [*model.stage1_.values(), *model.discrepancy_.values(), model.final_]
    assert len({id(stage) for stage in stages}) == 4
    assert len({stage.var for stage in stages}) == 4


def test_held_out_points_change_no_fitted_stage(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, surrogate=Plane()).fit(X, y, fidelity=labels)
    before = model.predict(X, return_std=True)
    held_out(model)
    np.testing.assert_array_equal(model.predict(X, return_std=True), before)


class Noisy(Surrogate):
    """Needs what its constructor does not take; says what it was given."""

    noise_var = None
    table = ()

    def fit(self, X, y, noise_var=None):
        self.noise_var = noise_var
        self.seen_ = self.table
        return self

    def predict(self, X):
        return np.zeros(len(X)), np.ones(len(X))


def test_what_was_set_outside_the_constructor_reaches_every_stage(two_fidelities):
    X, y, labels, _ = two_fidelities
    given = Noisy()
    given.takes_noise, given.table, given.seen_ = True, [1, 2], "an earlier fit"
    model = MAST(COSTS, surrogate=given).fit(X, y, fidelity=labels)
    assert model.final_.takes_noise
    assert len(model.final_.noise_var) == len(y)
    assert model.final_.seen_ == [1, 2]
    assert model.final_.table is not given.table
    assert vars(given) == {"takes_noise": True, "table": [1, 2], "seen_": "an earlier fit"}
    assert not hasattr(clone(given), "seen_")
    assert clone(model).surrogate.takes_noise


class Renames(Noisy):
    def __init__(self, size=1):
        self.length = size


class Changes(Noisy):
    def __init__(self, levels=()):
        self.levels = list(levels)


class Anything(Noisy):
    def __init__(self, *levels):
        self.levels = levels


def locked(surrogate):
    surrogate.lock = Lock()
    return surrogate


@pytest.mark.filterwarnings("ignore::mastgp.FewPointsWarning")
@pytest.mark.parametrize("surrogate", [Renames(), Changes(), Anything(3), locked(Noisy())])
def test_a_surrogate_that_cannot_be_copied_is_explained(surrogate):
    name = type(surrogate).__name__
    with pytest.raises(DataError, match=f"a {name} cannot be copied, and every stage .* \\(.+\\)$"):
        MAST(surrogate=surrogate).fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 6.0])


class Locked(Plane):
    def __init__(self):
        self.lock, self.ridge = Lock(), 1e-3


@pytest.mark.filterwarnings("ignore::mastgp.FewPointsWarning")
def test_what_the_constructor_makes_is_made_again():
    """A lock cannot be copied, and need not be."""
    model = MAST(surrogate=Locked()).fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 6.0])
    assert model.final_.lock is not model.surrogate.lock


def test_a_surrogate_of_the_users_own_has_no_file_format():
    with pytest.raises(MastError, match="made of Noisy cannot be written"):
        Noisy().state_of(None)
    with pytest.raises(MastError, match="made of Noisy cannot be read"):
        Noisy().restore({})


class Average(Surrogate):
    """Closed form: mean of the targets everywhere, variance 1/n + (x0 - mean of x0)^2."""

    noise_var = None

    def fit(self, X, y, noise_var=None):
        assert noise_var is None
        fitted = Average()
        fitted.centre, fitted.mean, fitted.n = X[:, 0].mean(), y.mean(), len(y)
        fitted.n_inputs = X.shape[1]
        return fitted

    def predict(self, X):
        assert X.shape[1] == self.n_inputs
        return np.full(len(X), self.mean), 1 / self.n + (X[:, 0] - self.centre) ** 2


class Last(Surrogate):
    """Closed form that shows its inputs: mean is the last input, variance 1 + the one before."""

    noise_var = None

    def fit(self, X, y, noise_var=None):
        return self

    def predict(self, X):
        return X[:, -1].copy(), 1.0 + X[:, -2]


@pytest.mark.filterwarnings("ignore::mastgp.errors.FewPointsWarning")
def test_the_appendix_by_hand():
    """Four regressors with known posteriors; every number below is computed by hand."""
    X = np.array([[0.0], [0.36], [1.0], [0.0], [1.0]])
    y = np.array([1.0, 2.0, 6.0, 10.0, 20.0])
    labels = ["coarse"] * 3 + ["fine"] * 2
    model = MAST(COSTS, surrogate=Average()).fit(X, y, fidelity=labels)

    # Stage 1: mu_m = 3 with variance 1/3 + (x - 1.36/3)^2; mu_M = 15, 1/2 + (x - 1/2)^2.
    # Stage 2: residuals 10 - 3 and 20 - 3, so mu_delta = 12, variance 1/2 + (x - 1/2)^2.
    centre = 1.36 / 3
    # alpha = 1/2. At x = 0 and 1 the nearest expensive point is at distance 0 and alone: W = 0.
    # At 0.36: radius 0.6, neighbours at 0.36 only (0.64 is outside): W = 0.36^(1/2) = 0.6.
    W = np.array([0.0, 0.6, 0.0])
    sigma_m = 1 / 3 + (X[:3, 0] - centre) ** 2
    sigma_top = 0.5 + (X[:3, 0] - 0.5) ** 2
    y_blend = [15.0, 0.6 * (2.0 + 12.0) + 0.4 * 15.0, 15.0]
    var_blend = W**2 * (sigma_m + sigma_top) + (1 - W) ** 2 * sigma_top
    table = model.augmented_
    np.testing.assert_allclose(table["trust"][:3], W, rtol=1e-12)
    np.testing.assert_allclose(table["discrepancy"][:3], 12.0, rtol=1e-12)
    np.testing.assert_allclose(table["top_mean"][:3], 15.0, rtol=1e-12)
    np.testing.assert_allclose(table["y_corrected"], [*y_blend, 10.0, 20.0], rtol=1e-12)
    np.testing.assert_allclose(table["variance"][:3], var_blend, rtol=1e-12)
    np.testing.assert_allclose(table["variance"][3:], [0.75, 0.75], rtol=1e-12)

    # Stage 3: mean of all five, (15 + 14.4 + 15 + 10 + 20) / 5; variance of its own plus the
    # spatial term. At 0.25: radius 0.5, the point at 0 alone, W = 0.5. At 0.5: radius 0.707,
    # both expensive points, W = 0.5^(1/2). At 1: the point itself alone, W = 0.
    mean, std = model.predict([[0.25], [0.5], [1.0]], return_std=True)
    np.testing.assert_allclose(mean, (15 + 14.4 + 15 + 10 + 20) / 5, rtol=1e-12)
    expected = []
    for x, w in ((0.25, 0.5), (0.5, np.sqrt(0.5)), (1.0, 0.0)):
        w_top = 1 - w
        final = 1 / 5 + (x - 2.36 / 5) ** 2
        top = 0.5 + (x - 0.5) ** 2
        own_and_delta = 1 / 3 + (x - centre) ** 2 + 0.5 + (x - 0.5) ** 2
        expected.append(final + w_top**2 * top + (1 - w_top) ** 2 * own_and_delta)
    np.testing.assert_allclose(std**2, expected, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::mastgp.errors.FewPointsWarning")
def test_discrepancy_is_conditioned_alike_at_data_and_at_queries():
    """z = [x, mean, var], scaled as the training points are."""
    X = np.array([[0.0], [0.5], [1.0], [0.0], [1.0]])
    y = np.array([1.0, 2.0, 3.0, 4.0, 8.0])
    labels = ["coarse"] * 3 + ["fine"] * 2

    class Slope(Surrogate):
        """Mean 10 x, variance 2 + 4 x, whatever the data."""

        noise_var = None

        def fit(self, X, y, noise_var=None):
            return self

        def predict(self, X):
            return 10 * X[:, 0], 2 + 4 * X[:, 0]

    model = MAST(COSTS, surrogate=(Slope(), Last(), Slope())).fit(X, y, fidelity=labels)
    # Over the points mean goes from 0 to 10 and variance from 2 to 6: both scale to x itself.
    table = model.augmented_
    np.testing.assert_allclose(table["discrepancy"][:3], [0.0, 0.5, 1.0], atol=1e-12)
    x = 0.25
    std = model.predict([[x]], return_std=True)[1]
    W = 0.5  # radius 0.5 around 0.25: the point at 0 alone
    delta_var = 1 + x  # the last but one column of z is the scaled mean, here x
    own_var = top_var = final_var = 2 + 4 * x
    expected = final_var + (1 - W) ** 2 * top_var + W**2 * (own_var + delta_var)
    np.testing.assert_allclose(std**2, expected, rtol=1e-12)


def test_of_several_cheap_fidelities_the_best_informed_counts(rng):
    X = rng.random((30, 2))
    labels = np.array(["low"] * 16 + ["mid"] * 9 + ["high"] * 5)
    y = X.sum(axis=1)
    costs = {"low": 1, "mid": 5, "high": 10}
    model = MAST(costs, surrogate=Average(), bounds=[(0, 1)] * 2).fit(X, y, fidelity=labels)
    Q = rng.random((50, 2))

    def var_of(rows):
        return 1 / rows.sum() + (Q[:, 0] - X[rows, 0].mean()) ** 2

    terms = []
    for name in ("low", "mid"):
        alpha = np.log10(10 / costs[name]) / 2
        W = trust_in(Q, X[labels == "high"], alpha).value
        both = var_of(labels == name) + var_of(labels == "high")
        terms.append(W**2 * both + (1 - W) ** 2 * var_of(labels == "high"))
    expected = var_of(np.full(30, True)) + np.minimum(*terms)
    np.testing.assert_allclose(model.predict(Q, return_std=True)[1] ** 2, expected, rtol=1e-10)


@pytest.fixture
def forest():
    return FromSpread(ExtraTreesRegressor(n_estimators=20, bootstrap=True))


def test_cheap_data_help_a_forest_too(two_fidelities, rng):
    X, y, labels, truth = two_fidelities
    Q = rng.random((300, 2))
    box = [(0, 1)] * 2
    fine = labels == "fine"
    options = {"surrogate": "extra-trees", "bounds": box, "random_state": 0}
    fused = MAST(COSTS, **options).fit(X, y, fidelity=labels)
    alone = MAST(**options).fit(X[fine], y[fine])
    error, error_alone = (
        np.sqrt(np.mean((model.predict(Q) - truth(Q)) ** 2)) for model in (fused, alone)
    )
    assert error < 0.7 * error_alone


def test_stages_of_different_kinds(two_fidelities, forest):
    """The last stage decides whether variances are fixed in its fit or added when predicting."""
    X, y, labels, _ = two_fidelities
    options = {"bounds": [(0, 1)] * 2, "random_state": 0}
    blended = MAST(COSTS, surrogate=("gp", "gp", forest), **options).fit(X, y, fidelity=labels)
    own_var = blended.final_.predict(X)[1]
    assert (blended.predict(X, return_std=True)[1] ** 2 > own_var).all()

    fused = MAST(COSTS, surrogate=(forest, forest, "gp"), **options).fit(X, y, fidelity=labels)
    assert isinstance(fused.final_, GaussianProcess)
    top = fused.training_data_.top
    expected = fused.stage1_["fine"].predict(top.X)[1]  # in place of a learned noise
    floor = 1e-6 * fused.final_.y_scale**2
    np.testing.assert_allclose(fused.final_.noise_var[30:], np.maximum(expected, floor))
    np.testing.assert_array_equal(fused.predict(X), fused.final_.predict(X)[0])
    assert list(fused.processes_) == ["of the fused data"]
    assert fused.sample_y(X, 3).shape == (38, 3)


def test_known_noise_stands_in_stage_two(two_fidelities, forest):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, surrogate=forest, noise_std={"coarse": 0.5, "fine": 0.25}, random_state=0)
    model.fit(X, y, fidelity=labels)
    part = model.augmentations_[0]
    W = part.trust.value
    expected = W**2 * (0.25 + part.discrepancy_var) + (1 - W) ** 2 * part.top_var
    np.testing.assert_allclose(part.var, expected, rtol=1e-12)
    assert model.noise_var_ == pytest.approx(0.0625)


def test_noise_is_part_of_the_variance_where_it_is_not_learned(two_fidelities, forest):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, surrogate=forest, random_state=0).fit(X, y, fidelity=labels)
    latent = model.predict(X, return_std=True)[1]
    np.testing.assert_array_equal(model.predict(X, return_std=True, include_noise=True)[1], latent)


def test_what_else_a_fitted_model_can_do(two_fidelities, forest):
    X, y, labels, _ = two_fidelities
    steps = []
    with listening(lambda what, done, total: steps.append(what)):
        model = MAST(COSTS, surrogate=forest, random_state=0).fit(X, y, fidelity=labels)
    assert steps == [
        "modelling coarse", "modelling fine", "correcting coarse", "fusing all fidelities"
    ]  # fmt: skip
    assert not model.augmented_.isna().any(axis=None)
    assert held_out(model).n_folds == 8
    assert len(draw(model).axes) == 7
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X, return_std=True), model.predict(X, True))


def test_many_queries_are_worked_through_in_blocks(two_fidelities, rng, monkeypatch):
    X, y, labels, _ = two_fidelities
    options = {"surrogate": Average(), "bounds": [(0, 1)] * 2}
    model = MAST(COSTS, **options).fit(X, y, fidelity=labels)
    Q = rng.random((25, 2))
    whole = model.predict(Q, return_std=True)
    monkeypatch.setattr("mastgp.models.mast._BLOCK_ROWS", 10)
    np.testing.assert_allclose(model.predict(Q, return_std=True), whole, rtol=1e-14)
    np.testing.assert_allclose(model.predict(Q), whole[0], rtol=1e-14)


def test_what_needs_a_gp_is_refused_by_name(two_fidelities, forest):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, surrogate=forest, random_state=0).fit(X, y, fidelity=labels)
    with pytest.raises(MastError, match="no joint covariance unless its last stage is a GP"):
        model.predict(X, return_cov=True)
    with pytest.raises(MastError, match="no gradient unless its last stage is a GP"):
        model.predict_gradient(X)
    with pytest.raises(DataError, match="mahalanobis metric needs lengthscales"):
        MAST(COSTS, surrogate=forest, metric="mahalanobis").fit(X, y, fidelity=labels)
