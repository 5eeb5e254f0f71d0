"""The document of a predictor: what is in it, and how large it is."""

from __future__ import annotations

import json

import numpy as np
import pytest

from exported import fitted
from mastgp import MAST, DataError
from mastgp.output.export.predictor import encoded, predictor_document, predictor_json
from mastgp.output.export.reader import read
from mastgp.surrogates.many.fitted import ManyRows


def test_a_document_says_what_it_predicts():
    document = predictor_document(fitted("levels"))
    assert document["format"] == "mastgp-predictor"
    assert document["target"] == {"name": "drag", "unit": None}
    assert document["predicts"] == "fine"
    assert [own["name"] for own in document["inputs"]] == ["x", "y", "z", "alloy"]
    assert document["inputs"][3]["levels"] == ["al", "st", "ti"]


def test_arrays_come_back_to_the_last_bit():
    document = predictor_document(fitted("matern"))
    again = read(json.dumps(encoded(document)))
    for name, value in document["predictor"].items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(again["predictor"][name], value)


def test_a_blend_of_many_draws_stays_small():
    assert len(predictor_json(fitted("auto"))) < 200_000


def test_forests_are_refused():
    rng = np.random.default_rng(0)
    X = rng.random((20, 2))
    model = MAST(surrogate="extra-trees", random_state=0).fit(X, X[:, 0])
    with pytest.raises(DataError, match="cannot be exported"):
        predictor_document(model)


def test_many_rows_by_other_tools_are_refused_with_the_reason(monkeypatch):
    model = fitted("many rows")
    monkeypatch.setattr(ManyRows, "abilities", frozenset())
    with pytest.raises(DataError, match="of so many rows cannot be exported"):
        predictor_document(model)
