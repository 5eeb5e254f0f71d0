from __future__ import annotations

import numpy as np
import pytest

from mastgp import DataError
from mastgp.data.fidelities import rank_fidelities
from mastgp.data.noise import known_noise_var
from mastgp.data.rows import Rows

NAMES = np.array(["coarse", "fine", "coarse", "fine"])
RANKING = rank_fidelities(NAMES.tolist(), order=["coarse", "fine"])


def rows(noise_std=None):
    noise = None if noise_std is None else np.array(noise_std, dtype=float)
    return Rows(np.zeros((4, 1)), np.zeros(4), NAMES, [f"row {i}" for i in range(4)], ("x",), noise)


def test_unknown_noise_is_none():
    assert known_noise_var(rows(), RANKING) is None
    assert known_noise_var(rows([np.nan] * 4), RANKING, {}) is None


def test_noise_of_a_fidelity_is_that_of_its_rows():
    var = known_noise_var(rows(), RANKING, {"fine": 0.5})
    np.testing.assert_array_equal(var, [np.nan, 0.25, np.nan, 0.25])


def test_rows_go_before_their_fidelity():
    var = known_noise_var(rows([np.nan, 1.0, np.nan, 2.0]), RANKING, {"coarse": 3, "fine": 9})
    np.testing.assert_array_equal(var, [9.0, 1.0, 9.0, 4.0])


@pytest.mark.parametrize(
    ("by_row", "by_fidelity", "words"),
    [
        (None, {"lab": 1.0}, "noise_std names fidelity 'lab', but the data have 'coarse', 'fine'"),
        (None, {"fine": -1.0}, "noise_std is -1 in row 1 of fidelity 'fine'; .* at least zero"),
        (None, {"fine": "little"}, "noise_std of fidelity 'fine' is 'little', not a number"),
        (None, {"fine": np.nan}, "nan, not a number"),
        (None, {"fine": 10**400}, "0, not a number"),
        (None, 0.1, "noise_std must be a mapping"),
        ([1.0, 2.0, np.inf, 1.0], None, "noise_std is inf in row 2 of fidelity 'coarse'"),
        ([1.0, 2.0], None, "noise_std has 2 values, but there are 4 rows"),
        ([0.1, np.nan, np.nan, np.nan], None, "known for 1 of the 2 rows of fidelity 'coarse'"),
    ],
)
def test_noise_that_cannot_be_used(by_row, by_fidelity, words):
    with pytest.raises(DataError, match=words):
        known_noise_var(rows(by_row), RANKING, by_fidelity)


def test_infinite_noise_is_refused_though_rows_say_their_own():
    with pytest.raises(DataError, match="'fine' is inf; a standard deviation must be a number"):
        known_noise_var(rows([0.1] * 4), RANKING, {"fine": np.inf})
