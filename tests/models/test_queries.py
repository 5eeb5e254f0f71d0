from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mastgp import MAST, AutoSurrogate, DataError
from mastgp.errors import ExtrapolationWarning
from mastgp.gp.responses import Logarithm
from mastgp.models import CoKriging, SingleFidelity
from mastgp.models.queries import predicted_columns, unit_queries
from mastgp.models.transformed import of_response
from mixed import mixed_dataset, queries


@pytest.fixture(scope="module")
def model():
    return SingleFidelity().fit_data(mixed_dataset())


def test_labels_become_places_in_the_unit_cube(model):
    frame = queries(3).assign(material=["ti", "al", "steel"], coated=["no", "yes", "no"])
    U = unit_queries(model, frame)
    np.testing.assert_array_equal(U[:, 1:], [[1.0, 0.0], [0.0, 1.0], [0.5, 0.0]])
    # A frame has its columns' names, an array their order.
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(unit_queries(model, frame.to_numpy()), U)


def test_an_unknown_level_is_named(model):
    frame = queries(3).assign(material=["ti", "al", "tin"])
    with pytest.raises(DataError, match="column 'material' is 'tin' in row 2, a level that no"):
        model.predict(frame)


def test_whole_numbers_stay_whole():
    X = pd.DataFrame({"blades": [2, 3, 4, 5, 6]})
    model = SingleFidelity().fit(X, [1.0, 2.0, 2.5, 2.0, 1.0], integer=["blades"])
    with pytest.raises(DataError, match=r"'blades' is 2.5 in row 1; it is an integer input"):
        model.predict(pd.DataFrame({"blades": [2.0, 2.5]}))
    with pytest.raises(DataError, match="takes whole numbers only"):
        SingleFidelity().fit(X + 0.5, [1.0, 2.0, 2.5, 2.0, 1.0], integer=["blades"])


def test_levels_are_never_far_outside(model, recwarn):
    unit_queries(model, queries())
    assert not recwarn.list
    with pytest.warns(ExtrapolationWarning, match="'speed'"):
        unit_queries(model, queries().assign(speed=9.0))


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize(
    "method",
    [MAST(), CoKriging(), of_response(CoKriging(), Logarithm()), AutoSurrogate(), SingleFidelity()],
)
def test_columns_are_what_the_model_says_one_by_one(method, noise, rng, monkeypatch):
    X = rng.random((12, 2))
    model = method.fit(X, np.exp(2.0 * X[:, 0] + np.sin(4.0 * X[:, 1])))
    model.calibration_ = 1.3
    at = rng.random((7, 2))
    monkeypatch.setattr("mastgp.models.queries.BLOCK_ROWS", 3)
    found = predicted_columns(model, at, noise)
    expected = [
        *model.predict(at, return_std=True, include_noise=noise),
        *model.predict_interval(at, include_noise=noise),
        model.predict_quantile(at, 0.5, noise),
    ]
    assert list(found) == ["mean", "std", "lower95", "upper95", "median"][: len(found)]
    assert ("median" in found) == model.is_transformed
    for mine, theirs in zip(found.values(), expected, strict=False):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-12)
