"""Every study in perf/ can be started: what it imports is where it looks for it."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mastgp.errors import silenced

PERF = Path(__file__).parents[2] / "perf"
SCRIPTS = sorted(path.stem for path in PERF.glob("*.py"))


@pytest.fixture
def study(monkeypatch):
    """Import a script by its name."""
    monkeypatch.syspath_prepend(str(PERF))
    return importlib.import_module


@pytest.mark.filterwarnings("ignore")  # of other libraries
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_can_be_imported(study, name):
    try:
        study(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in {"mastgp", *SCRIPTS}:
            raise
        pytest.skip(f"{name} needs {error.name}")


def test_the_rules_of_blends_are_compared_on_what_candidates_predicted(study):
    blend = study("blend")
    with silenced(Warning):
        draw = blend.compute("extra", "forrester", 100)
    assert len(draw.names) == len(draw.mean) == len(draw.held_mean) > 10
    for rule in blend.RULES.values():
        assert rule(draw).sum() == pytest.approx(1.0)
    assert np.isfinite(blend.scores(draw, blend.plain_mean(draw))).all()


def test_verdicts_are_words(study):
    verdicts = study("verdicts")
    with silenced(Warning):
        assert verdicts.verdict(1, "opposite", beside=False).word == "helps"


def test_variants_of_co_kriging_change_the_fit(study):
    cokriging = study("cokriging")
    draw = cokriging.experiment("extra").draw(cokriging.find_problem("forrester"), 0, "", 20)
    reached = {}
    with silenced(Warning):
        for name, variant in cokriging.VARIANTS.items():
            with variant():
                reached[name] = cokriging.scores(draw, "autoregressive")[0]
    assert reached["means profiled"] != reached["as it is"]
    assert reached["warp ~ LogNormal(0, 0.1)"] != reached["as it is"]


def test_draws_are_compared_with_the_optimum(study):
    posterior = study("posterior")
    draw = posterior.experiment("extra").draw(posterior.find_problem("forrester"), 100, "", 20)
    with silenced(Warning):
        reached = posterior.scores(draw, "autoregressive", {"optimum": posterior.optimum}, 0)
    assert np.isfinite(reached[0, :5]).all()


def test_hostile_tables_come_back_right_or_are_refused(study, tmp_path):
    """A small part of the fuzzer; ``python perf/fuzz_tables.py`` is the whole."""
    fuzzer = study("fuzz_tables")
    outcomes = {seed: fuzzer.run(seed, tmp_path) for seed in range(7_000, 7_120)}
    bad = {seed: found for seed, found in outcomes.items() if found[1].startswith("BAD")}
    assert bad == {}
    assert {outcome for _, outcome in outcomes.values()} >= {"right", "refused"}


def test_the_fuzzer_of_tables_notices_what_is_wrong(study, tmp_path, monkeypatch):
    fuzzer = study("fuzz_tables")
    right = fuzzer.training_table

    def off_by_a_bit(*arguments):
        table = right(*arguments)
        return replace(table, y=table.y * (1 + 1e-15) + 1e-300)

    monkeypatch.setattr(fuzzer, "training_table", off_by_a_bit)
    outcomes = {fuzzer.run(seed, tmp_path)[1] for seed in range(7_000, 7_040)}
    assert "BAD other values" in outcomes
