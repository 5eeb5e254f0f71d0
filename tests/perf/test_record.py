"""The record in the repository can be made again, and is small."""

from __future__ import annotations

from pathlib import Path

import pytest

from mastgp.bench.packed import unpack
from mastgp.bench.runner import run_unit
from mastgp.bench.units import Unit

RECORD = Path(__file__).parents[2] / "docs" / "results" / "runs.csv.gz"


@pytest.fixture(scope="module")
def recorded():
    return {Unit.of(record): record for record in unpack(RECORD)}


def test_it_is_small_and_has_one_row_per_unit(recorded):
    assert RECORD.stat().st_size < 4_000_000
    assert len(recorded) == len(unpack(RECORD))


@pytest.mark.parametrize("method", ["baseline", "mast", "fire", "ar1-map", "recursive"])
def test_a_unit_gives_the_recorded_numbers_again(recorded, method):
    """To fewer digits than on the machine that recorded it: linear algebra differs in the last."""
    unit = Unit("two-fidelity", "branin", method, 25)
    again = run_unit(unit)
    for name in ("rmse", "nlpd", "crps", "coverage95"):
        assert again[name] == pytest.approx(recorded[unit][name], rel=1e-3), name
