"""The reader of exported predictors, which needs nothing of the package."""

from __future__ import annotations

import numpy as np
import pytest

from exported import BUILDERS, coded, fitted, predicted, queries
from mastgp import MAST, ConstantInputWarning
from mastgp.output.export import reader
from mastgp.output.export.predictor import predictor_json


@pytest.mark.parametrize("name", BUILDERS)
def test_it_predicts_what_the_model_predicts(name):
    model, X = fitted(name), queries(name)
    found = np.column_stack(reader.predict(reader.read(predictor_json(model)), coded(X)))
    np.testing.assert_allclose(found, predicted(model, X), rtol=1e-6, atol=1e-8)


def test_it_imports_nothing_of_the_package():
    with open(reader.__file__, encoding="utf-8") as file:
        assert "mastgp" not in file.read()


def test_inputs_that_never_vary_do_not_matter():
    x = np.linspace(0, 1, 9)
    with pytest.warns(ConstantInputWarning):
        model = MAST().fit(np.column_stack([x, np.full(9, 3.0)]), np.sin(5 * x))
    document = reader.read(predictor_json(model))
    means = [reader.predict(document, [[0.4, value]])[0][0] for value in (3.0, 7.0)]
    assert means[0] == means[1]
