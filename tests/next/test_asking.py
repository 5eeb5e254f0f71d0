from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from mastgp import Study
from mastgp.auto.verdict import FidelityVerdict, Verdict
from mastgp.next.asking import expected_gains, failures_of, propose, success, worth_paying
from mastgp.next.keeping import Models
from mastgp.next.money import useless_fidelities
from mastgp.next.store import Candidate
from mastgp.next.trials import DESIGNED, DONE, FAILED, GIVEN, SUGGESTED, Trial
from studies import definition, drag

METHOD = "ar1-map"


def ended(id, x, material="alu", fidelity="cfd", origin=SUGGESTED, status=DONE):
    values = {"drag": drag(x, material, fidelity)} if status == DONE else {}
    return Trial(id=id, inputs={"x": x, "material": material}, fidelity=fidelity, status=status,
                 cost=10.0 if fidelity == "cfd" else 1.0, reason="", origin=origin, values=values,
                 failure="no" if status == FAILED else None, attempts=1)  # fmt: skip


def many(made, **changed):
    """Enough trials that the first design is done."""
    xs = np.linspace(0.0, 1.0, 6)
    found = [ended(i + 1, float(x), "alu" if i % 2 else "steel", origin=DESIGNED)
             for i, x in enumerate(xs)]  # fmt: skip
    cheap = [ended(i + 7, float(x), "alu" if i % 3 else "steel", "panel", origin=DESIGNED)
             for i, x in enumerate(np.linspace(0.02, 0.98, 20))]  # fmt: skip
    return [replace(trial, **changed) for trial in [*found, *cheap]]


def test_a_study_begins_with_the_same_design_however_it_is_asked():
    made = definition()
    at_once = propose(made, [], (), 8, Models(made))
    one_by_one, trials = [], []
    for id in range(1, 9):
        (proposal,) = propose(made, trials, (), 1, Models(made))
        one_by_one.append(proposal)
        trials.append(Trial(id=id, inputs=proposal.inputs, fidelity=proposal.fidelity, cost=1.0,
                            reason="", origin=DESIGNED))  # fmt: skip
    assert one_by_one == at_once
    assert set(Counter(p.fidelity for p in at_once)) == {"panel", "cfd"}


def test_the_first_cheap_runs_are_made_where_expensive_ones_are():
    made = definition(budget=300.0)
    found = propose(made, [], (), 24, Models(made))
    places = {
        name: [tuple(p.inputs.items()) for p in found if p.fidelity == name]
        for name in ("panel", "cfd")
    }
    n = len(places["cfd"])
    assert places["panel"][:n] == places["cfd"]
    assert not set(places["panel"][n:]) & set(places["cfd"])


def test_results_from_elsewhere_count_as_a_beginning():
    made = definition(budget=300.0, method=METHOD)
    given = many(made, origin=GIVEN)
    (proposal,) = propose(made, given, (), 1, Models(made))
    assert proposal.origin == SUGGESTED


def test_without_a_model_the_space_is_filled_with_expensive_runs():
    made = definition()
    handed_out = [replace(t, status="asked", values={}) for t in many(made)]
    (proposal,) = propose(replace(made, budget=1000.0), handed_out, (), 1, Models(made))
    assert (proposal.fidelity, proposal.origin) == ("cfd", DESIGNED)
    assert "too few results" in proposal.reason


def test_suggestions_come_with_reason_and_prediction():
    made = definition(budget=400.0, method=METHOD)
    found = propose(made, many(made), (), 3, Models(made))
    assert len({tuple(p.inputs.items()) for p in found}) == 3
    for proposal in found:
        assert proposal.origin == SUGGESTED
        assert proposal.predicted["low"] <= proposal.predicted["mean"] <= proposal.predicted["high"]
        assert "drag" in proposal.reason


def test_no_cheap_run_without_money_for_an_expensive_one_after_it():
    made = definition(budget=6 * 10 + 20 + 5, method=METHOD)
    assert propose(made, many(made), (), 2, Models(made)) == []
    accuracy = definition(budget=6 * 10 + 20 + 5, method=METHOD, goal="accuracy")
    assert {p.fidelity for p in propose(accuracy, many(made), (), 2, Models(accuracy))} == {"panel"}


@pytest.mark.parametrize("n", [1, 4, 40])
def test_for_accuracy_all_of_the_budget_is_spent_and_no_more(n):
    made = definition(budget=None, method=METHOD, goal="accuracy")
    trials = many(made)
    spent = sum(trial.spent + trial.committed for trial in trials)
    made = definition(budget=spent + 23.5, method=METHOD, goal="accuracy")
    proposals = propose(made, trials, (), n, Models(made))
    cost = sum(made.costs[one.fidelity] for one in proposals)
    assert cost <= 23.5
    assert len(proposals) == n or cost > 23.5 - min(made.costs.values())


def test_constraints_and_limits_are_respected():
    made = definition(budget=400.0, method=METHOD, constraints=["x >= 0.5", "stress <= 0.8"])
    trials = [replace(t, values={**t.values, "stress": t.inputs["x"]}) for t in many(made)]
    for proposal in propose(made, trials, (), 3, Models(made)):
        assert proposal.inputs["x"] >= 0.5 - 1e-9
        assert proposal.inputs["x"] <= 0.9


def test_only_rows_of_a_pool_are_asked_for_each_once():
    made = definition(budget=None, method=METHOD)
    pool = [Candidate({"x": i / 9, "material": m}, {}) for i in range(10) for m in ("steel", "alu")]
    trials, seen = [], set()
    for id in range(1, 30):
        proposals = propose(made, trials, pool, 1, Models(made))
        (proposal,) = proposals
        assert pool[proposal.candidate].inputs == proposal.inputs
        key = (proposal.candidate, proposal.fidelity)
        assert key not in seen
        seen.add(key)
        one = ended(id, proposal.inputs["x"], proposal.inputs["material"], proposal.fidelity)
        trials.append(replace(one, origin=proposal.origin, candidate=proposal.candidate))


def test_places_that_fail_are_avoided():
    made = definition(budget=None, method=METHOD)
    trials = many(made)
    bad = [t for t in trials if t.inputs["x"] > 0.7]
    trials = [replace(t, status=FAILED, values={}, failure="no") if t in bad else t for t in trials]
    assert failures_of(made, trials).is_local
    chance = success(made, trials)
    assert chance(np.array([[0.9, 1.0]]))[0] < 0.3 < 0.8 < chance(np.array([[0.2, 1.0]]))[0]
    (proposal,) = propose(made, trials, (), 1, Models(made))  # the predicted minimum is near 1
    assert proposal.inputs["x"] < 0.8
    assert success(made, many(made)) is None


def test_expected_gains_fall(rng):
    made = definition(budget=None, method=METHOD)
    gains = expected_gains(made, many(made), (), 3, Models(made))
    assert len(gains) == 3
    assert all(gain >= 0.0 for gain in gains)
    assert gains[-1] <= gains[0] * 1.5


def test_models_are_kept_until_results_change():
    made = definition(method=METHOD)
    models, trials = Models(made), many(made)
    model = models.of(trials, "drag")
    assert models.of(list(trials), "drag") is model
    assert models.of(trials[:-1], "drag") is not model


@pytest.mark.parametrize("goal", ["minimum", "maximum", "accuracy", "target=0.5"])
def test_every_goal_has_suggestions(goal):
    made = definition(budget=None, method=METHOD, goal=goal)
    (proposal,) = propose(made, many(made), (), 1, Models(made))
    assert proposal.origin == SUGGESTED


@pytest.mark.parametrize(("word", "paid"), [("helps", ["panel", "cfd"]), ("hurts", ["cfd"])])
def test_a_study_pays_for_no_fidelity_that_its_models_verdict_speaks_against(word, paid):
    made = definition(method=METHOD)
    entry = FidelityVerdict("panel", word, 0.0, 0.0, 0.0, "")
    judged = SimpleNamespace(verdict_=Verdict((entry,), None))
    assert worth_paying(made, many(made), judged) == paid


def test_a_source_that_says_nothing_gets_a_small_share(tmp_path, rng):
    """The whole way: cheap results are noise, and the verdict of `auto` finds that out."""
    study = Study(tmp_path / "a.study", {"a": (0.0, 1.0), "b": (0.0, 1.0)},
                  {"panel": 1.0, "cfd": 10.0}, "y", "accuracy", 150.0, random_state=1)  # fmt: skip
    spent = Counter()
    while trials := study.ask(3):
        for trial in trials:
            spent[trial.fidelity] += trial.cost
            a, b = trial.inputs.values()
            truth = np.sin(5.0 * a) + b**2
            study.tell(trial, truth if trial.fidelity == "cfd" else rng.standard_normal())
    assert 0.0 < spent["panel"] <= 0.2 * 150.0
    assert useless_fidelities(study.model()) == {"panel"}


def test_cheap_runs_that_fail_do_not_put_off_the_expensive_ones():
    made = definition(method=METHOD, budget=500.0)
    before = many(made)
    failed = [ended(100 + i, 0.03 + 0.07 * i, fidelity="panel", status=FAILED) for i in range(10)]
    (proposal,) = propose(made, [*before, *failed], (), 1, Models(made))
    assert proposal.fidelity == "cfd"


def test_the_last_runs_are_expensive_and_where_the_prediction_is_best():
    spent = sum(trial.spent for trial in many(definition()))
    made = definition(budget=spent + 25.0, method=METHOD)
    models = Models(made)
    (proposal,) = propose(made, many(made), (), 1, models)
    assert proposal.fidelity == "cfd"
    known = min(t.values["drag"] for t in many(made) if t.fidelity == "cfd")
    assert proposal.predicted["mean"] < known
    early = definition(budget=spent + 300.0, method=METHOD)
    (other,) = propose(early, many(early), (), 1, Models(early))
    assert proposal.predicted["mean"] <= other.predicted["mean"] + 1e-6


@pytest.mark.parametrize(
    ("goal", "left", "last"),
    [("minimum", 40.0, True), ("minimum", 40.1, False), ("maximum", 25.0, True),
     ("accuracy", 25.0, False), ("target=0.5", 25.0, False)],
)  # fmt: skip
def test_the_last_runs_begin_with_the_money_for_four_expensive_ones(monkeypatch, goal, left, last):
    given = []
    monkeypatch.setattr("mastgp.next.suggestions.suggest",
                        lambda *_, **options: given.append(options["last"]) or [])  # fmt: skip
    trials = many(definition())
    spent = sum(trial.spent for trial in trials)
    made = definition(budget=spent + left, method=METHOD, goal=goal)
    propose(made, trials, (), 1, Models(made))
    assert given == [last]


def test_a_candidate_that_failed_is_not_asked_for_again():
    made = definition(budget=None, method=METHOD)
    pool = [Candidate({"x": i / 3, "material": m}, {}) for i in range(4) for m in ("steel", "alu")]
    trials = []
    while proposals := propose(made, trials, pool, 2, Models(made)):
        for proposal in proposals:
            status = FAILED if proposal.candidate in (0, 5) else DONE
            one = ended(len(trials) + 1, **proposal.inputs, fidelity=proposal.fidelity,
                        status=status)  # fmt: skip
            trials.append(replace(one, origin=proposal.origin, candidate=proposal.candidate))
    seen = Counter((trial.candidate, trial.fidelity) for trial in trials)
    assert set(seen.values()) == {1}
    assert {row for row, fidelity in seen if fidelity == "cfd"} == set(range(len(pool)))


def test_a_batch_of_first_runs_and_suggestions_has_no_candidate_twice():
    made = definition(budget=None, method=METHOD)
    pool = [Candidate({"x": i / 3, "material": m}, {}) for i in range(4) for m in ("steel", "alu")]
    runs = [(row, "panel") for row in range(8)] + [(row, "cfd") for row in (1, 4, 6)]
    trials = [replace(ended(i + 1, **pool[row].inputs, fidelity=name, origin=GIVEN), candidate=row)
              for i, (row, name) in enumerate(runs)]  # fmt: skip
    found = propose(made, trials, pool, 9, Models(made))
    assert {one.origin for one in found} == {DESIGNED, SUGGESTED}
    assert sorted(one.candidate for one in found) == [0, 2, 3, 5, 7]
    assert all(set(one.inputs) == {"x", "material"} for one in found)
