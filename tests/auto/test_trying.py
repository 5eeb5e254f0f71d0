from __future__ import annotations

import numpy as np
import pytest

from mastgp import MAST, DataError, FitWarning
from mastgp.auto.candidates import Candidate, default_candidates
from mastgp.auto.trying import Trials
from mastgp.auto.weights import DRAWS, blend_weights
from mastgp.check.heldout import held_out
from mastgp.errors import MastWarning
from mastgp.gp import GaussianProcess, Normal
from mastgp.models.cokriging import CoKriging
from mastgp.models.fire import FIRE
from mastgp.models.single import SingleFidelity
from mastgp.progress import listening
from mastgp.surrogates import GP
from support import COSTS, pair, truth


def data_of(X, y, labels):
    return SingleFidelity(costs=COSTS).fit(X, y, fidelity=labels).training_data_


@pytest.fixture
def data(rng):
    return data_of(*pair(rng, lambda X: truth(X) + 0.5 * X[:, 0], n_cheap=15, n_dear=6))


def count_fits(monkeypatch):
    """A list that grows by one with every GP that is fitted."""
    fits, fit = [], GaussianProcess.fit.__func__

    def counted(cls, *args, **options):
        fits.append(1)
        return fit(cls, *args, **options)

    monkeypatch.setattr(GaussianProcess, "fit", classmethod(counted))
    return fits


VARIANTS = [
    Candidate("mahalanobis", MAST(metric="mahalanobis")),
    Candidate("triangular", MAST(weight="triangular")),
    Candidate("linear", MAST(radius="linear")),
]
FAMILY = [Candidate("mast", MAST()), *VARIANTS]


def test_models_that_begin_alike_share_their_first_fits(data):
    trials = Trials(data)
    trials.add([Candidate("fire", FIRE()), *FAMILY, Candidate("alone", SingleFidelity())])
    models = {t.name: t.model for t in trials.tried}
    mast = models["mast"]
    for variant in VARIANTS:
        for name in ("coarse", "fine"):
            assert models[variant.name].stage1_[name] is mast.stage1_[name]
        assert models[variant.name].discrepancy_["coarse"] is mast.discrepancy_["coarse"]
        assert models[variant.name].final_ is not mast.final_
    assert models["fire"].stages_[0] is mast.stage1_["coarse"]
    assert models["alone"].process_ is mast.stage1_["fine"]


def test_other_kernels_have_first_fits_of_their_own(data):
    trials = Trials(data)
    trials.add([Candidate("a", FIRE()), Candidate("b", FIRE(surrogate=GP("matern52")))])
    first, second = (t.model.stages_[0] for t in trials.tried)
    assert first is not second


def test_variants_of_mast_cost_one_fit_each_for_all_data_and_for_each_fold(data, monkeypatch):
    """Stages 1 and 2 are the same in all; two GPs, a discrepancy and the last one in the first."""
    fits = count_fits(monkeypatch)
    Trials(data).add(FAMILY)
    together, n_folds = len(fits), 6
    assert together == (4 + 3) + n_folds * (3 + 3)
    fits.clear()
    for candidate in FAMILY:
        Trials(data).add([candidate])
    assert len(fits) == 4 * (4 + n_folds * 3)


def test_what_is_shared_is_what_each_would_have_found(data):
    together = Trials(data)
    together.add(FAMILY)
    for candidate, tried in zip(FAMILY, together.tried, strict=True):
        apart = Trials(data)
        apart.add([candidate])
        np.testing.assert_array_equal(tried.checked.mean, apart.tried[0].checked.mean)
        np.testing.assert_array_equal(tried.checked.std, apart.tried[0].checked.std)


def test_draws_are_checked_without_refits_and_others_fitted_again(data, monkeypatch):
    fits = count_fits(monkeypatch)
    trials = Trials(data)
    trials.add([Candidate("ar1", CoKriging(n_draws=8))])
    assert len(fits) == 1
    trials.add([Candidate("optimum", CoKriging(inference="map"))])
    assert len(fits) == 1 + 1 + 6
    for tried in trials.tried:
        checked = held_out(tried.model, trials.folds)
        np.testing.assert_array_equal(tried.checked.mean, checked.mean)


JOINT = ("ar1, warped", "shared-bias, warped", "fire")


def by_place(densities, place):
    """Weights at every row from the densities at all other places."""
    return np.array([blend_weights(densities[place != here], draws=DRAWS // 5) for here in place])


def test_the_blend_is_the_mixture_of_what_its_members_predict(data):
    trials = Trials(data)
    trials.add([c for c in default_candidates(2) if c.name in JOINT])
    assert len(trials.tried) == 3
    densities = np.column_stack([t.checked.log_density for t in trials.tried])
    np.testing.assert_allclose(trials.weights(), blend_weights(densities))
    weights = by_place(densities, np.arange(6))
    blend = trials.blend()
    means = np.column_stack([t.checked.mean for t in trials.tried])
    np.testing.assert_allclose(blend.mean, np.sum(weights * means, axis=1))
    expected = np.log(np.sum(weights * np.exp(densities), axis=1))
    np.testing.assert_allclose(blend.log_density, expected)
    below = np.column_stack([t.checked.probability for t in trials.tried])
    np.testing.assert_allclose(blend.probability, np.sum(weights * below, axis=1))


def test_the_blend_is_checked_place_by_place(rng):
    """Two runs at each expensive place: neither's error may shape the other's weights."""
    X, y, labels = pair(rng, lambda X: truth(X) + 0.5 * X[:, 0], n_cheap=14, n_dear=5)
    dear = labels == "fine"
    again = y[dear] + 0.1 * rng.standard_normal(5)
    X, y = np.concatenate([X, X[dear]]), np.concatenate([y, again])
    with pytest.warns(MastWarning, match="repeat the inputs"):
        data = data_of(X, y, np.concatenate([labels, labels[dear]]))
    trials = Trials(data)
    trials.add([Candidate(name, SingleFidelity(which=name)) for name in ("top", "cheapest")])
    assert len(trials.folds) == 5
    densities = np.column_stack([t.checked.log_density for t in trials.tried])
    means = np.column_stack([t.checked.mean for t in trials.tried])
    _, place = np.unique(data.top.X, axis=0, return_inverse=True)
    weights = by_place(densities, place)
    np.testing.assert_allclose(trials.blend().mean, np.sum(weights * means, axis=1))
    row_by_row = by_place(densities, np.arange(10))
    assert not np.allclose(np.sum(row_by_row * means, axis=1), trials.blend().mean, rtol=1e-4)


def test_the_blend_is_a_mixture(data):
    trials = Trials(data)
    trials.add([Candidate("ar1", CoKriging(inference="map")), Candidate("alone", SingleFidelity())])
    plain, wide, spread = trials.blend(), trials.blend(widening=2.0), trials.blend(2.0)
    np.testing.assert_allclose(wide.mean, plain.mean)
    np.testing.assert_allclose(spread.mean, plain.mean)
    assert ((plain.std < spread.std) & (spread.std < wide.std)).all()  # disagreement stays
    np.testing.assert_allclose(trials.residuals(), (plain.y - plain.mean) / plain.std)
    np.testing.assert_allclose(wide.std, 2.0 * plain.std)
    assert ((plain.probability > 0) & (plain.probability < 1)).all()
    assert plain.n_folds == 6
    assert plain.one_at_a_time


class Broken(CoKriging):
    def fit_unit(self, data, known):
        raise ValueError("singular")


class Clueless(CoKriging):
    def leave_out(self, folds):
        predicted = super().leave_out(folds)
        return Normal(np.full_like(predicted.mean, np.nan), predicted.variance)


def test_a_candidate_of_the_users_that_fails_is_left_out(data):
    trials = Trials(data)
    good = Candidate("ar1", CoKriging(inference="map"))
    with pytest.warns(FitWarning, match="candidate 'broken' could not be fitted: singular"):
        trials.add([Candidate("broken", Broken(), added=True), good])
    with pytest.warns(FitWarning, match="'clueless' could not be fitted: .* not finite"):
        trials.add([Candidate("clueless", Clueless(), added=True)])
    assert [t.name for t in trials.tried] == ["ar1"]
    with pytest.raises(ValueError, match="singular"):
        Trials(data).add([Candidate("broken", Broken())])  # a mistake of ours is no secret


def test_where_all_fail_the_first_reason_is_told(data):
    with pytest.raises(DataError, match="unknown kernel 'magic'"):
        Trials(data).add([Candidate("wrong", CoKriging(kernel="magic"))])


@pytest.mark.filterwarnings("ignore::mastgp.MastWarning")
def test_one_expensive_point_leaves_nothing_to_check(rng):
    trials = Trials(data_of(*pair(rng, truth, n_cheap=10, n_dear=1)))
    trials.add([Candidate("ar1", CoKriging(inference="map")), Candidate("alone", SingleFidelity())])
    assert trials.folds == []
    assert trials.blend() is None
    assert all(t.checked is None for t in trials.tried)


def test_progress_is_told_of_candidates_only(data):
    told = []
    with listening(lambda *report: told.append(report)):
        Trials(data).add([Candidate("ar1", CoKriging(inference="map")), Candidate("mast", MAST())])
    assert told == [("trying candidates", done, 2) for done in range(3)]
