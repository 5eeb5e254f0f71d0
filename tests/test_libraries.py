"""Other people's libraries: hints how to get them, and calls that leave no trace."""

from __future__ import annotations

import logging
import random
import subprocess
import sys
import warnings
from importlib.util import find_spec

import numpy as np
import pytest

from library_support import state_of_the_process
from mastgp import MissingExtraError
from mastgp.libraries import (
    are_installed,
    check_installed,
    import_extra,
    install_command,
    missing_extra,
    untouched,
)

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="no torch")


def test_one_wording_of_the_hint():
    error = missing_extra("method 'nargp'", "emukit", "GPy", extra="emukit")
    assert isinstance(error, MissingExtraError)
    assert str(error) == (
        "method 'nargp' needs 'emukit', 'GPy'; install them with pip install 'mastgp[emukit]'"
    )
    assert install_command("icl") == "pip install 'mastgp[icl]'"


def test_what_is_installed_is_found_without_importing_it():
    assert are_installed("json", "email")
    assert not are_installed("json", "no_such_module")
    check_installed("this test", "json", extra="none")
    with pytest.raises(MissingExtraError, match=r"^this test needs 'no_such_module'; install it"):
        check_installed("this test", "no_such_module", extra="none")


def test_a_module_is_imported_or_named_with_the_command():
    assert import_extra("xml.dom.minidom", "none") is sys.modules["xml.dom.minidom"]
    message = r"^a page needs 'no_such\.part'; install it with pip install 'mastgp\[pages\]'$"
    with pytest.raises(MissingExtraError, match=message):
        import_extra("no_such.part", "pages", "a page")


def test_a_broken_library_is_not_called_missing(monkeypatch, tmp_path):
    (tmp_path / "broken_library.py").write_text("raise ImportError('libfoo.so is too old')")
    monkeypatch.syspath_prepend(tmp_path)
    message = (
        r"^this method needs 'broken_library', which is installed but cannot be imported: "
        r"libfoo\.so is too old$"
    )
    with pytest.raises(MissingExtraError, match=message):
        import_extra("broken_library", "none")


def test_an_import_is_silent(monkeypatch, tmp_path, capfd):
    code = "import logging, warnings\nwarnings.warn('hear me')\nlogging.warning('and me')\n"
    (tmp_path / "loud_library.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    handlers = list(logging.root.handlers)
    import_extra("loud_library", "none")
    assert logging.root.handlers == handlers
    assert "me" not in capfd.readouterr().err


def test_a_hint_costs_no_heavy_import():
    code = "import sys, mastgp.libraries; print({'numpy', 'scipy', 'torch'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


@needs_torch
@pytest.mark.parametrize("n_points", [10, 10_000])
def test_untouched_puts_everything_back_even_after_an_error(n_points, capfd):
    import torch

    def misbehave():
        if n_points == 10:
            assert torch.get_num_threads() == 1
        torch.set_default_dtype(torch.float16)
        torch.set_num_threads(3)
        warnings.warn("nobody hears this", stacklevel=1)
        warnings.simplefilter("always")
        logging.root.handlers.clear()
        logging.warning("nor this")
        draw()
        raise KeyError

    before = state_of_the_process()
    with pytest.raises(KeyError), untouched(seed=3, n_points=n_points):
        misbehave()
    assert state_of_the_process() == before
    assert "nor this" not in capfd.readouterr().err


def draw():
    """One number of each global generator."""
    import torch

    return random.random(), np.random.rand(), torch.rand(1).item()  # noqa: NPY002


@needs_torch
def test_untouched_seeds_every_generator():
    draws = []
    for _ in range(2):
        draw()
        with untouched(seed=3):
            draws.append(draw())
    assert draws[0] == draws[1]
