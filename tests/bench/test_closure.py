from __future__ import annotations

import pytest

from mastgp.bench.closure import bare_source, closure, imported


@pytest.fixture
def package(tmp_path):
    """A function that writes a package of some files, in a place of its own, and returns it."""
    made = []

    def write(files):
        folder = tmp_path / str(len(made)) / "pack"
        made.append(folder)
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return folder

    return write


FILES = {
    "__init__.py": "from .a.first import first\n",
    "a/__init__.py": "from .first import first as one\nfrom . import second\nfrom math import pi\n",
    "a/first.py": "def first():\n    from ..b.late import late\n    return late\n",
    "a/second.py": "from pack.b import plain\n",
    "b/__init__.py": "plain = 1\n",
    "b/late.py": "if TYPE_CHECKING:\n    from ..c import types\n",
    "c.py": "types = 2\n",
    "main.py": "from .a import one\nimport os\n",
    "other.py": "from .a import second\n",
}


def everything(importing, imported):
    return True


def test_names_lead_to_the_modules_that_have_them(package):
    folder = package(FILES)
    assert imported(folder, folder / "main.py") == (folder / "a" / "first.py",)
    assert list(closure(folder, ["main"], everything)) == ["a/first", "b/late", "main"]
    assert list(closure(folder, ["other"], everything)) == ["a/second", "b/__init__", "other"]
    assert list(closure(folder, ["c", "gone"], everything)) == ["c"]


def test_what_is_not_followed_is_left_out(package):
    folder = package(FILES)
    found = closure(folder, ["main"], lambda importing, imported: not imported.startswith("b/"))
    assert list(found) == ["a/first", "main"]


def test_comments_docstrings_and_blank_lines_do_not_count(package):
    words = '"""Words\n    and words."""\n'
    body = 'x = "# no comment"{}\ndef f():\n    {}return x\n'
    folder = package({
        "a.py": words + "\n" + body.format("  # one", words + "    "),
        "b.py": body.format("\n\n\n", "# why\n    "),
        "c.py": body.format("", "").replace("no", "some"),
    })  # fmt: skip
    bare = body.format("", "").strip()
    assert bare_source(folder / "a.py") == bare == bare_source(folder / "b.py")
    assert bare_source(folder / "c.py") != bare
