"""The stand-in for scikit-learn's base classes does what they do, and commands need no more."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn.base
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state as sklearns_random_state

from mastgp import MAST, DataError, estimators
from mastgp.errors import KindError
from mastgp.estimators import validated
from wing import COSTS, FIT, WING


def made_of(base):
    class Made(base):
        def __init__(self, width=1.0, names=("a",), inner=None):
            self.width, self.names, self.inner = width, names, inner

    return Made


@pytest.fixture(params=["stand-in", "sklearn"])
def made(request):
    base = estimators.Parameters if request.param == "stand-in" else sklearn.base.BaseEstimator
    return made_of(base)


def test_parameters_are_those_of_the_constructor(made):
    model = made(inner=made(width=2.0))
    assert model.get_params(deep=False) == {
        "inner": model.inner,
        "names": ("a",),
        "width": 1.0,
    }
    assert list(model.get_params()) == [
        "inner__inner",
        "inner__names",
        "inner__width",
        "inner",
        "names",
        "width",
    ]
    assert model.set_params(inner__width=3.0, width=4.0) is model
    assert (model.inner.width, model.width) == (3.0, 4.0)
    assert repr(model) == "Made(inner=Made(width=3.0), width=4.0)"
    with pytest.raises(ValueError, match=r"Invalid parameter 'depth' .*\['inner', 'names'"):
        model.set_params(depth=1)


def test_copies_are_new_and_not_fitted(made):
    model = made(width=[1, 2], inner=made())
    model.fitted_ = 1
    for copy in (estimators.clone(model), sklearn.base.clone(model)):
        assert copy.width == [1, 2]
        assert copy.width is not model.width
        assert copy.inner is not model.inner
        assert not hasattr(copy, "fitted_")


def test_constructors_that_change_a_parameter_cannot_be_copied(made):
    class Changing(made):
        def __init__(self, width=1.0):
            super().__init__(width * 1.5)

    with pytest.raises(RuntimeError, match="either does not set or modifies parameter width"):
        estimators.clone(Changing(2.0))


def test_seeds_are_understood_as_scikit_learn_does():
    for seed in (3, np.int64(3)):
        mine, theirs = estimators.check_random_state(seed), sklearns_random_state(seed)
        assert mine.randint(1000, size=5).tolist() == theirs.randint(1000, size=5).tolist()
    with pytest.raises(ValueError, match="cannot be used to seed"):
        estimators.check_random_state("three")


def test_models_in_python_are_scikit_learns():
    assert isinstance(MAST(), sklearn.base.BaseEstimator)
    assert sklearn.base.is_regressor(MAST())
    with pytest.raises(NotFittedError):
        estimators.check_is_fitted(MAST())


def test_tables_that_are_not_plain_go_to_scikit_learn():
    class Model(estimators.Parameters):
        n_features_in_ = 2
        feature_names_in_ = np.array(["a", "b"], dtype=object)

    plain = pd.DataFrame({"a": [1.0, 2.0], "b": [3, 4]})
    table = estimators.validated(Model(), plain, reset=False)
    np.testing.assert_array_equal(table, [[1.0, 3.0], [2.0, 4.0]])
    assert estimators._is_plain(Model(), plain, plain["a"].to_numpy(), reset=True)
    for other in (plain[["b", "a"]], plain.astype(str), plain.to_numpy(), plain[:0], [[1.0, 2.0]]):
        assert not estimators._is_plain(Model(), other, None, reset=False)
    assert not estimators._is_plain(Model(), plain, np.zeros(3), reset=True)


def test_commands_predict_without_scikit_learn(tmp_path):
    """What a command prints is what the model says in Python."""
    code = (
        "import sys\nfrom mastgp.cli.main import main\n"
        "try: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    )

    def mast(*arguments):
        run = [sys.executable, "-c", code, *arguments]
        return subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)

    mast(*FIT, *COSTS, "-o", "wing.mast", "--no-check")
    predicted = mast("predict", "wing.mast", WING["queries"], "-o", "p.csv")
    assert {"sklearn", "scipy.stats", "scipy.optimize"} & set(predicted.stderr.split()) == set()
    queries = pd.read_csv(WING["queries"])
    expected = MAST.load(tmp_path / "wing.mast").predict(queries)
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "p.csv")["mean"], expected)


def test_only_the_bases_are_chosen_late():
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = estimators.Nothing


@pytest.mark.parametrize("X", [np.zeros((0, 2)), np.zeros((2, 2, 2)), [[10**400]], [1.0, 2.0]])
def test_what_is_no_table_is_refused_by_an_error_of_ours(X):
    with pytest.raises(DataError):
        validated(MAST(), X, np.zeros(len(X)), reset=True)


def test_no_rows_are_refused_by_a_fit_and_by_a_prediction(two_fidelities):
    X, y, _, _ = two_fidelities
    with pytest.raises(DataError, match=r"0 sample\(s\)"):
        MAST().fit(X[:0], y[:0])
    with pytest.raises(DataError, match=r"0 sample\(s\)"):
        MAST().fit(X, y).predict(X[:0])


def test_sparse_tables_are_refused_by_an_error_of_ours(two_fidelities):
    X, y, _, _ = two_fidelities
    with pytest.raises(KindError, match=r"[Ss]parse"):
        MAST().fit(csr_matrix(X), y)
