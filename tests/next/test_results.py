from __future__ import annotations

import time

import pytest

from mastgp.errors import DataError
from mastgp.next.results import NoResultError, NotFiniteError, Reader, Rule


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5),
        ("residual 3\n\ndrag = 0.021\n\n", 0.021),
        ("drag: -1.5e-3 counts\n", -1.5e-3),
        ("drag=2", 2.0),
        ("drag 2.5", 2.5),
        ("1 2 3", 3.0),
        ("1, 2, 3.5", 3.5),
        ("1.5D+02", 150.0),
        (".5", 0.5),
        ("CL: 0.3, CD: 0.02", 0.02),
    ],
)
def test_the_last_line_is_the_result(text, value):
    assert Rule.of("last").read(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "\n \n", "### ???", "diverged after 500 iterations", "Error: 404", "1.2\ncore dumped",
     "failed = 3", "drag = high", "see page 3 of 4", "0x1F", "1_000", "12:30:45 done"],
)  # fmt: skip
def test_what_is_no_result_is_not_taken_for_one(text):
    with pytest.raises(NoResultError):
        Rule.of("last").read(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("drag = 0.3 lift = 4", 0.3),
        ("CL: 0.3, Drag: 0.02", 0.02),
        ("final drag = 3 N", 3.0),
        ("drag [N]: 3", 3.0),
        ("result: 7", 7.0),
        ("final value = 7 units", 7.0),
        ("DRAG 2", 2.0),
        ("1, 2, 3.5", 3.5),
    ],
)
def test_the_name_of_the_target_counts(text, value):
    assert Reader.of(["drag"], []).read(text) == {"drag": value}


@pytest.mark.parametrize("text", ["lift = 3", "iter=3", "lift: 1, moment: 2", "lift 2", "x 1"])
def test_another_name_is_no_result(text):
    with pytest.raises(NoResultError, match=r"not 'drag'; print 'drag = \.\.\.'"):
        Reader.of(["drag"], []).read(text)


@pytest.mark.parametrize("text", ["nan", "drag = NaN", "-inf", "drag: Infinity", "1.2e308"])
def test_numbers_that_are_not_finite_are_no_values(text):
    with pytest.raises(NotFiniteError):
        Rule.of("last").read(text)


def test_regular_expressions_take_the_last_match():
    rule = Rule.of(r"regex:CD\s*=\s*(\S+)")
    assert rule.read("CD = 1\nCD = 2.5 ok\nbye 7") == 2.5
    assert Rule.of(r"regex:\d+\.\d+").read("a 1.5 b") == 1.5
    with pytest.raises(NoResultError, match="no match"):
        rule.read("nothing")
    with pytest.raises(NoResultError, match="not a number"):
        rule.read("CD = high")


def test_json_takes_the_last_object():
    assert Rule.of("json:drag").read('{"drag": 1}\nlog\n{"drag": 2.5}\n') == 2.5
    assert Rule.of("json:forces.drag").read('{\n "forces": {"drag": 3}\n}') == 3.0
    for text in ("", "[1]", '{"drag": true}', '{"drag": [1]}', '{"lift": 1}', "{" * 10_000):
        with pytest.raises(NoResultError):
            Rule.of("json:drag").read(text)
    with pytest.raises(NotFiniteError):
        Rule.of("json:drag").read('{"drag": NaN}')
    with pytest.raises(NotFiniteError):
        Rule.of("json:drag").read('{"drag": null}')


@pytest.mark.parametrize("text", ["first", "regex:", "regex:(", "json:", "", "last:3"])
def test_unknown_rules_are_refused(text):
    with pytest.raises(DataError, match="rule"):
        Rule.of(text)


def test_every_target_has_its_rule():
    reader = Reader.of(["drag", "stress"], ["stress=regex:s=(.*)"])
    assert reader.read('s=7\n{"drag": 2}') == {"drag": 2.0, "stress": 7.0}
    assert Reader.of(["drag"], ["json:cd"]).read('{"cd": 1}') == {"drag": 1.0}
    assert Reader.of(["drag"], ["drag=json:cd"]).read('{"cd": 1}') == {"drag": 1.0}
    with pytest.raises(DataError, match="TARGET=RULE"):
        Reader.of(["drag", "stress"], ["last"])


def test_a_long_line_does_not_take_long():
    started = time.process_time()
    for line in ("drag = " + "1" * 100_000 + "z", "1" * 100_000 + "z", "a" * 100_000 + " = x"):
        with pytest.raises(NoResultError):
            Rule.of("last").read(line)
    assert time.process_time() - started < 5.0


def test_a_value_that_cannot_be_is_no_result():
    reader = Reader.of(["drag"], [], plausible={"drag": (0.0, 1.0)})
    assert reader.read("drag = 0.2") == {"drag": 0.2}
    with pytest.raises(NoResultError, match=r"drag = -4e\+25 is not plausible.*between 0 and 1"):
        reader.read("-4e25")


def test_only_targets_have_plausible_values():
    with pytest.raises(DataError, match="unknown target 'lift'"):
        Reader.of(["drag"], [], plausible={"lift": (0.0, 1.0)})
