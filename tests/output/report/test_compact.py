"""Predictors in pages: large arrays once."""

from __future__ import annotations

import json

import numpy as np

from mastgp.output.export.predictor import encoded
from mastgp.output.report.compact import compact, size_of


def test_arrays_that_are_repeated_are_written_once():
    large, small = np.arange(100.0), np.arange(3.0)
    document = encoded({"a": {"x": large, "y": small}, "b": [{"x": large.copy()}, {"y": small}]})
    found = compact(document)
    assert found["a"]["x"] == found["b"][0]["x"] == {"shape": [100], "same": 0}
    assert found["repeated"] == [document["a"]["x"]["float64"]]
    assert found["a"]["y"] == document["a"]["y"]


def test_a_document_without_repetitions_stays_as_it_is():
    document = encoded({"x": np.arange(100.0), "y": 1.0})
    assert compact(document) is document


def test_the_size_is_about_that_of_the_json():
    document = encoded({"x": np.random.default_rng(0).random(1000), "y": [1.5, "text"]})
    assert abs(size_of(document) / len(json.dumps(document)) - 1.0) < 0.02
