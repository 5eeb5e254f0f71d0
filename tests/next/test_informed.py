from __future__ import annotations

from dataclasses import replace

import pytest

from mastgp.next.informed import best_known, described_by, informed
from mastgp.next.inputs import Range
from mastgp.next.store import Candidate, Proposal
from mastgp.next.trials import DONE, GIVEN, SUGGESTED, Trial
from studies import definition

POOL = [Candidate({"x": i / 4, "material": "alu"}, {}) for i in range(5)]


def trial(id, row, fidelity, value, origin=GIVEN):
    return Trial(id=id, inputs=POOL[row].inputs, fidelity=fidelity, status=DONE, cost=1.0,
                 reason="", origin=origin, values={"drag": value}, attempts=1,
                 candidate=row)  # fmt: skip


def known(origin=GIVEN):
    return [trial(i + 1, i, "panel", float(i * i), origin) for i in range(5)]


def test_results_of_a_whole_pool_become_an_input():
    made = definition()
    view = informed(made, [*known(), trial(9, 2, "cfd", 7.0, SUGGESTED)], POOL)
    assert view.definition.domain.inputs["panel drag"] == Range(0.0, 16.0)
    assert list(view.definition.costs) == ["cfd"]
    assert [one.inputs["panel drag"] for one in view.pool] == [0.0, 1.0, 4.0, 9.0, 16.0]
    (only,) = view.trials
    assert (only.id, only.inputs["panel drag"], only.fidelity) == (9, 4.0, "cfd")
    assert view.definition.budget == made.budget


def test_results_that_were_bought_have_cost_money():
    view = informed(definition(), known(SUGGESTED), POOL)
    assert view.definition.budget == definition().budget - 5.0


@pytest.mark.parametrize("goal", ["minimum", "accuracy"])
def test_an_incomplete_fidelity_stays_one(goal):
    trials = known()[:4] if goal == "minimum" else known()
    assert informed(definition(goal=goal), trials, POOL) is None
    assert informed(definition(goal=goal), trials, ()) is None


def test_candidates_with_the_same_inputs_share_a_result():
    view = informed(definition(), known(), [*POOL, POOL[3]])
    assert [one.inputs["panel drag"] for one in view.pool] == [0.0, 1.0, 4.0, 9.0, 16.0, 9.0]
    own = replace(known()[3], id=9, candidate=5, values={"drag": 7.0})
    view = informed(definition(), [*known(), own], [*POOL, POOL[3]])
    assert [one.inputs["panel drag"] for one in view.pool] == [0.0, 1.0, 4.0, 9.0, 16.0, 7.0]


def test_an_expensive_result_of_no_candidate_is_not_lost():
    elsewhere = replace(trial(9, 2, "cfd", 7.0), candidate=None)
    assert informed(definition(), [*known(), elsewhere], POOL) is None


def test_results_that_are_all_alike_describe_nothing():
    same = [replace(one, values={"drag": 1.0}) for one in known()]
    view = informed(definition(), same, POOL)
    assert view.definition.domain == definition().domain


def test_an_input_of_the_same_name_keeps_it():
    made = definition(inputs={"x": (0.0, 1.0), "panel drag": (0.0, 1.0)})
    pool = [replace(one, inputs={"x": one.inputs["x"], "panel drag": 0.5}) for one in POOL]
    view = informed(made, known(), pool)
    assert view.pool[4].inputs == {"x": 1.0, "panel drag": 0.5, "panel drag'": 16.0}


def test_the_best_known_candidate_is_that_of_the_goal():
    assert best_known(definition(), known(), POOL, [2, 3, 4]) == 2
    assert best_known(definition(goal="maximum"), known(), POOL, [0, 2]) == 2
    assert best_known(definition(), known()[:3], POOL, [0, 2]) is None
    assert best_known(definition(), known(), POOL, []) is None


def test_of_several_known_fidelities_the_most_expensive_one_counts():
    made = definition(costs={"guess": 0.1, "panel": 1.0, "cfd": 10.0})
    guesses = [trial(20 + i, i, "guess", float(-i)) for i in range(5)]
    assert best_known(made, [*guesses, *known()], POOL, range(5)) == 0
    assert best_known(made, guesses, POOL, range(5)) == 4


def test_proposals_are_described_by_a_pool():
    one = Proposal({"x": 9.0}, "cfd", "", SUGGESTED, 2, {})
    assert described_by(POOL, [one])[0].inputs == POOL[2].inputs
    assert described_by(POOL, [replace(one, candidate=None)])[0].inputs == {"x": 9.0}
