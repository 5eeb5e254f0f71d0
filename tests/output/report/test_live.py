"""The surrogate inside the page: what a browser is given."""

from __future__ import annotations

import json

import numpy as np

from exported import coded, fitted, predicted, queries
from mastgp import MAST
from mastgp.output.export.predictor import encoded, predictor_document
from mastgp.output.export.reader import predict, read
from mastgp.output.report import live
from mastgp.output.report.compact import size_of
from mastgp.output.report.live import first_view, live_document, processes_of, thinned, work_of


def test_small_models_are_given_whole():
    document, note = live_document(fitted("ar1"))
    assert note is None
    assert document == encoded(predictor_document(fitted("ar1")))


def test_large_models_lose_draws_and_say_how_much_that_changes(monkeypatch):
    model = fitted("ar1")
    whole = predictor_document(model)
    work, _, _ = work_of(whole)
    monkeypatch.setattr(live, "MOST_WORK", 0.5 * work)
    document, note = live_document(model)
    assert "standard deviations off" in note
    n_draws = len(whole["predictor"]["weights"])
    assert document["predictor"]["weights"]["shape"][0] in (n_draws // 2, n_draws // 2 - 1)


def test_what_is_too_large_is_not_given_at_all(monkeypatch):
    monkeypatch.setattr(live, "MOST_MEMORY", 100.0)
    document, note = live_document(fitted("hf-only"))
    assert document is None
    assert "too many points" in note


def test_inducing_points_are_given_whole_unless_the_page_would_be_too_large():
    model = fitted("many rows")
    document, note = live_document(model)
    assert note is None
    assert document["predictor"]["below"][0]["kind"] == "inducing"
    size = len(json.dumps(document))
    assert size < live.MOST_BYTES
    document, note = live_document(model, room=0.5 * size)
    assert document is None
    assert "the page has no room" in note


def test_there_is_room_for_a_thousand_inducing_points_of_ten_inputs():
    numbers = {"known": np.zeros(1000 * 1001 // 2), "X": np.zeros((1000, 10))}
    assert size_of(encoded(numbers)) < live.MOST_BYTES < 5.6e6  # the rest of a page has the rest


def test_members_that_share_a_level_have_it_once():
    document, note = live_document(fitted("many rows, auto"))
    assert note is None
    triangles = [own["known"] for own in processes_of(document["predictor"]) if "known" in own]
    assert len(triangles) > 1
    (same,) = {own["same"] for own in triangles}
    whole = json.dumps(encoded(predictor_document(fitted("many rows, auto"))))
    saved = (len(triangles) - 1) * len(document["repeated"][same])
    assert len(json.dumps(document)) < len(whole) - 0.99 * saved


def test_draws_of_a_level_are_thinned_with_what_they_say_of_the_factor():
    document = predictor_document(fitted("many rows"))
    thinned(document, 0.5)
    top = document["predictor"]["of"]
    assert len({len(top[name]) for name in ("weights", "slopes", "corrections")}) == 1
    assert len(top["weights"]) < len(
        predictor_document(fitted("many rows"))["predictor"]["of"]["weights"]
    )


def test_the_heaviest_draws_stay():
    document = predictor_document(fitted("levels"))
    weights = document["predictor"]["weights"]
    thinned(document, 0.25)
    kept = document["predictor"]
    assert len(kept["weights"]) == 6
    np.testing.assert_allclose(kept["weights"].sum(), 1.0)
    assert kept["categories"][0]["positions"].shape[0] == 6
    heaviest = np.sort(weights)[-6:] / np.sort(weights)[-6:].sum()
    np.testing.assert_allclose(np.sort(kept["weights"]), heaviest)


def test_other_methods_have_slices_only():
    rng = np.random.default_rng(0)
    X = rng.random((30, 2))
    model = MAST(surrogate="extra-trees", random_state=0).fit(X, X[:, 0])
    document, note = live_document(model)
    assert document is None
    assert "cannot compute" in note
    assert len(first_view(model)["slices"]) == 2


def test_the_first_view_is_what_the_model_predicts():
    model = fitted("levels, mast")
    view = first_view(model)
    along = view["slices"][3]
    assert along["x"] == ["al", "st", "ti"]
    X = queries("levels, mast", 1)
    start = live.starting_point(model)
    X.iloc[0] = start
    np.testing.assert_allclose(view["value"], predicted(model, X)[0])
    found = predict(read(__import__("json").dumps(encoded(predictor_document(model)))), coded(X))
    np.testing.assert_allclose(np.ravel(found), view["value"], rtol=1e-6)
