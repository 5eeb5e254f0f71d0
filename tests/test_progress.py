"""Reports of progress: who gets them, and when a bar is shown."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from mastgp import progress
from mastgp.progress import counter, listening, report, shown


@pytest.fixture
def seen():
    """Every report that was heard."""
    reports = []
    with listening(lambda *step: reports.append(step)):
        yield reports


def test_reports_reach_the_listener_of_the_moment(seen):
    inner = []
    report("work", 1, 3)
    with listening(lambda *step: inner.append(step)):
        report("work", 2)
    with listening(None):
        report("nobody hears", 1)
    report("work", 3, 3)
    assert seen == [("work", 1, 3), ("work", 3, 3)]
    assert inner == [("work", 2, None)]


def test_a_listener_is_forgotten_after_an_error(seen):
    with pytest.raises(KeyError), listening(lambda *step: None):
        raise KeyError
    report("work", 1)
    assert seen == [("work", 1, None)]


def test_a_counter_reports_one_more_step_each_time(seen):
    step = counter("work", 2)
    step()
    step()
    assert seen == [("work", 1, 2), ("work", 2, 2)]


@pytest.fixture
def screen(monkeypatch):
    """What a terminal shows."""
    text = StringIO()
    console = Console(file=text, force_terminal=True, width=120)
    monkeypatch.setattr(progress, "_console", lambda: console)
    return text


@pytest.fixture
def now(monkeypatch):
    """The time in seconds, as a list of one number."""
    time = [50.0]
    monkeypatch.setattr(progress, "monotonic", lambda: time[0])
    return time


def test_a_bar_appears_when_the_work_takes_long(screen, now):
    with progress.progress():
        now[0] += progress.QUIET_SECONDS - 0.1
        report("quick work", 1, 2)
        assert screen.getvalue() == ""
        now[0] += 0.2
        report("long work", 1, 2)
        report("other work", 7)
    assert "long work" in screen.getvalue()
    assert "7 done" in screen.getvalue()
    assert "quick work" not in screen.getvalue()


def test_a_pipe_gets_nothing_at_all(monkeypatch, now):
    text = StringIO()
    monkeypatch.setattr(progress, "_console", lambda: Console(file=text, force_terminal=False))
    with progress.progress():
        now[0] += 100.0
        report("long work", 1, 2)
    assert text.getvalue() == ""


@pytest.mark.parametrize(("wanted", "visible"), [(True, True), (False, False)])
def test_progress_is_shown_if_it_is_wanted(screen, now, wanted, visible):
    with shown(wanted):
        now[0] += 100.0
        report("long work", 1, 2)
    assert ("long work" in screen.getvalue()) is visible


@pytest.mark.parametrize("listener", [None, lambda *step: None])
def test_a_caller_who_chose_a_listener_is_not_overruled(screen, now, listener):
    with listening(listener), shown(True):
        now[0] += 100.0
        report("long work", 1, 2)
    assert screen.getvalue() == ""
