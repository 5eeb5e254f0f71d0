from __future__ import annotations

from copy import copy

import numpy as np
import pytest

from mastgp.errors import MastError, ModelFileError
from mastgp.models.cokriging import CoKriging
from mastgp.models.single import SingleFidelity
from mastgp.models.writing import Written


@pytest.fixture(scope="module")
def model():
    x = np.linspace(0.0, 1.0, 9)[:, None]
    return SingleFidelity().fit(x, np.sin(5.0 * x[:, 0]))


def test_a_file_of_another_method_is_refused(model, tmp_path):
    model.save(tmp_path / "sine.mast")
    query = [[0.3], [0.62]]
    assert (
        SingleFidelity.load(tmp_path / "sine.mast").predict(query) == model.predict(query)
    ).all()
    with pytest.raises(ModelFileError, match="holds a SingleFidelity, not a CoKriging"):
        CoKriging.load(tmp_path / "sine.mast")


def test_a_calibrated_model_is_written_as_a_dilated_one(model):
    node = model.plain_predictor()
    assert model.plain_calibrated()["kind"] == node["kind"]
    wider = copy(model)
    wider.calibration_ = 2.0
    dilated = wider.plain_calibrated()
    assert (dilated["kind"], dilated["factor"]) == ("dilated", 2.0)
    assert dilated["of"]["kind"] == node["kind"]


def test_a_method_without_plain_numbers_says_so():
    with pytest.raises(MastError, match="has no form that other programs can evaluate"):
        Written().plain_predictor()
