"""The package as a whole: what importing it costs, and the files it ships."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mastgp import examples

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import mastgp", {"torch", "pandas", "matplotlib", "sklearn", "typer", "rich"}),
        # scikit-learn itself imports pandas, so an estimator cannot do without.
        ("from mastgp import MAST", {"torch", "matplotlib", "typer", "rich"}),
    ],
)
def test_import_loads_nothing_heavy(statement, absent):
    code = f"import sys; {statement}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert not loaded & absent


def test_import_is_about_as_fast_as_scikit_learns():
    def seconds(statement: str) -> float:
        code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
        runs = [
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            for _ in range(5)
        ]
        return min(float(run.stdout) for run in runs)

    scikit_learn = seconds("import sklearn.gaussian_process")
    assert seconds("import mastgp") < 1.3 * scikit_learn
    assert seconds("from mastgp import MAST") < 1.3 * scikit_learn


def test_example_files_are_what_the_project_generates(tmp_path):
    examples.write_files(tmp_path)
    for path in examples.FOLDER.glob("*.csv"):
        assert (tmp_path / path.name).read_text() == path.read_text()


def test_example_is_what_it_says():
    table = pd.read_csv(examples.FOLDER / "cfd.csv")
    X = table[list(examples.INPUTS)].to_numpy()
    np.testing.assert_allclose(table[examples.TARGET], examples.cfd_drag(X), atol=3.0)
    assert ((examples.BOUNDS[:, 0] <= X) & (examples.BOUNDS[:, 1] >= X)).all()


PAGES = ["README.md", *sorted(page.name for page in (ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES)
def test_python_in_the_documentation_runs(page, tmp_path, monkeypatch):
    path = ROOT / page if page == "README.md" else ROOT / "docs" / page
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, str(path), "exec"), names)


def test_links_in_the_documentation_lead_somewhere():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name} links to {target}"
