"""The documentation: its examples run and print what the pages say, its links lead somewhere."""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib
import io
import re
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from mastgp.methods import METHODS
from mastgp.models.estimator import MultiFidelityRegressor

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
#: Those that have no cells for the shell.
TUTORIALS = [
    "first-model.md",
    "files.md",
    "materials.md",
    "decades.md",
    "compare.md",
    "next.md",
    "your-own.md",
]
FENCE = re.compile(r"^```(?P<kind>[^\n]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)


def pages() -> list[str]:
    """README and all pages of the site, relative to the project."""
    found = [path for path in DOCS.rglob("*.md") if "_build" not in path.parts]
    return ["README.md", *sorted(str(path.relative_to(ROOT)) for path in found)]


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Example:
    """A block of Python and the output that the page shows right below it."""

    code: str
    output: str | None


def examples_of(text: str) -> list[Example]:
    """Python blocks of a page; a text block right below one is what it prints."""
    blocks = list(FENCE.finditer(text))
    below = {match.start(): match for match in blocks}
    examples = []
    for match in blocks:
        if match["kind"] == "python":
            gap = re.match(r"\s*", text[match.end() :])
            after = below.get(match.end() + gap.end())
            shown = after["body"] if after is not None and after["kind"] == "text" else None
            examples.append(Example(match["body"], shown))
    return examples


def check_examples(text: str, path: str) -> None:
    """Run the examples of a page one after the other, and compare what they print."""
    names: dict[str, object] = {"__name__": "__main__"}
    for example in examples_of(text):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example.code, path, "exec"), names)
        check_output(printed.getvalue(), example.output or "", path)


def check_output(got: str, want: str, path: str) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    if not doctest.OutputChecker().check_output(want, got, flags):
        raise AssertionError(f"{path} shows\n{want}\nbut its code prints\n{got}")


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder of its own for what examples write, and no windows."""
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("Agg")


PAGES_WITH_EXAMPLES = [page for page in pages() if examples_of(read(page))]


@pytest.mark.parametrize("page", PAGES_WITH_EXAMPLES)
def test_examples_print_what_the_page_says(page, elsewhere):
    check_examples(read(page), page)


@pytest.mark.parametrize(
    "page",
    [
        "```python\nprint(1)\n```\n\n```text\n2\n```\n",
        "```python\nprint(1.25)\n```\n\n```text\n1.24\n```\n",
        "```python\nprint(1)\n```\n",
        "```python\nprint(1)\n```\n\nprose\n\n```text\n1\n```\n",
        "```python\nx = 1\n```\n\n```text\n1\n```\n",
    ],
    ids=["other", "digit", "not shown", "not right below", "prints nothing"],
)
def test_an_output_that_is_not_what_the_code_prints_is_noticed(page):
    with pytest.raises(AssertionError, match="but its code prints"):
        check_examples(page, "page")


def test_examples_share_names_and_may_leave_out_a_part():
    first = "```python\nx = 3\n```\n\n"
    second = "```python\nprint('about', x / 7)\n```\n\n```text\nabout 0.4...\n```\n"
    check_examples(first + second, "page")


@pytest.mark.parametrize("page", TUTORIALS)
def test_tutorials_run(page, elsewhere, monkeypatch):
    """Their output is made when the site is built; here they have to run without a warning."""
    monkeypatch.setattr("matplotlib.pyplot.show", lambda: plt.close("all"))
    path = DOCS / "tutorials" / page
    names: dict[str, object] = {}
    for match in FENCE.finditer(path.read_text(encoding="utf-8")):
        if match["kind"] == "{code-cell}":
            exec(compile(match["body"], str(path), "exec"), names)


def test_links_in_the_documentation_lead_somewhere():
    for page in [*pages(), "CONTRIBUTING.md"]:
        path = ROOT / page
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", read(page)):
            if not target.startswith("http"):
                assert (path.parent / target).exists(), f"{page} links to {target}"


def test_every_page_is_in_the_table_of_contents():
    listed = set()
    for page in pages()[1:]:
        folder = (ROOT / page).parent
        for match in FENCE.finditer(read(page)):
            if match["kind"] == "{toctree}":
                names = [line for line in match["body"].splitlines() if line and line[0] != ":"]
                listed |= {str((folder / f"{name}.md").relative_to(ROOT)) for name in names}
    hidden = {"README.md", "docs/index.md", "docs/results-notes.md", "docs/searches-notes.md"}
    assert set(pages()) - hidden == listed


def documented() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in (DOCS / "api").glob("*.md"))


def test_every_method_is_in_the_reference():
    """By a directive that documents all methods of a package, or by an entry of its own."""
    reference = documented()
    packages = re.findall(r"estimators:: (mastgp\.\w+)$", reference, re.MULTILINE)
    left_out = " ".join(re.findall(r"^   :except: (.*)$", reference, re.MULTILINE)).split()
    for method in METHODS.values():
        module, _, kind = method.path.partition(":")
        listed = module.startswith(tuple(f"{package}." for package in packages))
        entry = re.search(rf"autoclass:: mastgp[\w.]*\.{kind}$", reference, re.MULTILINE)
        assert entry or (listed and kind not in left_out), f"{kind} is missing"


def test_every_member_of_the_base_class_is_in_the_reference():
    reference = documented()
    for name, value in vars(MultiFidelityRegressor).items():
        if name.startswith("_") or re.fullmatch(r"set_\w+_request", name):
            continue  # the latter are scikit-learn's
        if callable(value) or isinstance(value, classmethod | property):
            assert re.search(rf"[ .]{name}\b", reference), f"{name} is missing"


def first_lines_of_attributes(source: str) -> list[str]:
    """First lines of what documents the attributes and properties of classes."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            properties = [n for n in node.body if isinstance(n, ast.FunctionDef) and is_property(n)]
            found += [(ast.get_docstring(n) or "").split("\n")[0] for n in properties]
    return found + re.findall(r"\n(?!    #:)[^\n]*\n    #: ([^\n]*)", source)


def is_property(function: ast.FunctionDef) -> bool:
    return any(getattr(mark, "id", "") == "property" for mark in function.decorator_list)


def test_attributes_are_documented_in_sentences():
    """Sphinx takes what stands before a colon in such a line for the attribute's type."""
    path = ROOT / "src" / "mastgp" / "models" / "estimator.py"
    lines = first_lines_of_attributes(path.read_text(encoding="utf-8"))
    assert len(lines) > 5
    assert not [line for line in lines if re.search(r":(\s|$)", line)]


def test_a_colon_in_the_first_line_of_an_attribute_is_noticed():
    source = (
        "class A:\n    b = 1\n    #: What it is: a number.\n    c = 2\n\n"
        '    @property\n    def d(self):\n        """Also: this."""\n'
    )
    assert first_lines_of_attributes(source) == ["Also: this.", "What it is: a number."]


@pytest.mark.parametrize(
    "module", ["mastgp", "mastgp.surrogates", "mastgp.gp", "mastgp.bench", "mastgp.data"]
)
def test_every_public_name_is_in_the_reference(module):
    reference = documented()
    if re.search(rf"automodule:: {module}\n   :members:\n", reference):
        return  # all of __all__
    errors = set(vars(importlib.import_module("mastgp.errors")))
    for name in getattr(importlib.import_module(module), "__all__", ()):
        named = re.search(rf"auto\w+:: mastgp[\w.]*\.{name}$", reference, re.MULTILINE)
        assert name == "__version__" or name in errors or named, f"{module}.{name} is missing"
