"""What the commands' tests share: running a command, and a model to run it on."""

from __future__ import annotations

import sys

import pytest
from rich.console import Console

import mastgp.models.estimator  # noqa: F401 (before a command can choose the stand-in)
from mastgp.cli import terminal
from mastgp.cli.main import main
from wing import COSTS, FIT


@pytest.fixture
def wide(monkeypatch):
    """A terminal that breaks no line which a test looks for."""
    monkeypatch.setattr(terminal, "out", lambda: Console(width=200))
    monkeypatch.setattr(terminal, "err", lambda: Console(width=300, stderr=True, highlight=False))


@pytest.fixture
def mast(wide, monkeypatch, capsys, tmp_path):
    """Run a command in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["mast", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return run


@pytest.fixture
def model_file(mast, tmp_path):
    """The wing's model, in a file of that folder."""
    assert mast(*FIT, *COSTS, "-o", "wing.mast", "--no-check")[0] == 0
    return tmp_path / "wing.mast"
