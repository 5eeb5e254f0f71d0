"""PyTorch is imported late, on one thread, and its absence is explained."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mastgp import MissingExtraError
from mastgp.baselines.torch_support import import_torch, torch_on_one_thread


def test_missing_torch_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    import_torch.cache_clear()
    message = r"^this method needs 'torch'; install it with pip install 'mastgp\[deep\]'$"
    with pytest.raises(MissingExtraError, match=message):
        import_torch()


def test_one_thread_on_the_cpu_and_back_even_after_an_error():
    torch = pytest.importorskip("torch")

    def fail_inside():
        with torch_on_one_thread() as given:
            assert given is torch
            assert torch.get_num_threads() == 1
            assert torch.zeros(1).device.type == "cpu"
            raise KeyError

    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with torch.device("meta"), pytest.raises(KeyError):
            fail_inside()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize("module", ["bnn", "deep_gp", "deep_layers", "deep_training", "networks"])
def test_torch_is_imported_only_when_needed(module):
    code = f"import sys, mastgp.baselines.{module}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
