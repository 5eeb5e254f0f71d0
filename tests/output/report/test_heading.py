"""The head of a report."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exported import fitted
from mastgp.output.report.facts import entry_of
from mastgp.output.report.heading import heading


@pytest.fixture(scope="module")
def entry():
    return entry_of("drag", fitted("mast"))


def test_many_models_are_at_a_glance_in_a_table(entry):
    several = [replace(entry, name=name) for name in "abcd"]
    shown = heading(several, "title")
    assert "At a glance" in shown
    assert 'class="cards"' not in shown
    assert shown.count(f"{100 * entry.checked.prognosis:.1f} %") == 4
    assert 'class="cards"' in heading(several[:3], "title")


def test_what_cheap_data_change_is_on_a_card_where_they_are_used(entry):
    change = 100 * (entry.checked.rmse / entry.alone["rmse"] - 1)
    assert f"{change:+.0f} %".replace("-", "−") in heading([entry], "title")
    assert "Error with the cheap data" in heading([entry], "title")
    alone = entry_of("drag", fitted("hf-only"))
    assert "Error with the cheap data" not in heading([alone], "title")


def test_models_of_one_kind_share_a_sentence(entry):
    shown = heading([entry, replace(entry, page={**entry.page, "target": "lift"})], "title")
    assert "MAST surrogate of drag and lift from 11 fine + 26 coarse points." in shown
