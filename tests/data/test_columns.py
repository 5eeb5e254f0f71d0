from __future__ import annotations

import pytest

from mastgp import DataError
from mastgp.data.columns import Header, Roles, how_to_ignore

COARSE = Header("coarse.csv", ["mach", "alpha", "case", "drag"])
FINE = Header("fine.csv", ["drag", "alpha", "case", "mach"])


def test_columns_without_another_role_are_inputs():
    assert Roles("drag").inputs_of([COARSE, FINE]) == ["mach", "alpha", "case"]
    assert Roles("drag", fidelity="case").inputs_of([COARSE]) == ["mach", "alpha"]
    assert Roles("drag", noise="alpha", ignore=["case"]).inputs_of([COARSE]) == ["mach"]
    assert Roles("drag", inputs=["alpha", "mach"]).inputs_of([COARSE]) == ["alpha", "mach"]


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ({"inputs": ["drag", "mach"]}, "'drag' cannot be both an input and something else"),
        ({"inputs": ["mach", "mach"]}, "input 'mach' is named twice"),
        ({"noise": "drag"}, "column 'drag' is named twice"),
        ({"ignore": ["drag"]}, "'drag' is needed and cannot be ignored"),
        ({"fidelity": ""}, "a column name is empty"),
        ({"inputs": "mach"}, r"inputs must be a list of column names, as \['mach'\]"),
        ({"ignore": "case"}, r"ignore must be a list of column names, as \['case'\]"),
    ],
)
def test_each_column_has_one_role(roles, words):
    with pytest.raises(DataError, match=words):
        Roles("drag", **roles)


@pytest.mark.parametrize(
    ("roles", "headers", "words"),
    [
        (Roles("Drag"), [COARSE], r"coarse.csv has no column 'Drag'; .*\(did you mean 'drag'\?\)"),
        (Roles("lift"), [COARSE], "no column 'lift'; its columns are 'mach', 'alpha', 'case'"),
        (Roles("drag", inputs=["sweep"]), [COARSE], "coarse.csv has no column 'sweep'"),
        (Roles("drag", ignore=["cases"]), [COARSE], "to ignore .did you mean 'case'"),
        (Roles("y"), [Header("a.csv", ["y"])], "a.csv has no columns besides 'y'"),
        (
            Roles("drag"),
            [COARSE, Header("b.csv", ["drag", "mach", "alpha"])],
            r"b.csv has no column 'case', but coarse.csv has. .*ignore=\['case'\]",
        ),
        (
            Roles("y"),
            [Header("a.csv", ["length", "y"]), Header("b.csv", ["lenght", "y"])],
            "Are 'length' and 'lenght' the same column",
        ),
    ],
)
def test_columns_that_are_not_there(roles, headers, words):
    with pytest.raises(DataError, match=words):
        roles.inputs_of(headers)


def test_advice_is_for_the_command_line_and_for_python():
    assert how_to_ignore("case") == "--ignore 'case', in Python ignore=['case']"


def test_every_fidelity_may_have_a_column_of_results():
    roles = Roles({"low": "LF", "high": "HF"})
    headers = [Header("a.csv", ["x", "LF", "HF"]), Header("b.csv", ["HF", "x"])]
    assert roles.inputs_of(headers) == ["x"]
    with pytest.raises(DataError, match=r"c\.csv has no column 'LF'"):
        roles.inputs_of([*headers, Header("c.csv", ["x"])])
    with pytest.raises(DataError, match="either a column names each row's fidelity"):
        Roles({"low": "LF", "high": "HF"}, "source")
    with pytest.raises(DataError, match="column 'LF' is named twice"):
        Roles({"low": "LF", "high": "LF"})
