"""A small fixed part of the odd models in pages; ``perf/fuzz/pages.py`` has hundreds."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from browser import chromium, needs_chromium

PAGES = Path(__file__).parents[3] / "perf" / "fuzz" / "pages.py"


@pytest.fixture(scope="module")
def pages():
    spec = importlib.util.spec_from_file_location("odd_pages", PAGES)
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@needs_chromium
@pytest.mark.parametrize("seed", [100, 101, 107, 112, 114, 116, 933])
def test_an_odd_model_opens_or_is_refused(pages, browser, tmp_path, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pages.outcome(browser, tmp_path / "page.html", np.random.default_rng(seed))
    assert found.split(":")[0] in ("opened", "refused")
