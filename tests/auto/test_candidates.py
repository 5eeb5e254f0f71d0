from __future__ import annotations

import numpy as np
import pytest

from mastgp import AutoSurrogate
from mastgp.auto.candidates import default_candidates, of_response_only
from mastgp.gp.responses import Logarithm, YeoJohnson
from mastgp.models.single import SingleFidelity
from mastgp.surrogates import GP


@pytest.mark.parametrize(("n_levels", "number"), [(1, 2), (2, 8), (3, 9)])
def test_candidates_have_names_of_their_own(n_levels, number):
    names = [c.name for c in default_candidates(n_levels)]
    assert len(set(names)) == len(names) == number


@pytest.mark.parametrize("n_levels", [1, 2, 3])
def test_names_say_what_the_candidates_are(n_levels):
    for candidate in default_candidates(n_levels):
        options = candidate.estimator.get_params(deep=False)
        assert not candidate.added
        assert ("warped" in candidate.name) == (
            options.get("warp") == "kumaraswamy" and candidate.name != "mast"
        )
        matern = options.get("kernel") == "matern52" or (
            isinstance(options.get("surrogate"), GP) and options["surrogate"].kernel == "matern52"
        )
        assert ("matern" in candidate.name) == matern


def test_one_fidelity_has_candidates_that_need_no_other():
    candidates = list(default_candidates(1))
    assert not any(c.estimator.uses_cheap_data for c in candidates)
    alone = {c.name: c.estimator for c in candidates}["expensive alone"]
    assert repr(alone) == repr(SingleFidelity())


@pytest.mark.parametrize(("n_levels", "number"), [(1, 1), (2, 5), (3, 6)])
def test_models_of_a_transformed_response_join_the_others(n_levels, number):
    plain = {c.name for c in default_candidates(n_levels)}
    both = list(default_candidates(n_levels, Logarithm()))
    of_logs = [c for c in both if c.name.startswith("log: ")]
    assert len(of_logs) == number
    assert {c.name.removeprefix("log: ") for c in of_logs} <= plain
    assert {"expensive alone", "top only, warped"} <= {c.name for c in both}
    assert all(c.estimator.transformation == Logarithm() for c in of_logs)


def test_many_points_have_fewer_candidates():
    few, many = ({c.name for c in default_candidates(3, None, n)} for n in (200, 500))
    assert few - many == {"general, warped", "ar1, matern"}
    of_logs = [c.name for c in default_candidates(3, Logarithm(), 500) if "log" in c.name]
    assert of_logs == ["log: ar1, warped"]


def test_a_common_bias_takes_three_fidelities():
    assert not any(c.name.startswith("common-bias") for c in default_candidates(2))
    assert any(c.name.startswith("common-bias") for c in default_candidates(3))


@pytest.mark.parametrize(("n_levels", "more"), [(1, 1), (2, 2)])
def test_categories_have_candidates_whose_levels_are_all_alike(n_levels, more):
    usual, found = (list(default_candidates(n_levels, categorical=c)) for c in (False, True))
    added = found[len(usual) :]
    assert len(added) == more
    assert all(c.estimator.categories == "exchangeable" for c in added)
    assert all("exchangeable" in c.name for c in added)


def test_inputs_that_are_all_categories_have_few_candidates():
    found = list(default_candidates(3, YeoJohnson(1.5), categorical=True, numeric=False))
    assert [c.name for c in found] == [
        "ar1, warped",
        "ar1, warped, exchangeable",
        "fire",
        "top only, warped",
        "mast",
        "expensive alone",
        "general, warped, exchangeable",
        "top only, warped, exchangeable",
    ]
    plain = [c.name for c in found if c.estimator.get_params().get("categories") == "latent"]
    assert plain == ["ar1, warped", "top only, warped"]
    logs = default_candidates(3, Logarithm(), categorical=True, numeric=False)
    assert [c.name for c in logs if c.name.startswith("log")] == [
        "log: ar1, warped",
        "log: top only, warped",
    ]


def test_one_fidelity_of_categories_has_candidates():
    found = default_candidates(1, categorical=True, numeric=False)
    assert [c.name for c in found] == [
        "top only, warped",
        "expensive alone",
        "top only, warped, exchangeable",
    ]


@pytest.mark.parametrize("n_levels", [1, 2, 3])
def test_all_candidates_may_be_of_the_logarithm(n_levels):
    plain = list(default_candidates(n_levels))
    logs = list(of_response_only(plain, Logarithm()))
    assert [c.name.removeprefix("log: ") for c in logs] == [c.name for c in plain]
    assert all(c.estimator.is_logarithmic for c in logs)
    assert [c.estimator.calibrate for c in logs] == [c.estimator.calibrate for c in plain]
    assert "expensive alone" in [c.name for c in logs]


def test_many_rows_leave_candidates_whose_cheap_level_is_fitted_once():
    names = [c.name for c in default_candidates(2, n_points=100_060, n_top=60)]
    assert names == [
        "ar1, warped",
        "shared-bias, warped",
        "fire",
        "top only, warped",
        "expensive alone",
    ]
    with_log = [c.name for c in default_candidates(2, Logarithm(), n_points=100_060, n_top=60)]
    assert set(with_log) - set(names) == {"log: ar1, warped"}


def test_many_expensive_rows_are_no_joint_process():
    names = [c.name for c in default_candidates(2, n_points=10_000, n_top=5_000)]
    assert names == ["fire", "expensive alone"]
    assert [c.name for c in default_candidates(1, n_points=5_000, n_top=5_000)] == names[1:]


def test_a_blend_of_many_rows_fits_their_level_once(monkeypatch):
    from mastgp.surrogates.many import fitted

    calls = []
    original = fitted.fit_many
    monkeypatch.setattr(fitted, "fit_many", lambda *a: calls.append(1) or original(*a))
    rng = np.random.default_rng(6)
    X = rng.random((2125, 2))
    cheap = np.sin(6 * X[:, 0]) * (1 + X[:, 1])
    labels = np.repeat(["coarse", "fine"], [2100, 25])
    y = np.where(labels == "coarse", cheap, 2 * cheap + X[:, 1])
    y += 0.05 * rng.standard_normal(2125)
    model = AutoSurrogate(order=["coarse", "fine"], transform=False).fit(X, y, fidelity=labels)
    assert len(calls) == 1
    assert model.verdict_.fidelities[0].word == "helps"
    assert "of 2100 rows" in model.facts()["model of coarse"]
    Q = rng.uniform(0.05, 0.95, (200, 2))
    truth = 2 * np.sin(6 * Q[:, 0]) * (1 + Q[:, 1]) + Q[:, 1]
    low, high = model.predict_interval(Q)
    assert np.mean((low < truth) & (truth < high)) > 0.85
    assert np.sqrt(np.mean((model.predict(Q) - truth) ** 2)) < 0.1
