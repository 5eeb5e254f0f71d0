from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mastgp.next import modelling
from mastgp.next.informed import View
from mastgp.next.keeping import Models
from mastgp.next.store import Candidate
from mastgp.next.trials import DESIGNED, DONE, Trial
from studies import definition, drag


def done(id, x, fidelity="cfd"):
    return Trial(id=id, inputs={"x": x, "material": "alu"}, fidelity=fidelity, status=DONE,
                 cost=1.0, reason="", origin=DESIGNED, values={"drag": drag(x, "alu", fidelity)},
                 attempts=1)  # fmt: skip


def trials():
    cheap = [done(i, x, "panel") for i, x in enumerate(np.linspace(0.02, 0.97, 24).tolist())]
    return cheap + [done(i + 100, x) for i, x in enumerate(np.linspace(0.0, 1.0, 6).tolist())]


@pytest.fixture
def models():
    return Models(definition(method="ar1-map"))


def test_a_few_results_extend_the_model_and_many_make_a_new_one(models):
    first = models.extended(trials(), "drag")
    assert first is models.of(trials(), "drag")
    more = [*trials(), done(200, 0.33)]
    grown = models.extended(more, "drag")
    assert (grown.n_added_, first.n_added_) == (1, 0)
    assert models.extended(more, "drag") is grown
    cheap = [*more, done(201, 0.35, "panel"), done(202, 0.37, "panel")]
    assert models.extended(cheap, "drag").n_added_ == 3
    many = [*more, *(done(300 + i, 0.4 + 0.01 * i, "panel") for i in range(5))]
    assert models.extended(many, "drag").n_added_ == 0


def test_few_expensive_results_are_enough_for_a_new_fit(models):
    models.extended(trials(), "drag")
    more = [*trials(), done(200, 0.33), done(201, 0.35)]
    assert models.extended(more, "drag").n_added_ == 0


def test_of_very_many_cheap_results_a_search_models_a_part(monkeypatch):
    monkeypatch.setattr(modelling, "MOST_CHEAP", 12)
    models = Models(definition(method="ar1-map"))
    part = models.extended(trials(), "drag")
    assert [len(f.y) for f in part.training_data_.fidelities] == [12, 6]
    assert models.of(trials(), "drag").training_data_.n_points == 30
    grown = models.extended([*trials(), done(200, 0.33)], "drag")
    assert len(grown.training_data_.top.y) == 7


def test_a_view_of_a_study_keeps_its_models():
    models = Models(definition())
    pool = [Candidate({"x": x}, {}) for x in (0.0, 0.5, 1.0)]
    first = models.for_view(View(definition(inputs={"x": (0.0, 1.0)}), [], pool))
    again = View(definition(inputs={"x": (0.0, 1.0)}, budget=50.0), [done(1, 0.5)], [*pool])
    assert models.for_view(again) is first
    corrected = replace(again, pool=[pool[0], Candidate({"x": 0.6}, {}), pool[2]])
    second = models.for_view(corrected)
    assert second is not first
    assert models.for_view(replace(corrected, definition=definition())) is not second


def test_an_extended_model_knows_what_a_fitted_one_knows(models):
    models.extended(trials(), "drag")
    more = [*trials(), done(200, 0.33)]
    import pandas as pd

    X = pd.DataFrame({"x": [0.31, 0.6], "material": ["alu", "alu"]})
    grown, fitted = models.extended(more, "drag"), models.of(more, "drag")
    assert (grown.n_added_, fitted.n_added_) == (1, 0)
    np.testing.assert_allclose(grown.predict(X), fitted.predict(X), atol=0.02)


def test_a_surprise_a_change_and_a_new_fidelity_ask_for_a_fit(models):
    models.extended(trials(), "drag")
    odd = replace(done(200, 0.33), values={"drag": 40.0})
    assert models.extended([*trials(), odd], "drag").n_added_ == 0
    changed = [replace(trials()[0], values={"drag": 0.9}), *trials()[1:]]
    assert models.extended(changed, "drag").n_added_ == 0
    only = [t for t in trials() if t.fidelity == "cfd"]
    models.extended(only, "drag")
    both = models.extended([*only, done(400, 0.5, "panel"), done(401, 0.1, "panel")], "drag")
    assert len(both.training_data_.fidelities) == 2


def test_draws_and_the_best_hyperparameters_take_turns_in_a_search():
    models = Models(definition(method="ar1"))
    even = models.extended(trials(), "drag")
    more = [*trials(), done(200, 0.33)]
    odd = models.extended(more, "drag")
    assert (even.inference, odd.inference, odd.n_added_) == ("bayes", "map", 0)
    assert models.of(more, "drag").inference == "bayes"
    assert models.extended(more, "drag") is odd
    assert models.extended([*more, done(201, 0.35)], "drag").inference == "bayes"


def test_cheap_results_do_not_end_a_turn():
    models = Models(definition(method="ar1"))
    first = models.extended(trials(), "drag")
    grown = models.extended([*trials(), done(50, 0.41, "panel")], "drag")
    assert (grown.inference, grown.n_added_, first.n_added_) == ("bayes", 1, 0)


def test_models_for_accuracy_always_have_draws():
    models = Models(definition(method="ar1", goal="accuracy"))
    assert models.extended([*trials(), done(200, 0.33)], "drag").inference == "bayes"
