from __future__ import annotations

import json

import pytest

from mastgp.errors import DataError
from mastgp.next.definition import read_definition
from mastgp.stored import DamagedError
from studies import definition


def test_a_definition_survives_its_file():
    made = definition(goal="target=2", constraints=["x <= 0.5", "stress <= 250"], scouting=0.2)
    assert read_definition(made.as_json()) == made
    assert made.targets == ("drag", "stress")
    assert made.level == 2.0
    assert made.top == "cfd"
    assert [one.text for one in made.linear] == ["x <= 0.5"]
    assert [one.target for one in made.limits] == ["stress"]
    assert made.allows({"x": 0.5, "material": "alu"})
    assert not made.allows({"x": 0.6, "material": "alu"})


def test_fidelities_are_ranked_by_cost():
    assert list(definition(costs={"cfd": 10, "panel": 1, "mid": 3}).costs) == [
        "panel",
        "mid",
        "cfd",
    ]


@pytest.mark.parametrize(("goal", "losses"), [("minimum", (1.0, 3.0)), ("maximum", (-1.0, -3.0)),
                                              ("target=2.5", (1.5, 0.5))])  # fmt: skip
def test_losses_are_smaller_nearer_to_the_goal(goal, losses):
    made = definition(goal=goal)
    assert (made.loss(1.0), made.loss(3.0)) == losses


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"inputs": {}}, "inputs must be a mapping"),
        ({"inputs": {"cost": (0, 1)}}, "can be called 'cost'"),
        ({"inputs": {"a{b}": (0, 1)}}, "without braces"),
        ({"inputs": {"drag": (0, 1)}}, "both input and target"),
        ({"costs": {}}, "costs must be a mapping"),
        ({"costs": {"a": -1}}, "above zero"),
        ({"costs": {"a": "x"}}, "not a number"),
        ({"costs": {"a": 10**400}}, "not a number"),
        ({"costs": {"a": 1e308}}, "at most 1e\\+100"),
        ({"costs": {"a": 1, "b": 1}}, "cost the same"),
        ({"goal": "best"}, "unknown goal"),
        ({"goal": "target=x"}, "unknown goal"),
        ({"budget": 5}, "less than one run of 'cfd'"),
        ({"budget": -5}, "above zero"),
        ({"target": []}, "needs a target"),
        ({"scouting": 2}, "from 0 to 1"),
        ({"random_state": -1}, "whole number"),
        ({"constraints": ["x <= "]}, "constraint"),
        ({"constraints": ["material + x <= 1"]}, "constraint"),
    ],
)
def test_mistakes_are_named(changed, message):
    with pytest.raises(DataError, match=message):
        definition(**changed)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("domain", {}), ("domain", {"x": 1}), ("costs", {"a": "1"}), ("costs", [1]),
        ("targets", "drag"), ("targets", [1]), ("goal", 3), ("budget", "much"), ("budget", -1.0),
        ("constraints", ["__import__('os')"]), ("constraints", [1]), ("method", 1),
        ("scouting", 7.0), ("random_state", 0.5), ("unknown", 1),
    ],
)  # fmt: skip
def test_a_damaged_definition_is_refused(name, value):
    state = json.loads(definition().as_json())
    state[name] = value
    with pytest.raises(DamagedError):
        read_definition(json.dumps(state))


@pytest.mark.parametrize("state", ["", "[]", "{", "[" * 100_000, None, "{}"])
def test_what_is_no_definition_is_refused(state):
    with pytest.raises(DamagedError):
        read_definition(state)
