"""The package as a whole: what importing it costs, and the files it ships."""

from __future__ import annotations

import ast
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
    """Measured in turn and by the best of several, as other tests run at the same time."""

    def seconds(statement: str) -> float:
        code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        return float(run.stdout)

    statements = ("import sklearn.gaussian_process", "import mastgp", "from mastgp import MAST")
    best = np.min([[seconds(statement) for statement in statements] for _ in range(8)], axis=0)
    assert best[1] < 1.3 * best[0]
    assert best[2] < 1.3 * best[0]


def imports(path: Path, top_level_only: bool = False) -> set[str]:
    """Modules that a file imports, relative imports resolved."""
    package = ["mastgp", *path.relative_to(ROOT / "src" / "mastgp").parts[:-1]]
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if top_level_only else ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            found.add(".".join([*base, *([node.module] if node.module else [])]))
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_layers():
    """The engine knows nothing of the package; nobody imports the benchmark or the commands."""
    for path in (ROOT / "src" / "mastgp").rglob("*.py"):
        used = {name for name in imports(path) if name.startswith("mastgp")}
        where = path.relative_to(ROOT / "src" / "mastgp").parts
        if where[0] == "gp":
            assert all(name.startswith("mastgp.gp") for name in used), path
        if where[0] not in ("bench", "cli", "__main__.py"):
            assert not any(name.startswith(("mastgp.bench", "mastgp.cli")) for name in used), path
        assert "torch" not in imports(path, top_level_only=True), path


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
