"""Which rows count as copies, and what becomes of them."""

from __future__ import annotations

import numpy as np
import pytest

import mastgp
from mastgp import Dataset
from mastgp.data.copies import without_copies
from mastgp.data.places import SAME_PLACE
from support import COSTS


@pytest.mark.parametrize("moved", [0.0, 0.3 * SAME_PLACE])
def test_copies_are_rows_of_one_place_and_target(two_fidelities, moved):
    X, y, labels, _ = two_fidelities
    fine = labels == "fine"
    X2 = np.vstack([X, X[fine][:3] + moved])
    labels2 = np.append(labels, ["coarse"] * 3)
    copied = np.append(y, y[fine][:3])
    data = Dataset.from_arrays(X2, copied, labels2, costs=COSTS)
    with pytest.warns(mastgp.CopiesWarning, match="rows of fidelity 'coarse' are copies of 'fine'"):
        rest = without_copies(data)
    assert set(rest.fidelities[0].rows) == set(range(30))
    assert rest.top is data.top
    other = Dataset.from_arrays(X2, np.append(y, y[fine][:3] + 1e-9), labels2, costs=COSTS)
    assert without_copies(other) is other


def test_one_copy_may_be_chance(two_fidelities):
    X, y, labels, _ = two_fidelities
    data = Dataset.from_arrays(
        np.vstack([X, X[-1]]), np.append(y, y[-1]), np.append(labels, "coarse"), costs=COSTS
    )
    assert without_copies(data) is data


def test_a_fidelity_of_copies_only_is_left_out():
    X = np.linspace(0, 1, 5)[:, None]
    data = Dataset.from_arrays(
        np.vstack([X, X]), np.tile(X[:, 0], 2), ["coarse"] * 5 + ["fine"] * 5, costs=COSTS
    )
    with pytest.warns(mastgp.CopiesWarning):
        rest = without_copies(data)
    assert [f.name for f in rest.fidelities] == ["fine"]
