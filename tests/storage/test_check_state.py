from __future__ import annotations

import numpy as np
import pytest

import mastgp
from mastgp.check.heldout import held_out
from mastgp.check.validation import kept_check
from mastgp.models import SingleFidelity
from mastgp.storage.check_state import check_held_out, check_kept
from mastgp.stored import DamagedError

X = np.linspace(0.0, 1.0, 7)[:, None]


def state():
    """What a model keeps of its check."""
    model = SingleFidelity().fit(X, np.sin(4.0 * X[:, 0]))
    mastgp.validate(model)
    return model.check_


def test_what_a_model_keeps_is_accepted():
    kept = state()
    assert check_kept(kept, 7) is kept


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda kept: kept.pop("table"), "has no 'table'"),
        (lambda kept: kept.update(more=1), "'more', which is unknown"),
        (lambda kept: kept.update(table=[]), "must be at least 1"),
        (lambda kept: kept["table"][0].update(rmse="small"), "rmse of a check is no number"),
        (lambda kept: kept["table"][0].update(model=3), "the model of a check is no text"),
        (lambda kept: kept.update(table=kept["table"] * 99), "at most 100"),
        (lambda kept: kept["held_out"].update(mean=np.zeros(3)), "mean has the shape"),
        (lambda kept: kept["held_out"].update(std=np.full(7, -1.0)), "std has the value -1"),
        (lambda kept: kept["held_out"].update(mean=np.full(7, np.nan)), "has no predictions"),
        (lambda kept: kept["held_out"].update(mean=np.full(7, np.inf)), "infinite"),
        (lambda kept: kept["held_out"].update(std=np.full(7, np.nan)), "where the mean is not"),
        (lambda kept: kept["held_out"].update(std=np.full(7, 1e308)), "std has the value 1e\\+308"),
        (lambda kept: kept["held_out"].update(probability=np.full(7, 2.0)), "probability has"),
        (lambda kept: kept["held_out"].update(odd=1), "'odd', which is unknown"),
        (lambda kept: kept["held_out"].update(n_folds=-1), "n_folds is -1"),
    ],
)
def test_anything_else_is_named(change, message):
    kept = state()
    change(kept)
    with pytest.raises(DamagedError, match=message):
        check_kept(kept, 7)


def test_predictions_are_of_as_many_points_as_the_data_have():
    with pytest.raises(DamagedError, match="y of a held-out check has the shape"):
        check_held_out(state()["held_out"], 8)


def test_the_check_is_in_the_file(tmp_path, monkeypatch):
    model = SingleFidelity().fit(X, np.sin(4.0 * X[:, 0]))
    table = mastgp.validate(model)
    model.save(tmp_path / "m.mast")
    read = mastgp.load(tmp_path / "m.mast")
    monkeypatch.setattr("mastgp.check.heldout.predict_held_out", lambda *_: pytest.fail("again"))
    assert kept_check(read) == kept_check(model)
    assert mastgp.validate(read).equals(table)
    again, once = held_out(read), held_out(model)
    np.testing.assert_array_equal(again.mean, once.mean)
    np.testing.assert_array_equal(again.interval95, once.interval95)
    assert again.nlpd == once.nlpd


def test_a_new_fit_forgets_the_check():
    model = SingleFidelity().fit(X, np.sin(4.0 * X[:, 0]))
    mastgp.validate(model)
    assert model.fit(X, np.cos(4.0 * X[:, 0])).check_ is None
    assert kept_check(model) is None
