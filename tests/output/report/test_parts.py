from __future__ import annotations

from exported import fitted
from mastgp.output.report.facts import entry_of
from mastgp.output.report.parts import each, figure, section, target_of


def test_a_target_is_named_with_its_unit():
    entry = entry_of("drag", fitted("mast"))
    entry.page["unit"] = "counts"
    assert target_of(entry) == "drag [counts]"
    entry.page["unit"] = ""
    assert target_of(entry) == "drag"


def test_names_in_titles_are_escaped():
    assert "<script>" not in str(section("x", "<script>", "text"))
    assert "<script>" not in str(figure("slice", 0, "<script>", "more"))


def test_each_model_has_its_part():
    entry = entry_of("drag", fitted("mast"))
    shown = str(each([entry, entry], lambda entry, i: f"part {i}"))
    assert "part 0" in shown
    assert "part 1" in shown
