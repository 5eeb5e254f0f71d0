"""Values from files: each is what it must be, or named."""

from __future__ import annotations

import re

import numpy as np
import pytest

from mastgp import ModelFileError, stored
from mastgp.stored import ANY, DamagedError


def refused(words):
    return pytest.raises(DamagedError, match=f"^{re.escape(words)}")


def test_an_error_is_that_of_a_model_file():
    assert issubclass(DamagedError, ModelFileError)


def test_a_right_array_passes():
    value = np.array([[0.0, 1.0]])
    assert stored.array(value, "X", (ANY, 2), low=0.0, high=1.0) is value
    whole = np.array([0, 3])
    assert stored.array(whole, "rows", (2,), low=0, whole=True) is whole
    odd = np.array([np.nan, np.inf])
    assert stored.array(odd, "y", (2,), missing=True, infinite=True) is odd


@pytest.mark.parametrize(
    ("value", "options", "words"),
    [
        ([1.0], {}, "y is no array of numbers"),
        (np.array(["a"]), {}, "y is no array of numbers"),
        (np.array([1]), {}, "y is no array of numbers"),
        (np.array([1.0]), {"whole": True}, "y is no array of whole numbers"),
        (np.zeros(3), {}, "y has the shape (3,), not (1,)"),
        (np.zeros((1, 1)), {}, "y has the shape (1, 1), not (1,)"),
        (np.array([np.nan]), {}, "y has values that are no numbers (NaN)"),
        (np.array([-np.inf]), {}, "y has infinite values"),
        (np.array([-1.0]), {"low": 0.0}, "y has the value -1, and must be at least 0"),
        (np.array([3.0]), {"high": 2.0}, "y has the value 3, and must be at most 2"),
        (np.array([3.0]), {"low": 0, "high": 2}, "y has the value 3, and must be between 0 and 2"),
    ],
)
def test_a_wrong_array_is_named(value, options, words):
    with refused(words):
        stored.array(value, "y", (1,), **options)


@pytest.mark.parametrize(
    ("value", "options", "words"),
    [
        ("1", {}, "n is no number"),
        (True, {}, "n is no number"),
        (1.5, {"whole": True}, "n is no whole number"),
        (float("nan"), {}, "n is nan"),
        (float("inf"), {}, "n is inf"),
        (-1, {"low": 0}, "n is -1, and must be at least 0"),
        (10**400, {}, "n is a number of 401 digits or more, and must be finite"),
        (10**400, {"high": 5}, "n is a number of 401 digits or more, and must be at most 5"),
    ],
)
def test_a_wrong_number_is_named(value, options, words):
    with refused(words):
        stored.number(value, "n", **options)


def test_right_plain_values_pass():
    assert stored.number(3, "n", low=0, whole=True) == 3
    assert stored.text("a", "name") == "a"
    assert stored.mapping({"a": 1, "b": 2}, "state", ("a",)) == {"a": 1, "b": 2}
    assert stored.sequence([1, 2], "list", 2, most=2) == [1, 2]


def test_wrong_plain_values_are_named():
    with refused("name is no text"):
        stored.text(3, "name")
    with refused("name is no text, or a very long one"):
        stored.text("a" * (stored.LONGEST_TEXT + 1), "name")
    with refused("state is no mapping of names"):
        stored.mapping([], "state")
    with refused("state is no mapping of names"):
        stored.mapping({1: 2}, "state")
    with refused("state has no 'b'"):
        stored.mapping({"a": 1}, "state", ("a", "b"))
    with refused("state has 'c', which is unknown"):
        stored.mapping({"a": 1, "c": 1}, "state", ("a",), more=False)
    with refused("entries is no list"):
        stored.sequence("abc", "entries")
    with refused("entries has 1 entries, not 2"):
        stored.sequence([1], "entries", 2)
    with refused("entries has 3 entries, and at most 2 are allowed"):
        stored.sequence([1, 2, 3], "entries", most=2)


def test_matrices_that_no_machine_holds_are_refused(monkeypatch):
    stored.check_memory(1000, 24)
    with refused("its covariance matrices of 100000000 points need 80000000 GB"):
        stored.check_memory(10**8)
    monkeypatch.setattr(stored, "_memory", lambda: None)
    stored.check_memory(10**8)  # a machine that does not tell
