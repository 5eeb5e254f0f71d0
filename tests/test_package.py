"""The package as a whole: the order of its rooms, what importing it loads, the files it ships."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mastgp import examples
from source import Package

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


#: Rooms in the order in which data flow; a room uses those before it.
ROOMS = (
    "gp",
    "data",
    "surrogates",
    "storage",
    "models",
    "baselines",
    "check",
    "auto",
    "next",
    "output",
    "bench",
    "cli",
)
#: What every room may use, and what uses no room.
CORRIDOR = {
    "blocks",
    "clusters",
    "downloads",
    "errors",
    "estimators",
    "examples",
    "files",
    "lazy",
    "libraries",
    "methods",
    "processes",
    "progress",
    "stored",
    "threads",
}
#: What may use everything, and is used by no room: the package itself is "".
TOP = {"", "__main__", "api", "botorch", "registry"}


@pytest.fixture(scope="module")
def package():
    return Package(ROOT / "src" / "mastgp")


def room(module: str) -> str:
    """The room, or the module at the top, that a module belongs to."""
    return [*module.split("."), ""][1]


def storey(module: str) -> int:
    """How high a module lies: it may use what lies no higher."""
    where = room(module)
    if where in CORRIDOR:
        return 0
    return 1 + ROOMS.index(where) if where in ROOMS else 1 + len(ROOMS)


def test_every_module_has_a_place(package):
    lost = {module for module in package.trees if room(module) not in {*ROOMS, *CORRIDOR, *TOP}}
    assert not lost, f"neither a room, nor corridor, nor top: {', '.join(sorted(lost))}"


def test_rooms_use_only_rooms_before_them(package):
    """The order of the rooms, which is that of the data's way through the package.

    Every way to name a module counts: imports at the top of a file, in functions and for types
    only, modules of ``lazily``, literal arguments of ``import_module``, and strings such as
    ``"mastgp.models.mast:MAST"``. A name that a package's ``__init__`` hands on lazily counts as
    taken from the module that has it.
    """
    wrong = {str(found) for found in package.imports if storey(found.module) > storey(found.by)}
    assert not wrong, "\n".join(["these use what comes after them:", *sorted(wrong)])


def test_only_the_package_itself_imports_the_registry(package):
    registry = f"{package.name}.registry"
    wrong = [found for found in package.imports if found.module == registry]
    wrong = [found for found in wrong if found.by != package.name]
    assert not wrong, "\n".join(map(str, wrong))


def test_no_module_imports_itself_through_others(package):
    """The graph of all imports, of every kind, has no circle.

    An ``__init__`` file that only names things lazily is a facade: what it names is loaded when
    somebody asks for it, so the import is that of whoever asks. That Python runs the ``__init__``
    file of a package before any module inside does not count as an import.
    """
    circles = [" imports ".join(circle) for circle in package.cycles()]
    assert not circles, "\n".join(circles)


def test_torch_is_imported_only_inside_functions(package):
    """It takes seconds to load, and most methods do without."""
    for module, tree in package.trees.items():
        for node in tree.body:
            names = [alias.name for alias in getattr(node, "names", [])]
            used = {getattr(node, "module", None), *names}
            assert not used & {"torch", "gpytorch", "botorch"}, module


TOY = {
    "__init__.py": """
        from .lazy import lazily
        VERSION = "1"
        __getattr__ = lazily(__name__, {".low.first": ("First",), ".high": ["High"]})
        """,
    "lazy.py": "",
    "high.py": "High = 1",
    "low/__init__.py": "",
    "low/first.py": "First = 1",
    "low/second.py": "",
    "user.py": "",
}


@pytest.mark.parametrize(
    ("source", "used"),
    [
        ("import toy.low.first", ["toy.low.first"]),
        ("import toy, os", ["toy"]),
        ("from toy.low import first, second", ["toy.low.first", "toy.low.second"]),
        ("from .low.first import First", ["toy.low.first"]),
        ("from . import high", ["toy.high"]),
        ("from . import First", ["toy.low.first"]),
        ("from toy import High as H", ["toy.high"]),
        ("from . import VERSION", []),
        ("from numpy import array", []),
        ("def f():\n    from .low import second", ["toy.low.second"]),
        ("if TYPE_CHECKING:\n    from .high import High", ["toy.high"]),
        ("import_module('.low.first', __package__)", ["toy.low.first"]),
        ("importlib.import_module('toy.high')", ["toy.high"]),
        ("import_module('numpy')", []),
        ("import_module(name)", []),
        ("METHODS = {'a': 'low.first:First'}", ["toy.low.first"]),
        ("METHODS = ('toy.high:High', 'toy.low.second')", ["toy.high", "toy.low.second"]),
        ("say('toy', 'high', 'low.nothing:No', 'see toy.high')", []),
    ],
)
def test_every_kind_of_import_is_seen(tmp_path, source, used):
    toy = toy_package(tmp_path, **{"user.py": source})
    assert [found.module for found in toy.imports if found.by == "toy.user"] == used


def test_what_a_facade_hands_on_is_seen_but_closes_no_circle(tmp_path):
    toy = toy_package(tmp_path, **{"low/first.py": "from .. import High"})
    handed_on = [found.module for found in toy.imports if found.by == "toy" and found.lazily]
    assert handed_on == ["toy.low.first", "toy.high"]
    assert toy.cycles() == []


def test_circles_are_found(tmp_path):
    sources = {
        "low/first.py": "def f():\n    from . import second",
        "low/second.py": "NAMES = 'high:High'",
        "high.py": "from . import First",
    }
    (circle,) = toy_package(tmp_path, **sources).cycles()
    assert set(pairwise(circle)) == {
        ("toy.low.first", "toy.low.second"),
        ("toy.low.second", "toy.high"),
        ("toy.high", "toy.low.first"),
    }


def toy_package(folder: Path, **changed: str) -> Package:
    """A package of a few files, some of them changed."""
    for name, source in {**TOY, **changed}.items():
        path = folder / "toy" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source))
    return Package(folder / "toy")


def test_example_files_are_what_the_project_generates(tmp_path):
    examples.write_files(tmp_path)
    for path in examples.FOLDER.glob("*.csv"):
        assert (tmp_path / path.name).read_text() == path.read_text()


def test_example_is_what_it_says():
    table = pd.read_csv(examples.FOLDER / "cfd.csv")
    X = table[list(examples.INPUTS)].to_numpy()
    np.testing.assert_allclose(table[examples.TARGET], examples.cfd_drag(X), atol=3.0)
    assert ((examples.BOUNDS[:, 0] <= X) & (examples.BOUNDS[:, 1] >= X)).all()
