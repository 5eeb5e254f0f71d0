from __future__ import annotations

import numpy as np

from mastgp.next.randomness import generator


def test_seeds_are_seeds():
    assert generator(3).random() == generator(3).random()
    assert generator(None).random() == generator(None).random()
    assert generator(3).random() != generator(4).random()
    own = np.random.default_rng(1)
    assert generator(own) is own
    state = np.random.RandomState(1)
    assert generator(state).random() != generator(state).random()
