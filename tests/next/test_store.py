from __future__ import annotations

import multiprocessing
import resource
import sqlite3
import subprocess
import sys
import textwrap

import pytest

from mastgp.errors import FileError, ModelFileError
from mastgp.next.store import Candidate, ChangedError, Proposal, Store, budget_left
from mastgp.next.trials import ASKED, DESIGNED, DONE, FAILED, GIVEN, RUNNING
from studies import definition


def proposal(x=0.5, fidelity="cfd", **changed):
    found = {"inputs": {"x": x, "material": "alu"}, "fidelity": fidelity, "reason": "because",
             "origin": DESIGNED, "candidate": None, "predicted": {}, **changed}  # fmt: skip
    return Proposal(**found)


@pytest.fixture
def store(tmp_path):
    return Store.create(tmp_path / "wing.study", definition())


def test_trials_come_back_as_they_went(store):
    (trial,) = store.add([proposal(0.1 + 0.2, predicted={"mean": 1.5})], by="me")
    assert Store(store.path).trials() == [trial]
    assert trial.inputs == {"x": 0.1 + 0.2, "material": "alu"}
    assert (trial.id, trial.status, trial.cost, trial.asked_by) == (1, ASKED, 10.0, "me")
    assert trial.predicted == {"mean": 1.5}


def test_no_more_is_asked_for_than_the_budget_pays(store):
    assert len(store.add([proposal(i / 20) for i in range(20)], by="me")) == 10
    assert store.add([proposal(0.99)], by="me") == []
    assert budget_left(100.0, store.trials()) == 0.0


def test_an_end_counts_once(store):
    store.add([proposal(0.1), proposal(0.2)], by="me")
    assert store.finish({1: {"drag": 2.0}, 2: "diverged"}) == 2
    assert store.finish({1: {"drag": 3.0}}) == 0
    first, second = store.trials()
    assert (first.status, first.values, first.attempts) == (DONE, {"drag": 2.0}, 1)
    assert (second.status, second.failure, second.spent) == (FAILED, "diverged", 10.0)
    assert store.finish({1: {"drag": 3.0}}, replace=True) == 0
    assert store.trials()[0].values == {"drag": 3.0}
    assert store.trials()[0].attempts == 1


def test_somebody_who_was_faster_is_noticed(store):
    store.add([proposal(0.1)], by="other", seen=0)
    with pytest.raises(ChangedError):
        store.add([proposal(0.2)], by="me", seen=0)
    assert len(store.trials()) == 1


def test_runners_begin_take_over_and_try_again(store):
    (trial,) = store.add([proposal()], by="me", runner="aa")
    assert trial.status == RUNNING
    assert store.runners() == {1: "aa"}
    assert not store.take_over(1, "bb", "cc")
    assert store.take_over(1, "aa", "cc")
    assert not store.again(1, "aa")
    assert store.again(1, "cc")
    assert store.trials()[0].attempts == 1
    store.finish({1: "crashed"})
    assert store.trials()[0].spent == 20.0
    assert store.runners() == {}
    assert not store.take_over(1, "cc", "dd")


def test_another_attempt_needs_money(store):
    store.add([proposal(i / 20) for i in range(10)], by="me", runner="aa")
    assert not store.again(1, "aa")


def test_results_from_elsewhere_cost_nothing(store):
    given = proposal(origin=GIVEN)
    assert store.add_results([(given, {"drag": 1.0}), (given, "broke")], "me") == 2
    assert [trial.status for trial in store.trials()] == [DONE, FAILED]
    assert budget_left(100.0, store.trials()) == 100.0


def test_pools_are_kept(tmp_path):
    pool = [Candidate({"x": i / 4, "material": "alu"}, {"name": f"m{i}"}) for i in range(3)]
    store = Store.create(tmp_path / "pool.study", definition(), pool)
    assert store.candidates == tuple(pool)
    (trial,) = store.add([proposal(0.25, candidate=1)], by="me")
    assert trial.notes == {"name": "m1"}


def test_what_exists_is_not_made_again(store):
    store.add([proposal()], by="me")
    assert len(Store.create(store.path, definition(budget=50.0)).trials()) == 1
    assert store.exists(store.path)
    assert not store.exists(store.path.with_name("none"))
    assert not store.exists("a\0b")


@pytest.mark.parametrize(
    "change",
    [
        'UPDATE trial SET inputs = \'{"x": 7.0, "material": "alu"}\'',
        "UPDATE trial SET inputs = '{\"x\": 0.5}'",
        "UPDATE trial SET inputs = 'no json'",
        "UPDATE trial SET inputs = x'00ff'",
        "UPDATE trial SET fidelity = 'other'",
        "UPDATE trial SET cost = 9e999",
        "UPDATE trial SET cost = 1e308",
        "UPDATE trial SET status = 'done', measured = '{\"drag\": 1.2e308}'",
        f"UPDATE trial SET status = 'done', measured = '{{\"drag\": 1{'0' * 400}}}'",
        "UPDATE trial SET candidate = 3",
        "UPDATE trial SET asked_at = 'noon'",
        'UPDATE trial SET predicted = \'{"mean": "a"}\'',
        "UPDATE trial SET status = 'done', measured = '{\"drag\": \"NaN\"}'",
        "UPDATE trial SET status = 'done', measured = '{\"drag\": NaN}'",
        "UPDATE trial SET status = 'done', measured = '{}'",
        "UPDATE trial SET status = 'running', runner = x'00'",
        "UPDATE study SET definition = '{}'",
        "DELETE FROM study",
        "INSERT INTO candidate VALUES (0, '{}')",
        'INSERT INTO candidate VALUES (7, \'{"inputs": {}, "notes": {}}\')',
    ],
)
def test_damaged_values_are_named_when_they_are_read(store, change):
    store.add([proposal()], by="me")
    with sqlite3.connect(store.path) as database:
        database.execute(change)
    database.close()
    with pytest.raises(ModelFileError, match="is damaged"):
        Store(store.path).trials()


def test_other_files_are_refused(tmp_path):
    for name, content in {"text": b"hello" * 300, "zeros": bytes(4096), "cut": None}.items():
        path = tmp_path / name
        if content is None:
            whole = Store.create(tmp_path / "whole", definition()).path.read_bytes()
            content = whole[: len(whole) // 2]
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match=name):
            Store(path)
    with pytest.raises(FileError, match="there is no study"):
        Store(tmp_path / "missing")


def _ask(path, start, found):
    store = Store(path)
    start.wait()
    for i in range(10):
        trials = store.add([proposal(i / 10, "panel")], by="me")
        found.put([trial.id for trial in trials])


def test_processes_at_the_same_time_never_get_the_same_trial(store):
    context = multiprocessing.get_context("fork")
    start, found = context.Event(), context.Queue()
    workers = [context.Process(target=_ask, args=(store.path, start, found)) for _ in range(4)]
    for worker in workers:
        worker.start()
    start.set()
    ids = [id for _ in range(40) for id in found.get(timeout=60)]
    for worker in workers:
        worker.join(60)
    assert sorted(ids) == list(range(1, 41))


def _folders(request):
    """Where programs of tests find what they import."""
    return f"{request.path.parent}:{request.path.parents[1]}"


FULL = """
    import resource, sys
    from mastgp.errors import FileError
    sys.path[:0] = sys.argv[2].split(":")
    from mastgp.next.store import Store
    from test_store import proposal
    store = Store(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
    try:
        for i in range(1000):
            store.add([proposal(i / 1000, "panel")], by="me" * 50)
    except FileError as error:
        print(error)
        sys.exit(7)
"""


def test_a_store_on_a_full_disk_opens_again(tmp_path, request):
    path = tmp_path / "wing.study"
    store = Store.create(path, definition(budget=None))
    size = path.stat().st_size
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL), str(path), _folders(request),
         str(size + 8192)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 7, run.stderr
    assert "Is the disk full" in run.stdout
    before = Store(path).trials()
    assert 0 < len(before) < 1000
    store.add([proposal(0.77)], by="me")
    assert Store(path).trials()[:-1] == before
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != size + 8192


KILLED = """
    import sys
    sys.path[:0] = sys.argv[2].split(":")
    from mastgp.next.store import Store
    from test_store import proposal
    store = Store(sys.argv[1])
    for i in range(10_000):
        (trial,) = store.add([proposal((i % 100) / 100, "panel")], by="me")
        store.finish({trial.id: {"drag": float(trial.id)}})
        print(trial.id, flush=True)
"""


def test_what_was_told_before_a_kill_is_there_afterwards(tmp_path, request, rng):
    path = tmp_path / "wing.study"
    Store.create(path, definition(budget=None))
    for _ in range(5):
        run = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(KILLED), str(path), _folders(request)],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert run.stdout is not None
        said = [run.stdout.readline() for _ in range(int(rng.integers(1, 15)))]
        run.kill()
        said += run.stdout.read().splitlines(keepends=True)
        run.wait()
        run.stdout.close()
        last = int([line for line in said if line.endswith("\n")][-1])
        trials = {trial.id: trial for trial in Store(path).trials()}
        told = [one for one in trials.values() if one.status == DONE]
        assert all(one.values == {"drag": float(one.id)} for one in told)
        assert len(told) >= len(trials) - 5
        assert trials[last].status == DONE
