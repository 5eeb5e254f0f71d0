from __future__ import annotations

import numpy as np

from mastgp.next.choosing import Chosen, Goal
from mastgp.next.reasons import reason

U = np.array([0.5, 0.5])


def sentence(model, goal, **chosen):
    return reason(model, Chosen(U, **chosen), Goal.of(goal), [1.0, 10.0], 0.08, (0.05, 0.11))


def test_accuracy_says_what_each_fidelity_removes(optimum_model):
    text = sentence(optimum_model, "accuracy", level=0, gains={0: 0.071, 1: 0.2})
    assert text == (
        "This coarse run is expected to remove 7.1 % of the mean variance of the response for a "
        "cost of 1; the best fine run 20 % for 10."
    )


def test_a_minimum_says_what_is_predicted_and_why_this_fidelity(optimum_model):
    best = optimum_model.training_data_.top.y.min()
    text = sentence(optimum_model, "minimum", level=0, gains={0: 0.01, 1: 0.02})
    assert f"the best fine value so far is {best:.4g}" in text
    assert "0.08 (0.05 to 0.11)" in text
    assert text.endswith("a coarse run is worth 5 times as much per cost as a fine run.")
    far = sentence(optimum_model, "maximum", level=1, gains={0: 0.0, 1: 0.02})
    assert far.endswith("a fine run is worth far more per cost than a coarse run.")
    near = sentence(optimum_model, "minimum", level=1, gains={0: 0.0024, 1: 0.02})
    assert near.endswith(
        "a coarse run would be worth 1.2 times as much per cost, which is too little as only fine "
        "results count in the end."
    )
    due = sentence(optimum_model, "minimum", level=1, gains={0: 0.1, 1: 0.1}, due=12.0)
    assert due.endswith("fine is due, after 12 was spent on cheap runs since its last one.")
    only = sentence(optimum_model, ("target", 0.5), level=1, gains={1: 0.1})
    assert only.endswith("near the target of 0.5 and uncertain; a fine run costs 10.")
