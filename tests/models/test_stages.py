from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mastgp import MAST, Dataset, EqualCostWarning, FitWarning, fit
from mastgp.gp import GaussianProcess, Model
from mastgp.models.known import Known, SharedFits
from mastgp.models.stages import Fitting, fit_process, warn_about_fits
from mastgp.surrogates import GP
from mastgp.surrogates.choice import find_surrogate
from support import COSTS, three_levels


@pytest.fixture
def data(two_fidelities):
    X, y, labels, _ = two_fidelities
    return MAST(COSTS, warp=None).fit(X, y, fidelity=labels).training_data_


def stage(surrogate, data, shared, before=None, random=0):
    return Fitting(data, Known(shared=shared), random).fit_fidelity(surrogate, data.top, before)


def test_a_fidelity_is_modelled_by_a_plain_gp_of_its_points(data):
    fitted = fit_process(GP(), data, data.top, Known())
    own = GaussianProcess.fit(
        Model(2), data.unit(data.top), data.top.y, y_scale=data.scale_of(data.top.y)
    )
    Q = data.unit(data.fidelities[0])
    np.testing.assert_array_equal(fitted.predict(Q), own.predict(Q))


def test_known_noise_is_used(data):
    noisy = replace(data.top, noise_var=np.linspace(0.01, 0.09, len(data.top.y)))
    fitted = fit_process(GP(), data, noisy, Known())
    np.testing.assert_allclose(fitted.noise_var, noisy.noise_var)


def test_the_same_fit_is_made_once(data):
    shared = SharedFits()
    first = fit_process(GP(), data, data.top, Known(shared=shared))
    assert fit_process(GP(), data, data.top, Known(shared=shared)) is first
    assert fit_process(GP("matern52"), data, data.top, Known(shared=shared)) is not first
    assert fit_process(GP(), data, data.fidelities[0], Known(shared=shared)) is not first
    assert stage(GP(), data, shared, before=first) is not first


def test_random_fits_are_not_shared(data):
    shared, forest = SharedFits(), find_surrogate("extra-trees")
    first, second = (stage(forest, data, shared, random=seed) for seed in (0, 1))
    assert first is not second
    assert first.recipe.seed != second.recipe.seed


def test_a_search_begins_where_the_last_one_ended(data):
    cold = stage(GP(), data, SharedFits())
    warm = stage(GP(), data, SharedFits(), before=cold)
    assert warm.report.start == "before"
    assert warm.report.evaluations < cold.report.evaluations


def test_trouble_is_told_by_what_the_gp_models(data):
    process = fit_process(GP(), data, data.top, Known())
    warn_about_fits({"of fine": process})  # none
    process.report = replace(process.report, converged=False, message="TIRED")
    with pytest.warns(FitWarning, match="the GP of fine stopped early: TIRED"):
        warn_about_fits({"of fine": process})
    process.report = replace(process.report, jitter=1e-8)
    with pytest.warns(FitWarning, match="the GP of fine needed 1e-08 added to its diagonal"):
        warn_about_fits({"of fine": process})


def test_only_fits_of_the_engines_gps_are_shared(data):
    class Like(GP):
        """A GP of somebody else's, which may differ in what its options do not say."""

    known = Known()
    fitting = Fitting(data, known, 0)
    assert fitting.fit_fidelity(GP(), data.top) is fitting.fit_fidelity(GP(), data.top)
    assert fitting.fit_fidelity(Like(), data.top) is not fitting.fit_fidelity(Like(), data.top)
    assert fitting.fit_fidelity(GP(priors=False), data.top) is not fitting.fit_fidelity(
        GP(), data.top
    )


def tied_data(rng, **options):
    X, y, labels = three_levels(rng)
    costs = {"a": 1.0, "b": 1.0, "c": 20.0}
    return Dataset.from_arrays(X, y, labels, costs=costs, **options)


@pytest.mark.parametrize("method", ["recursive", "fire", "ar1-map", "miso"])
def test_names_that_decide_an_order_are_said(method, rng):
    with pytest.warns(EqualCostWarning, match="'a' and 'b' cost the same, so their names decide"):
        fit(tied_data(rng), method=method)


@pytest.mark.parametrize("method", ["mast", "hf-only", "shared-bias"])
def test_methods_that_need_no_order_say_nothing(method, rng):
    fit(tied_data(rng), method=method)


def test_an_order_decides_between_equal_costs(rng):
    a_first, b_first = (tied_data(rng, order=order) for order in (list("abc"), list("bac")))
    assert [f.name for f in b_first.fidelities] == ["b", "a", "c"]
    for data in (a_first, b_first):
        fit(data, method="recursive")  # nothing to warn about
