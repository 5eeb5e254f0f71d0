"""What scikit-learn refuses is an error of ours, in its words."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp import MAST, DataError
from mastgp.data.validating import validate_data


@pytest.mark.parametrize("X", [np.zeros((0, 2)), np.zeros((2, 2, 2)), [[10**400]], [1.0, 2.0]])
def test_what_is_no_table_is_refused_by_an_error_of_ours(X):
    with pytest.raises(DataError):
        validate_data(MAST(), X, dtype=np.float64)


def test_a_table_passes():
    np.testing.assert_array_equal(validate_data(MAST(), [[1, 2]], dtype=np.float64), [[1.0, 2.0]])


def test_no_rows_are_refused_by_a_fit_and_by_a_prediction(two_fidelities):
    X, y, _, _ = two_fidelities
    with pytest.raises(DataError, match=r"0 sample\(s\)"):
        MAST().fit(X[:0], y[:0])
    with pytest.raises(DataError, match=r"0 sample\(s\)"):
        MAST().fit(X, y).predict(X[:0])
