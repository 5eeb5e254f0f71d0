from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesRegressor

from mastgp import MAST, MastError, ModelFileError
from mastgp.models.cokriging import CoKriging
from mastgp.storage.archive import put_back_arrays, take_out_arrays
from mastgp.storage.parameters import decode_parameters, encode_parameters
from mastgp.surrogates import GP
from support import COSTS


def test_own_functions_are_not_saved_but_predictions_are(two_fidelities, tmp_path):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, radius=lambda d: d).fit(X, y, fidelity=labels)
    model.save(tmp_path / "a.mast")
    again = MAST.load(tmp_path / "a.mast")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    again.save(tmp_path / "b.mast")
    np.testing.assert_array_equal(MAST.load(tmp_path / "b.mast").predict(X), model.predict(X))
    with pytest.raises(MastError, match=r"lambda.*not part of the file"):
        again.fit(X, y, fidelity=labels)


@pytest.mark.parametrize(
    "options",
    [
        {"order": np.array(["coarse", "fine"]), "costs": None},
        {"order": pd.Index(["coarse", "fine"]), "costs": None},
        {"bounds": pd.DataFrame([[0.0, 1.0], [0.0, 1.0]])},
        {"costs": pd.Series({"coarse": 1.0, "fine": 10.0})},
        {"costs": {"coarse": 1e-300, "fine": 1e300}},
        {"random_state": np.random.RandomState(0)},
        {"random_state": np.int64(3)},
    ],
    ids=["array", "index", "frame", "series", "extreme", "random", "number"],
)
def test_whatever_can_be_fitted_can_be_saved(two_fidelities, tmp_path, options):
    X, y, labels, _ = two_fidelities
    model = MAST(**{"costs": COSTS, **options}).fit(X, y, fidelity=labels)
    model.save(tmp_path / "a.mast")
    again = MAST.load(tmp_path / "a.mast")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.fit(X, y, fidelity=labels).predict(X), model.predict(X))


def test_numbers_as_fidelity_names_survive(two_fidelities, tmp_path):
    X, y, labels, _ = two_fidelities
    coded = np.where(labels == "coarse", 1.0, 2.0)
    MAST({1.0: 1, 2.0: 10}).fit(X, y, fidelity=coded).save(tmp_path / "a.mast")
    MAST.load(tmp_path / "a.mast").fit(X, y, fidelity=coded)


def through_a_file(parameters):
    """Parameters as they come back from a file."""
    arrays = {}
    plain = take_out_arrays(encode_parameters(parameters), "parameters", arrays)
    return decode_parameters(put_back_arrays(json.loads(json.dumps(plain)), arrays))


def test_plain_parameters_come_back_as_they_were():
    parameters = {
        "order": ["coarse", "fine"],
        "costs": {"coarse": 1.0, "fine": 10},
        "warp": None,
        "metric": "euclidean",
        "random_state": 3,
        "calibrate": True,
    }
    assert through_a_file(parameters) == parameters


def test_surrogates_are_described_and_built_again():
    parameters = {"surrogate": ("gp", ExtraTreesRegressor(n_estimators=7), GP("matern52", False))}
    first, second, third = through_a_file(parameters)["surrogate"]
    assert first == "gp"
    assert isinstance(second, ExtraTreesRegressor)
    assert second.n_estimators == 7
    assert (third.kernel, third.priors) == ("matern52", False)
    alone = through_a_file({"surrogate": GP("matern52")})["surrogate"]
    assert (alone.kernel, alone.priors) == ("matern52", True)


def test_bounds_are_a_table_of_numbers():
    for bounds in ([[0, 1], [2, 3]], ((0, 1), (2, 3)), pd.DataFrame([[0, 1], [2, 3]])):
        got = through_a_file({"bounds": bounds})["bounds"]
        np.testing.assert_array_equal(got, [[0.0, 1.0], [2.0, 3.0]])


def test_keys_are_the_names_of_fidelities():
    assert through_a_file({"costs": {1.0: 1, 2: 10}})["costs"] == {"1": 1, "2": 10}
    assert through_a_file({"order": [1.0, 2]})["order"] == ["1", "2"]


def own_radius(d):
    return d


def test_a_function_is_remembered_by_name_only():
    got = through_a_file({"radius": own_radius})["radius"]
    assert repr(got) == f"<function {__name__}.own_radius, not saved>"
    with pytest.raises(MastError, match=r"own_radius, which is not part of the file"):
        got(1.0)
    assert repr(through_a_file({"radius": got})["radius"]) == repr(got)


def test_states_of_generators_and_estimators_are_not_kept():
    parameters = {"random_state": np.random.default_rng(0), "add": {"mine": CoKriging()}}
    assert through_a_file(parameters) == {"random_state": None, "add": None}


def test_what_is_neither_names_nor_numbers_is_refused():
    with pytest.raises(MastError, match="cannot be written to a file"):
        encode_parameters({"bounds": np.zeros((2, 2, 2))})


@pytest.mark.parametrize("parameters", [{"n_draws": 1001}, {"n_epochs": 10**9}])
def test_numbers_that_cost_too_much_are_neither_written_nor_read(parameters):
    with pytest.raises(MastError, match="cannot be written to a file: n_"):
        encode_parameters(parameters)
    with pytest.raises(ModelFileError, match=r"n_\w+ is \d+, and must be between"):
        decode_parameters(parameters)


def test_seeds_may_be_large():
    assert through_a_file({"random_state": 2**32 - 1}) == {"random_state": 2**32 - 1}
