from __future__ import annotations

import mastgp.botorch
from mastgp.next import bridge


def test_the_bridge_is_under_its_public_name():
    assert mastgp.botorch.as_model is bridge.as_model
