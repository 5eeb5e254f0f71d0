from __future__ import annotations

import numpy as np
import pytest

from mastgp import DataError
from mastgp.data.levels import Category, as_number, distinct_levels, is_label, level_name, some_of

MATERIAL = Category(0, "material", ("1", "al", "True"))


@pytest.mark.parametrize(
    ("label", "name"),
    [
        (1, "1"),
        (1.0, "1"),
        ("1.0", "1"),
        (" al ", "al"),
        (True, "True"),
        ("false", "False"),
        (np.float64(0.5), "0.5"),
        (np.bool_(False), "False"),
        ("NA", "NA"),
    ],
)
def test_names_of_levels(label, name):
    assert level_name(label, "material", "row 0") == name


def test_codes_and_labels_are_inverse():
    codes = MATERIAL.codes(["al", 1, True, "true"], ["row"] * 4)
    np.testing.assert_array_equal(codes, [1, 0, 2, 2])
    assert list(MATERIAL.labels(codes)) == ["al", "1", "True", "True"]


def test_a_level_that_is_not_known_is_named_with_its_place():
    with pytest.raises(DataError, match="column 'material' is 'ti' in line 3, a level that no"):
        MATERIAL.codes(["al", "ti"], ["line 2", "line 3"])


def test_levels_are_in_the_order_of_numbers_then_of_text():
    labels = ["b", 10, "2", "a", 2.0]
    assert distinct_levels(labels, "x", ["row"] * 5) == ("2", "10", "a", "b")


def test_numbers_in_text():
    assert (as_number("1e3"), as_number("one"), as_number("inf")) == (1000.0, None, None)


def test_messages_show_a_few_levels():
    assert some_of("ab") == "'a', 'b'"
    assert some_of("abcdefghij").endswith("'h' and 2 more")


@pytest.mark.parametrize(
    ("cell", "label"),
    [("12 mm", True), ("1,5", False), ("inf", False), ("2026/01/02", False), (None, False)],
)
def test_what_a_label_is(cell, label):
    assert is_label(cell) is label
