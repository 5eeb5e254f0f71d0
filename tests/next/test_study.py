from __future__ import annotations

import math
import multiprocessing

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp import Study
from mastgp.errors import DataError, FileError
from mastgp.next.trials import DONE, FAILED
from studies import drag, finish, new_study


def test_a_study_finds_the_minimum_and_spends_no_more_than_its_budget(tmp_path):
    study = finish(new_study(tmp_path, budget=160.0), 2)
    best = study.best()
    assert best.observed
    assert best.feasible
    assert best.inputs["material"] == "alu"
    assert best.value == drag(**best.inputs) < -0.95  # the minimum is -1, at 3 pi / 10
    assert best.interval[0] <= best.interval[1]
    assert 140.0 <= study.spent <= 160.0
    assert study.ask() == []


def test_a_file_that_exists_is_opened(tmp_path):
    study = new_study(tmp_path)
    (trial,) = study.ask()
    assert new_study(tmp_path).trials() == [trial]
    assert Study(study.path).definition == study.definition
    assert Study(study.path, budget=500).definition.budget == 500.0
    assert Study(study.path).definition.budget == 500.0
    with pytest.raises(DataError, match="other 'costs', 'goal'"):
        new_study(tmp_path, costs={"panel": 1, "cfd": 20}, goal="maximum")
    with pytest.raises(DataError, match="other 'inputs'"):
        new_study(tmp_path, inputs={"x": (0, 2)})


def test_a_study_that_does_not_exist_needs_everything(tmp_path):
    with pytest.raises(FileError, match="there is no study"):
        Study(tmp_path / "none.study")
    with pytest.raises(DataError, match="needs 'costs'"):
        Study(tmp_path / "none.study", inputs={"x": (0, 1)}, target="y")
    with pytest.raises(DataError, match="unknown method"):
        new_study(tmp_path, method="magic")
    assert not list(tmp_path.iterdir())


def test_results_and_failures_are_told_once(tmp_path):
    study = new_study(tmp_path)
    first, second, third = study.ask(3)
    study.tell(first, 1.0)
    study.tell(first.id, 1.0)
    study.tell(second, failed="diverged")
    study.tell(third, math.nan)
    assert [trial.status for trial in study.trials()] == [DONE, FAILED, FAILED]
    assert study.trials()[1].failure == "diverged"
    with pytest.raises(DataError, match="told"):
        study.tell(first, 2.0)
    study.tell(first, 2.0, replace=True)
    assert study.trials()[0].values == {"drag": 2.0}
    with pytest.raises(DataError, match="unknown trial '99'"):
        study.tell(99, 1.0)
    with pytest.raises(DataError, match="needs a result"):
        study.tell(first)
    with pytest.raises(DataError, match="give one"):
        study.tell(first, 1.0, failed="no")
    with pytest.raises(DataError, match="ask for one"):
        study.ask(0)


def test_open_trials_are_taken_into_account(tmp_path):
    study = new_study(tmp_path, budget=60.0)
    trials = study.ask(50)
    assert study.left < 11.0
    assert len({(t.fidelity, *t.inputs.items()) for t in trials}) == len(trials)
    assert sum(trial.cost for trial in trials) <= 60.0


def test_earlier_results_begin_a_study(tmp_path):
    study = new_study(tmp_path, budget=100.0)
    x = np.linspace(0, 1, 12)
    table = pd.DataFrame({"x": x, "material": ["alu", "steel"] * 6})
    table["drag"] = [drag(row.x, row.material) for row in table.itertuples()]
    assert study.add_results(table, "cfd") == 12
    assert study.add_results(table.assign(fidelity="panel")) == 12
    assert study.spent == 0.0
    (trial,) = study.ask()
    assert trial.origin == "suggestion"


def test_limits_decide_what_is_best(tmp_path):
    study = new_study(
        tmp_path, target=["drag", "stress"], constraints=["stress <= 0.6"], budget=60.0
    )
    for trial in study.ask(20):
        study.tell(trial, {"drag": trial.inputs["x"] * -1.0, "stress": trial.inputs["x"]})
    best = study.best()
    assert best.feasible
    top = [t for t in study.trials() if t.fidelity == "cfd"]
    assert best.value == min(t.values["drag"] for t in top if t.values["stress"] <= 0.6)


def test_there_is_no_best_before_an_expensive_run(tmp_path):
    with pytest.raises(DataError, match="no run of 'cfd'"):
        new_study(tmp_path).best()
    accuracy = Study(tmp_path / "b.study", {"x": (0, 1)}, {"a": 1.0}, "y", "accuracy")
    with pytest.raises(DataError, match="no best run"):
        accuracy.best()


def test_a_pool_is_searched_for_its_best_row(tmp_path, rng):
    pool = pd.DataFrame({"name": [f"m{i}" for i in range(60)], "x": rng.random(60),
                         "material": rng.choice(["steel", "alu"], 60)})  # fmt: skip
    study = new_study(tmp_path, inputs=None, candidates=pool, budget=160.0)
    finish(study, 2)
    values = [drag(row.x, row.material) for row in pool.itertuples()]
    best = study.best()
    assert best.trial.notes["name"] == pool.name[best.trial.candidate]
    assert best.where == {**best.trial.notes, **best.inputs}
    assert study.standing().facts()["best"]["notes"] == best.trial.notes
    assert sorted(values).index(best.value) <= 2


def materials(rng):
    pool = pd.DataFrame({"name": [f"m{i}" for i in range(40)], "x": rng.random(40),
                         "material": rng.choice(["steel", "alu"], 40)})  # fmt: skip
    return pool, np.array([drag(row.x, row.material, "panel") for row in pool.itertuples()])


def test_known_cheap_results_of_a_pool_guide_its_search(tmp_path, rng):
    pool, cheap = materials(rng)
    study = new_study(tmp_path, inputs=None, candidates=pool.assign(panel=cheap), budget=80.0)
    assert [(t.fidelity, t.origin) for t in study.trials()] == [("panel", "given")] * 40
    finish(study)
    asked = [trial for trial in study.trials() if trial.origin != "given"]
    assert {trial.fidelity for trial in asked} == {"cfd"}
    assert all(set(trial.inputs) == {"x", "material"} for trial in asked)
    assert asked[0].candidate == int(cheap.argmin())
    values = [drag(row.x, row.material) for row in pool.itertuples()]
    assert study.best().value == min(values)
    assert study.standing().prospect is not None


def test_results_of_candidates_are_told_by_name(tmp_path, rng):
    pool, cheap = materials(rng)
    study = new_study(tmp_path, inputs=None, candidates=pool)
    study.add_results(pd.DataFrame({"name": pool.name[:9], "drag": cheap[:9]}), "panel")
    study.add_results(pool[["x", "material"]].assign(drag=cheap)[9:12], "panel")
    assert [trial.candidate for trial in study.trials()] == list(range(12))
    assert study.trials()[3].inputs == {"x": pool.x[3], "material": pool.material[3]}
    rounded = pool[["name", "x", "material"]].assign(x=pool.x.round(4), drag=cheap)
    study.add_results(rounded[12:13], "panel")
    assert study.trials()[12].candidate == 12
    assert study.trials()[12].inputs["x"] == pool.x[12]
    with pytest.raises(DataError, match="row 0 of the table: the candidate that it names has x ="):
        study.add_results(rounded[13:14].assign(name="m14"), "panel")
    with pytest.raises(DataError, match="no candidate has name = 'm99'"):
        study.add_results(pd.DataFrame({"name": ["m99"], "drag": [1.0]}), "panel")


def test_only_allowed_fidelities_are_asked_for(tmp_path):
    study = new_study(tmp_path)
    assert {trial.fidelity for trial in study.ask(6, allow=["panel"])} == {"panel"}
    assert {trial.fidelity for trial in study.ask(2, allow=["cfd"])} == {"cfd"}
    with pytest.raises(DataError, match="unknown fidelity 'lab'"):
        study.ask(allow=["lab"])
    with pytest.raises(DataError, match="allow must be a list"):
        study.ask(allow="cfd")
    with pytest.raises(DataError, match="names no fidelity"):
        study.ask(allow=[])


def test_known_results_of_several_targets_need_a_table_of_their_own(tmp_path, rng):
    pool, cheap = materials(rng)
    with pytest.raises(DataError, match="results in column 'panel', but the study has the targets"):
        new_study(tmp_path, inputs=None, candidates=pool.assign(panel=cheap),
                  target=["drag", "stress"])  # fmt: skip
    assert not (tmp_path / "wing.study").exists()


def test_a_study_of_one_fidelity_without_end(tmp_path):
    study = Study(tmp_path / "one.study", {"x": (0.0, 1.0)}, {"run": 1.0}, "y", method="hf-only")
    for _ in range(8):
        (trial,) = study.ask()
        study.tell(trial, (trial.inputs["x"] - 0.3) ** 2)
    assert study.best().value < 0.01
    assert math.isinf(study.left)


def _ask(path, start, found):
    study = Study(path)
    start.wait()
    found.put([(t.id, t.fidelity, tuple(t.inputs.items())) for t in study.ask(3)])


def test_two_who_ask_at_the_same_time_get_different_trials(tmp_path):
    path = new_study(tmp_path, budget=300.0).path
    context = multiprocessing.get_context("fork")
    start, found = context.Event(), context.Queue()
    askers = [context.Process(target=_ask, args=(path, start, found)) for _ in range(2)]
    for asker in askers:
        asker.start()
    start.set()
    trials = [trial for _ in askers for trial in found.get(timeout=120)]
    for asker in askers:
        asker.join(60)
    assert len({id for id, *_ in trials}) == len(trials) == 6
    assert len({tuple(place) for _, *place in trials}) == 6


def test_public_names():
    assert mastgp.Study is Study
    assert mastgp.integer(1, 2).high == 2
