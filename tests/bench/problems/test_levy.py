from __future__ import annotations

import numpy as np
import pytest

from mastgp.bench import problem


def test_two_inputs_by_hand():
    """At x = (5, 5), w is (2, 2): the outer sines vanish."""
    inner = 1.0 + 10.0 * np.sin(2 * np.pi + 1.0) ** 2
    assert problem("levy", 2).evaluate([[5.0, 5.0]])[0] == pytest.approx(inner + 1.0)
