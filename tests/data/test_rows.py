from __future__ import annotations

import numpy as np
import pytest

from mastgp.data.rows import Options, Rows


@pytest.mark.parametrize(
    ("options", "several"),
    [
        (Options(), False),
        (Options(costs={"a": 1}), False),
        (Options(costs={"a": 1, "b": 2}), True),
        (Options(order=["a", "b"]), True),
        (Options(order=[]), False),
    ],
)
def test_whether_several_fidelities_are_named(options, several):
    assert options.names_several_fidelities is several


def test_rows_say_where_they_are():
    rows = Rows(np.zeros((2, 1)), np.zeros(2), np.array(["a", "b"]), ["row 0", "row 1"], ("x0",))
    assert rows.where(1) == "row 1 of fidelity 'b'"
