"""The example of CONTRIBUTING.md, as a new contributor would follow it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import mastgp
from mastgp.bench.runner import run_unit
from mastgp.bench.units import Unit
from mastgp.methods import METHODS, Method, register
from mastgp.output.figures import draw
from mastgp.output.summary import summarise
from support import COSTS

PAGE = Path(__file__).parent.parent / "CONTRIBUTING.md"


@pytest.fixture
def nearest(monkeypatch):
    """The page's file in its place, and its line in the registry."""
    file, line = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    module = ModuleType("mastgp.models.nearest")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(file, "nearest.py", "exec"), module.__dict__)
    exec(line, {"Method": Method, "register": register})
    yield
    del METHODS["nearest"]


def test_one_file_and_one_line_are_a_method(nearest, two_fidelities, tmp_path):
    X, y, labels, _ = two_fidelities
    tables = {name: (X[labels == name], y[labels == name]) for name in COSTS}
    model = mastgp.fit(tables, COSTS, method="nearest")
    top = labels == "fine"
    np.testing.assert_array_equal(model.predict(X[top]), y[top])

    facts = summarise(model)
    assert facts["label"] == "Nearest"
    assert facts["spread"] == pytest.approx(np.std(y[top]))
    assert model.abilities == {"file"}
    assert list(mastgp.validate(model).model) == ["Nearest", "expensive alone"]
    draw(model)

    model.save(tmp_path / "nearest.mast")
    again = mastgp.load(tmp_path / "nearest.mast")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_the_benchmark_knows_it(nearest):
    record = run_unit(Unit("two-fidelity", "branin", "nearest", 100, "", 50))
    assert record["status"] == "ok"
    assert record["rmse"] > 0.0
