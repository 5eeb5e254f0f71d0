from __future__ import annotations

import numpy as np
import pytest

from mastgp.errors import DataError
from mastgp.next.inputs import Choice, Domain, Range, Whole, as_input, integer, read_input
from mastgp.stored import DamagedError

DOMAIN = Domain({"x": Range(2.0, 4.0), "n": integer(2, 6), "m": Choice(("steel", "alu", "wood"))})


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ((0.5, 0.9), Range(0.5, 0.9)),
        ((np.float64(0), 1), Range(0.0, 1.0)),
        (integer(2, 6), Whole(2, 6)),
        (["steel", "alu"], Choice(("steel", "alu"))),
        ([1, 2], Choice((1, 2))),
        (("steel", "alu"), Choice(("steel", "alu"))),
        ([True, False], Choice((True, False))),
    ],
)
def test_what_a_user_gives_is_an_input(given, found):
    assert as_input("x", given) == found
    assert read_input(found.as_json(), "x") == found


@pytest.mark.parametrize(
    "given",
    [(1.0, 0.0), (1.0, 1.0), (0.0, np.inf), (0.0, np.nan), ["a"], ["a", "a"], [1, "1"], "steel",
     {"a": 1}, 3, [None, "a"], [[1], [2]], (0, 10**400), (-1.2e308, 1.2e308)],
)  # fmt: skip
def test_what_is_no_input_is_refused(given):
    with pytest.raises(DataError, match="'x'"):
        as_input("x", given)


@pytest.mark.parametrize("ends", [(6, 2), (2, 2), (0.5, 2), ("a", 2), (0, 2**60), (0, None)])
def test_integers_need_two_whole_numbers(ends):
    with pytest.raises(DataError, match="two whole numbers"):
        integer(*ends)


def test_whole_numbers_and_levels_have_equal_parts_of_the_unit_interval():
    shares = (np.arange(1000) + 0.5) / 1000
    for one, count in ((DOMAIN.inputs["n"], 200), (Choice(("a", "b", "c", "d")), 250)):
        values, counts = np.unique([str(one.at(share)) for share in shares], return_counts=True)
        assert set(counts) == {count}
        assert len(values) == 1000 // count
    assert DOMAIN.at([1.0, 1.0, 1.0]) == {"x": 4.0, "n": 6, "m": "wood"}


def test_units_and_distances():
    points = [{"x": 3.0, "n": 3, "m": "alu"}, {"x": 3.0, "n": 3, "m": "wood"}]
    np.testing.assert_allclose(DOMAIN.unit(points), [[0.5, 0.25, 0.0], [0.5, 0.25, 1.0]])
    first, second = DOMAIN.apart(points)
    assert np.linalg.norm(first - second) == pytest.approx(1.0)
    assert DOMAIN.unit([]).shape == (0, 3)


def test_values_are_read_from_text_and_numbers():
    assert DOMAIN.read({"x": "2.5", "n": "3", "m": " alu "}, "it") == {"x": 2.5, "n": 3, "m": "alu"}
    assert DOMAIN.read({"x": 4.0 + 1e-12, "n": 3.0, "m": "alu"}, "it")["x"] == 4.0
    assert Choice((1, 2)).read("1.0") == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"x": 5.0}, "'x' is 5, outside 2 to 4"),
        ({"x": "far"}, "'x' is 'far', not a number"),
        ({"x": float("nan")}, "not a finite number"),
        ({"n": 2.5}, "'n' is 2.5, not a whole number"),
        ({"n": 7}, "outside 2 to 6"),
        ({"m": "stel"}, "'m' is 'stel', which is none of 'steel', 'alu', 'wood'"),
        ({"m": ""}, "'m' is empty"),
    ],
)
def test_wrong_values_are_named_with_their_place(changed, message):
    with pytest.raises(DataError, match=f"row 7: input .*{message}"):
        DOMAIN.read({"x": 3.0, "n": 3, "m": "alu", **changed}, "row 7")
    with pytest.raises(DataError, match="row 7 has no input 'm'"):
        DOMAIN.read({"x": 3.0, "n": 3}, "row 7")


@pytest.mark.parametrize(
    "state",
    [
        None,
        {"kind": "range", "low": 1.0},
        {"kind": "range", "low": 1.0, "high": 0.0},
        {"kind": "range", "low": "a", "high": 1.0},
        {"kind": "integer", "low": 0, "high": 2**60},
        {"kind": "integer", "low": 0.5, "high": 2},
        {"kind": "category", "levels": ["a"]},
        {"kind": "category", "levels": "ab"},
        {"kind": "magic"},
    ],
)
def test_damaged_inputs_of_a_file_are_refused(state):
    with pytest.raises(DamagedError):
        read_input(state, "input 'x'")
