from __future__ import annotations

import pytest

from mastgp.bench import problem


def test_by_hand():
    value = 100 * (1.0 - 4.0) ** 2 + (1.0 - 2.0) ** 2
    assert problem("rosenbrock", 2).evaluate([[2.0, 1.0]])[0] == pytest.approx(value)
