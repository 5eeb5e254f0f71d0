from __future__ import annotations

import inspect
import warnings

import pytest

import mastgp
from mastgp import MAST, errors
from mastgp.errors import MastWarning, listed, points, recorded, silenced, warn


def classes_of(base):
    return [
        kind
        for kind in vars(errors).values()
        if inspect.isclass(kind) and issubclass(kind, base) and kind.__module__ == "mastgp.errors"
    ]


def test_every_error_and_warning_has_one_base_and_is_public():
    raised, given = classes_of(Exception), classes_of(Warning)
    assert all(
        issubclass(kind, errors.MastWarning if kind in given else errors.MastError)
        for kind in raised
    )
    assert {kind.__name__ for kind in raised} <= set(mastgp.__all__)
    assert all(kind.__doc__ for kind in raised)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (errors.DataError, ValueError),
        (errors.FileError, OSError),
        (errors.ModelFileError, OSError),
        (errors.MissingExtraError, ImportError),
        (errors.MastWarning, UserWarning),
    ],
)
def test_errors_are_caught_as_what_python_calls_them(kind, builtin):
    assert issubclass(kind, builtin)


def test_warnings_point_at_the_users_line():
    with pytest.warns(mastgp.MastWarning) as caught:
        MAST().fit([[1.0]], [2.0])
    assert {warning.filename for warning in caught} == {__file__}
    with pytest.warns(errors.FitWarning, match="odd") as caught:
        warn("odd", errors.FitWarning)
    assert [warning.filename for warning in caught] == [__file__]


def test_an_unknown_name_is_answered_with_the_one_that_was_meant():
    error = errors.unknown("fruit", "aple", ["apple", "pear"], or_else=" or a tree")
    assert str(error) == (
        "unknown fruit 'aple': did you mean 'apple'? Choose one of 'apple', 'pear' or a tree"
    )
    assert str(errors.unknown("fruit", "xyz", ["pear"])) == (
        "unknown fruit 'xyz'; choose one of 'pear'"
    )


def test_names_and_numbers_in_messages():
    assert listed(["coarse", 3]) == "'coarse', '3'"
    assert listed([]) == ""
    assert [points(n) for n in (0, 1, 2)] == ["0 points", "1 point", "2 points"]


def test_warnings_can_be_kept_and_are_given_all_the_same():
    with warnings.catch_warnings(record=True) as given, recorded() as said:
        warnings.simplefilter("always")
        warn("first", MastWarning)
        warn("first", MastWarning)
        with silenced(MastWarning):
            warn("second", MastWarning)
        warnings.warn("third", UserWarning, stacklevel=1)
    assert said == ["first"]
    assert [str(warning.message) for warning in given] == ["first", "first", "third"]
