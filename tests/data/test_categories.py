from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from mastgp import DataError
from mastgp.data.categories import (
    MANY_LEVELS,
    Kinds,
    check_whole,
    encode,
    encode_queries,
    engine_categories,
    one_hot,
)
from mastgp.data.dataset import Dataset
from mastgp.data.levels import Category
from mastgp.errors import CategoriesWarning
from mastgp.gp import Categorical
from mixed import COSTS, mixed_dataset, queries, tables


def places(n):
    return [f"row {i}" for i in range(n)]


def encoded(X, **kinds):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CategoriesWarning)
        return encode(
            X,
            Kinds.of(*(kinds.get(k) for k in ("categorical", "numeric", "integer"))),
            places(len(X)),
        )


FRAME = pd.DataFrame(
    {
        "x": [0.1, 0.2, 0.3, 0.4],
        "text": ["b", " a", "b", "c"],
        "flag": [True, False, True, True],
        "kind": pd.Categorical([3, 1, 3, 20]),
        "layers": [2, 10, 2, 1],
    }
)


def test_text_booleans_and_pandas_categories_become_categories_by_themselves():
    with pytest.warns(CategoriesWarning, match=r"'text' \(text\): 'a', 'b', 'c'; 'flag' \(true or"):
        found = encode(FRAME, Kinds(), places(4))
    assert [(c.name, c.levels) for c in found.categories] == [
        ("text", ("a", "b", "c")),
        ("flag", ("False", "True")),
        ("kind", ("1", "3", "20")),
    ]
    np.testing.assert_array_equal(found.X["text"], [1, 0, 1, 2])
    np.testing.assert_array_equal(found.X["kind"], [1, 0, 1, 2])
    assert list(FRAME["text"]) == ["b", " a", "b", "c"]


def test_what_the_user_says_counts_and_needs_no_note(recwarn):
    found = encode(
        FRAME,
        Kinds(categorical=["text", "layers"], numeric=["flag", "kind"], integer=["x"]),
        places(4),
    )
    assert [c.name for c in found.categories] == ["text", "layers"]
    assert found.categories[1].levels == ("1", "2", "10")
    np.testing.assert_array_equal(found.X["flag"], [1.0, 0.0, 1.0, 1.0])
    np.testing.assert_array_equal(found.X["kind"], [3.0, 1.0, 3.0, 20.0])
    assert found.integers == (0,)
    assert not recwarn.list


def test_numbers_stay_what_they_are(recwarn):
    X = np.arange(6.0).reshape(3, 2)
    frame = pd.DataFrame({"a": ["1", "2"], "b": [1, 2]})
    as_list = [[1.0, 2], [3, 4]]
    for table in (X, frame, as_list):
        found = encode(table, Kinds(), places(3))
        assert found.X is table
        assert not found.categories
    assert not recwarn.list


def test_lists_and_arrays_may_hold_labels():
    for X in ([[0.5, "a"], [0.7, "b"]], np.array([["0.5", "a"], ["0.7", "b"]])):
        found = encoded(X)
        assert found.categories == (Category(1, "x1", ("a", "b")),)
        np.testing.assert_array_equal(found.X, [[0.5, 0.0], [0.7, 1.0]])


def test_columns_may_be_named_by_number():
    found = encoded(np.array([[1.0, 7.0], [2.0, 5.0]]), categorical=[1])
    assert found.categories == (Category(1, "x1", ("5", "7")),)


def test_levels_may_be_declared():
    found = encoded(FRAME[["layers"]], categorical={"layers": [1, 2, 5, 10]})
    assert found.categories[0].levels == ("1", "2", "5", "10")
    with pytest.raises(DataError, match="'layers' is '10' in row 1, a level that no training row"):
        encoded(FRAME[["layers"]], categorical={"layers": [1, 2]})


def test_queries_are_matched_by_name_and_whatever_the_labels_are_written_like():
    category = Category(1, "layers", ("1", "2", "True"))
    frame = pd.DataFrame({"x": 0.0, "layers": [2, 1.0, "2", " true "]}, dtype=object)
    for X in (frame, frame[["layers", "x"]], frame.to_numpy()):
        changed = encode_queries(X, [category], places(4))
        column = changed["layers"] if hasattr(changed, "columns") else changed[:, 1]
        np.testing.assert_array_equal(column, [1, 0, 1, 2])


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ({"categorical": ["colour"]}, "categorical names 'colour', but the inputs are 'x'"),
        ({"integer": [9]}, "integer names 9"),
        ({"categorical": ["x"], "integer": ["x"]}, "'x' cannot be both categorical and integer"),
        ({"numeric": "x"}, r"numeric must be a list of inputs, as \['x'\]"),
    ],
)
def test_wrong_names_are_refused(kinds, words):
    with pytest.raises(DataError, match=words):
        encoded(FRAME, **kinds)


@pytest.mark.parametrize("empty", [None, np.nan, "", " ", pd.NA])
def test_an_empty_cell_is_named(empty):
    frame = pd.DataFrame({"text": ["a", empty, "b"]}, dtype=object)
    with pytest.raises(DataError, match="column 'text' is empty in row 1"):
        encoded(frame, categorical=["text"])


def test_a_column_that_names_the_rows_is_refused():
    n = MANY_LEVELS + 2
    frame = pd.DataFrame({"run": [f"run {i}" for i in range(n)]})
    with pytest.raises(DataError, match=r"'run' has 12 different texts in 12 rows.*--ignore 'run'"):
        encoded(frame)
    assert len(encoded(frame, categorical=["run"]).categories[0].levels) == n


def test_a_column_that_names_the_fidelity_is_refused():
    frames = {name: pd.DataFrame({"x": [0.0, 1.0], "source": name}) for name in ("low", "high")}
    data = {name: (frame, [1.0, 2.0]) for name, frame in frames.items()}
    with pytest.warns(CategoriesWarning), pytest.raises(DataError, match="'source' has one level"):
        Dataset.from_tables(data, costs=COSTS)


def test_whole_numbers_are_checked():
    check_whole(np.array([[1.0, 0.5]]), [0], ["n", "x"], places(1))
    with pytest.raises(DataError, match=r"'x' is 0.5 in row 0; it is an integer input"):
        check_whole(np.array([[1.0, 0.5]]), [1], ["n", "x"], places(1))


def test_different_levels_are_one_apart():
    U = np.array([[0.2, 0.0], [0.2, 0.5], [0.2, 1.0]])
    H = one_hot(U, [Category(1, "m", ("a", "b", "c"))])
    distances = np.linalg.norm(H[:, None] - H[None], axis=-1)
    np.testing.assert_allclose(distances, 1.0 - np.eye(3))
    assert one_hot(U, []) is U


def test_a_data_set_keeps_codes_and_knows_labels():
    data = mixed_dataset()
    assert [c.name for c in data.categories] == ["material", "coated"]
    assert list(data.values_of(data.top.X)[1][:3]) == ["al"] * 3 or data.top.X.shape[1] == 3
    labels = data.values_of(data.top.X)[1]
    np.testing.assert_array_equal(
        data.categories[0].codes(labels, places(len(labels))), data.top.X[:, 1]
    )
    np.testing.assert_array_equal(np.unique(data.unit(data.fidelities[0])[:, 1]), [0.0, 0.5, 1.0])
    assert engine_categories(data.categories, "latent") == (Categorical(1, 3), Categorical(2, 2))


def test_categories_have_no_bounds():
    with pytest.raises(DataError, match="'material' is categorical and has no bounds"):
        Dataset.from_tables(
            tables(), costs=COSTS, categorical=["material", "coated"], bounds={"material": (0, 1)}
        )


def test_a_constant_category_is_a_constant_input():
    frame = queries(6).assign(material="al")
    with pytest.warns(match="input 'material' never varies"):
        data = Dataset.from_arrays(frame, np.arange(6.0), categorical=["material", "coated"])
    assert not data.box.varies[1]
