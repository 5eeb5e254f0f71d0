from __future__ import annotations

from collections import Counter

import pytest

from mastgp.next.beginning import first_runs, free_rows, more_runs
from mastgp.next.store import Candidate
from mastgp.next.trials import DONE, GIVEN, Trial
from studies import definition

POOL = [Candidate({"x": i / 19, "material": m}, {}) for i in range(20) for m in ("steel", "alu")]
ALL = ("panel", "cfd")


def given(row, fidelity, value=1.0, candidate=True):
    return Trial(id=row + 1, inputs=POOL[row].inputs, fidelity=fidelity, status=DONE, cost=1.0,
                 reason="", origin=GIVEN, values={"drag": value}, attempts=1,
                 candidate=row if candidate else None)  # fmt: skip


def test_only_allowed_fidelities_are_begun_with():
    made = definition(budget=300.0)
    both = Counter(one.fidelity for one in first_runs(made, [], (), 100, ALL))
    assert set(both) == {"panel", "cfd"}
    assert Counter(one.fidelity for one in first_runs(made, [], (), 100, ["cfd"])) == {
        "cfd": both["cfd"]
    }


@pytest.mark.parametrize("candidate", [True, False])
def test_candidates_with_results_are_not_free(candidate):
    trials = [given(3, "cfd", candidate=candidate)]
    assert 3 not in free_rows(POOL, trials, "cfd")
    assert len(free_rows(POOL, trials, "cfd")) == len(POOL) - 1
    assert len(free_rows(POOL, trials, "panel")) == len(POOL)


def test_candidates_with_the_same_inputs_count_as_one():
    twins = [*POOL, POOL[3]]
    assert free_rows(twins, [given(3, "cfd")], "cfd") == [r for r in range(len(POOL)) if r != 3]
    found = more_runs(definition(), [given(row, "cfd") for row in range(39)], twins, 20, ())
    assert [one.candidate for one in found] == [39]


def test_the_first_cheap_runs_are_of_candidates_with_expensive_ones():
    made = definition(budget=300.0)
    found = first_runs(made, [], POOL, 100, ALL)
    rows = {name: [one.candidate for one in found if one.fidelity == name] for name in ALL}
    assert len(set(rows["cfd"])) == len(rows["cfd"])
    assert len(set(rows["panel"])) == len(rows["panel"])
    assert len(set(rows["cfd"]) & set(rows["panel"])) >= len(rows["cfd"]) - 1


def test_candidates_with_expensive_results_are_the_first_to_be_run_cheaply():
    trials = [given(row, "cfd") for row in (7, 30)]
    found = first_runs(definition(budget=300.0), trials, POOL, 2, ["panel"])
    assert [one.candidate for one in found] == [7, 30]
    everywhere = definition(budget=300.0, goal="accuracy")
    found = first_runs(everywhere, trials, POOL, 2, ["panel"])
    assert not {one.candidate for one in found} & {7, 30}


def test_every_second_expensive_run_is_where_known_results_are_best():
    made = definition(budget=300.0)
    trials = [given(row, "panel", abs(row - 11.2)) for row in range(len(POOL))]
    found = [one.candidate for one in first_runs(made, trials, POOL, 100, ALL)]
    assert found[0::2][:2] == [11, 12]
    assert len(set(found)) == len(found) == 4
    assert not set(found[1::2]) <= {10, 11, 12, 13}


def test_more_runs_fill_the_space():
    made = definition()
    found = more_runs(made, [given(row, "cfd") for row in range(30)], POOL, 20, ())
    assert sorted(one.candidate for one in found) == list(range(30, 40))
