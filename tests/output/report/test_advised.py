"""Reports with advice, of one or several models and targets."""

from __future__ import annotations

import numpy as np
import pytest

import mastgp
from exported import fitted
from mastgp.output.report import advised
from mastgp.output.report.advised import write_report


@pytest.fixture
def pages(monkeypatch):
    """What would have been written, without the writing."""
    written = []
    monkeypatch.setattr(
        advised, "write_page", lambda models, path, **more: written.append((models, more))
    )
    return written


def test_models_of_several_targets_become_several_parts(pages, rng):
    from mastgp.models.targets import SeveralTargets

    X = rng.random((12, 2))
    both = SeveralTargets(mastgp.MAST()).fit(X, np.column_stack([X[:, 0], X[:, 1]]))
    write_report(both, "a.html", n_runs=0)
    write_report({"a": both, "b": fitted("mast")}, "a.html", n_runs=0)
    names = [[name for name, _ in models] for models, _ in pages]
    assert names == [["y0", "y1"], ["a, y0", "a, y1", "b"]]


def test_runs_are_advised_with_reasons(pages):
    write_report(fitted("ar1"), "a.html", n_runs=2)
    advice = pages[0][1]["advice"]["drag"]
    assert len(advice.runs) == 2
    assert all(run.reason and run.fidelity in ("coarse", "fine") for run in advice.runs)


def test_what_cannot_be_advised_is_explained(pages, monkeypatch):
    def refuse(*_):
        raise mastgp.MastError("no covariance")

    monkeypatch.setattr(advised, "suggest", refuse)
    write_report(fitted("mast"), "a.html")
    assert pages[0][1]["advice"]["drag"].why_none == "no covariance"
