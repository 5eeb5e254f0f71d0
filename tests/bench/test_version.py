from __future__ import annotations

import re
import shutil
import time

import numpy as np
import pytest

import mastgp
from mastgp.bench.closure import bare_source
from mastgp.bench.experiments import EXPERIMENTS, find_problem
from mastgp.bench.real import REAL_PROBLEMS
from mastgp.bench.strategies import STRATEGIES
from mastgp.bench.version import (
    PACKAGE,
    UNKNOWN,
    code_of,
    code_version,
    fingerprint,
    sources,
    version_of,
)
from mastgp.methods import METHODS
from mastgp.surrogates.gp import MANY_ROWS

ALL = ("baseline", *METHODS)


def test_version_and_fingerprint():
    assert re.fullmatch(re.escape(mastgp.__version__) + r"\+[0-9a-f]{8}", code_version("mast"))
    assert len({fingerprint(name) for name in ALL}) == len(ALL)
    assert code_version("of another package") == code_version("and of another")


def changed(module):
    """Methods that an edit of a module changes."""
    return {name for name in ALL if module in sources(name)}


def test_what_shows_reads_and_says_changes_nothing():
    for name in ("cli/bench", "output/figures", "bench/report/tables", "errors", "data/tables"):
        assert not changed(name), name


def test_tools_for_many_rows_change_nothing():
    for name in ("surrogates/many/choosing", "models/two_step", "gp/vecchia", "data/delimited"):
        assert not changed(name), name


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_no_experiment_has_many_rows_of_a_fidelity(name):
    chosen = EXPERIMENTS[name]
    for problem in (p for p in chosen.problems if p not in REAL_PROBLEMS):
        for setting in chosen.settings:
            draw = chosen.draw(find_problem(problem), 0, setting, 2)
            _, counts = np.unique(draw.fidelity, return_counts=True)
            assert counts.max() < MANY_ROWS


def test_an_edit_of_a_peer_changes_that_peer_alone():
    assert changed("baselines/mfk") == {"mfk"}
    assert changed("baselines/botorch") == {"botorch", "augmented"}


def test_an_edit_of_the_engine_changes_our_methods_and_no_peers():
    ours = {name for name in METHODS if METHODS[name].path.startswith("mastgp.models")}
    found = changed("gp/fitting")
    assert found >= ours | {"baseline", "auto"}
    assert not found & {"botorch", "augmented", "mfk", "nargp"}


def test_an_edit_of_problems_or_scores_changes_all():
    assert changed("bench/problems/branin") == set(ALL)
    assert changed("check/scores") == set(ALL)


def test_an_edit_of_a_method_changes_what_contains_it():
    assert {"mast", "mast-raw", "auto"} <= changed("models/mast")
    assert changed("auto/weights") == {"auto", "auto-calibrated"}


def test_edits_change_the_fingerprint_unless_they_are_comments(tmp_path):
    package = tmp_path / PACKAGE.name
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    path = package / "models" / "cokriging.py"
    path.write_text(path.read_text() + "\n# why\n")
    assert fingerprint("ar1", package) == fingerprint("ar1")
    bare_source.cache_clear()
    path.write_text(path.read_text() + "\nCHANGED = True\n")
    assert fingerprint("ar1", package) != fingerprint("ar1")
    assert fingerprint("mast", package) == fingerprint("mast")


def test_strategies_depend_on_their_models():
    assert "auto/surrogate" in sources("study")
    assert "auto/surrogate" not in sources("lhs-ar1")
    assert "bench/strategies/with_botorch" in sources("botorch-mfkg")
    assert len({code_version(name) for name in STRATEGIES}) == len(STRATEGIES)


def test_it_is_cheap():
    code_version("mast")  # reads what they share
    started = time.process_time()
    for name in ("mast", "ar1", "fire"):
        fingerprint(name)
    assert time.process_time() - started < 0.5


def test_older_results_have_no_version():
    assert version_of({"rmse": 1.0}) == UNKNOWN == "unknown" == code_of(UNKNOWN)
    assert version_of({"version": "0.1.0+12345678"}) == "0.1.0+12345678"
