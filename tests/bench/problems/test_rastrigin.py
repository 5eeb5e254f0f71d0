from __future__ import annotations

import pytest

from mastgp.bench import problem


def test_by_hand():
    """At a half the cosine is -1, at one it is 1."""
    assert problem("rastrigin", 2).evaluate([[0.5, 1.0]])[0] == pytest.approx(0.25 + 20.0 + 1.0)
