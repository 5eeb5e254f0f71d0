"""The example of CONTRIBUTING.md, followed as a new contributor would, on a copy of the package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "CONTRIBUTING.md"

#: What one does with the new method in Python.
SCRIPT = """
import numpy as np, mastgp
from mastgp.output.summary import summarise
from mastgp.examples import FOLDER, TARGET

data = mastgp.Dataset.from_files([FOLDER / "panel.csv", FOLDER / "cfd.csv"], TARGET,
                                 costs={"panel": 1, "cfd": 20})
model = mastgp.fit(data, method="nearest")
top = data.top
assert (model.predict(top.X) == top.y).all()
assert np.isclose(summarise(model)["spread"], np.std(top.y))
assert model.abilities == {"file"}
assert list(mastgp.validate(model).model) == ["Nearest", "expensive alone"]
model.save("python.mast")
assert (mastgp.load("python.mast").predict(top.X) == top.y).all()
print(mastgp.__file__)
"""


def examples() -> tuple[str, str]:
    """The page's file, and its line of the registry."""
    file, line = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return file, line


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy of the package with the file in its place and the line in the registry."""
    copy = tmp_path_factory.mktemp("contribution") / "src"
    shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
    file, line = examples()
    (copy / "mastgp" / "models" / "nearest.py").write_text(file, encoding="utf-8")
    registry = copy / "mastgp" / "registry.py"
    before = registry.read_text(encoding="utf-8")
    if '"nearest"' not in before:
        registry.write_text(f"{before}{line}", encoding="utf-8")
    return copy


@pytest.fixture(scope="module")
def run(source):
    """Run Python with the copy; return what it prints."""

    def run(*arguments: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(source), "MPLBACKEND": "Agg"}
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=source.parent,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def fitted(source, run):
    """A model file that ``mast fit`` wrote."""
    wing = source / "mastgp" / "examples" / "wing"
    tables = [str(wing / "panel.csv"), str(wing / "cfd.csv")]
    options = ["--target", "drag_counts", "--cost", "panel=1,cfd=20", "--method", "nearest"]
    run("-m", "mastgp", "fit", *tables, *options, "-o", "a.mast")
    return "a.mast"


def test_python_knows_it(source, run):
    assert Path(run("-c", SCRIPT).strip()).is_relative_to(source)


def test_the_commands_know_it(source, run, fitted):
    names = [method["name"] for method in json.loads(run("-m", "mastgp", "methods", "--json"))]
    assert names.count("nearest") == 1
    facts = json.loads(run("-m", "mastgp", "show", fitted, "--json"))
    assert facts["label"] == "Nearest"
    wing = np.loadtxt(
        source / "mastgp" / "examples" / "wing" / "cfd.csv", delimiter=",", skiprows=1
    )
    assert facts["spread"] == pytest.approx(wing[:, -1].std())
    run("-m", "mastgp", "plot", fitted, "-o", "a.png")
    assert (source.parent / "a.png").exists()


def test_the_benchmark_knows_it(source, run):
    options = ["--methods", "nearest", "--problems", "branin", "--seeds", "1", "--jobs", "1"]
    run("-m", "mastgp", "bench", "run", "two-fidelity", *options, "--out", "results")
    lines = (source.parent / "results" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    (own,) = (r for r in map(json.loads, lines) if r["method"] == "nearest")
    assert own["status"] == "ok"
    assert own["rmse"] > 0.0
