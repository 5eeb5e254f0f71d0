"""Levels of models of very many rows in exported predictors."""

from __future__ import annotations

import numpy as np

from exported import coded, fitted, queries
from mastgp.data.levels import Category
from mastgp.output.export.folding import folded
from mastgp.output.export.predictor import predictor_document
from mastgp.output.report.live import processes_of

LEVELS = (Category(1, "alloy", ("al", "st", "ti")),)


def node(n_draws=1):
    rng = np.random.default_rng(0)
    eye = np.eye(3) * np.sqrt(0.5)
    X = np.hstack([rng.random((4, 1)), eye[[0, 2, 1, 2]], rng.random((4, 1))])
    return {
        "kind": "inducing",
        "X": X,
        "lengthscales": rng.random((n_draws, 2, 5)) + 0.5,
        "warps": np.ones((n_draws, 2, 5)),
        "categories": [],
    }


def test_distances_of_levels_stay_the_same():
    wide = node()
    narrow = folded(wide, LEVELS, 3)
    assert narrow["X"].shape == (4, 3)
    (levels,) = narrow["categories"]
    widths = wide["lengthscales"][0, 0]
    for a, b in [(0, 1), (1, 3), (0, 2), (1, 2)]:
        before = (((wide["X"][a] - wide["X"][b]) / widths) ** 2).sum()
        i, j = np.rint(narrow["X"][[a, b], 1] * 2).astype(int)
        own = narrow["lengthscales"][0, 0]
        after = ((narrow["X"][a] - narrow["X"][b])[[0, 2]] ** 2 / own[[0, 2]] ** 2).sum()
        after += 0.0 if i == j else levels["apart"][0, i] + levels["apart"][0, j]
        np.testing.assert_allclose(after, before, rtol=1e-12)


def test_what_has_its_columns_already_stays():
    own = {**node(), "categories": [{"column": 1}]}
    assert folded({"kind": "blend", "members": [own]}, LEVELS, 3)["members"][0]["X"] is own["X"]
    assert folded(node(), (), 5)["X"].shape == (4, 5)


def test_a_model_of_many_rows_has_one_column_for_each_input():
    model = fitted("levels, many rows")
    for own in processes_of(predictor_document(model)["predictor"]):
        assert own["X"].shape[1] == 4
        assert [entry["column"] for entry in own["categories"]] == [3]
    assert coded(queries("levels, many rows", 3)).shape == (3, 4)
