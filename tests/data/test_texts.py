from __future__ import annotations

import pandas as pd
import pytest

from mastgp import DataError
from mastgp.data.categories import Kinds
from mastgp.data.reading import Source
from mastgp.data.texts import is_blank_label, labels_of, text_inputs


def source(**columns):
    return Source("a.csv", pd.DataFrame(columns), first=2, unit="line")


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (["al", "steel"], True),
        (["al", ""], True),
        (["al", "1"], False),
        (["1,5", "2,5"], False),
        ([1.0, 2.0], False),
        ([True, False], True),
        (["", ""], False),
        (["none", "TiN"], True),
        (["none", "None"], False),
        (["n/a", "NA"], False),
        (pd.Categorical(["1", "2"]), True),
    ],
)
def test_columns_without_a_number_are_labels(cells, text):
    assert text_inputs([source(m=cells)], ["m"], Kinds()) == (["m"] if text else [])


def test_a_column_must_be_text_in_all_files():
    assert not text_inputs([source(m=["al"]), source(m=["1"])], ["m"], Kinds())


def test_the_user_decides():
    file = source(m=["al", "ti"], n=["1", "2"])
    assert text_inputs([file], ["m", "n"], Kinds(categorical=["n"], numeric=["m"])) == ["n"]


def test_none_is_a_level_and_other_words_for_nothing_are_not():
    coating = pd.Series(["none", "TiN", "n/a", " ", None, "NULL"])
    assert is_blank_label(coating).tolist() == [False, False, True, True, True, True]


def test_an_empty_cell_is_named_with_its_line():
    with pytest.raises(DataError, match=r"line 3 of a.csv, column 'm': the value is missing"):
        labels_of(source(m=["al", " "]), ["m"])
