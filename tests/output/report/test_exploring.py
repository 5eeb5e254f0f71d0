from __future__ import annotations

from exported import fitted
from mastgp.output.report import exploring
from mastgp.output.report.facts import Advice, entry_of


def test_advice_that_cannot_be_given_is_explained():
    entry = entry_of("drag", fitted("hf-only"), Advice(why_none="it has no covariance"))
    assert "it has no covariance" in exploring.unsure_section([entry])


def test_every_input_has_a_control():
    shown = exploring.explore_section([entry_of("drag", fitted("mast"))])
    assert shown.count('type="range"') >= 2


def test_what_is_rounded_to_zero_has_no_sign():
    assert [exploring.index_text(value) for value in (-0.0003, 0.0004, -0.0151)] == [
        "0.000",
        "0.000",
        "-0.015",
    ]
