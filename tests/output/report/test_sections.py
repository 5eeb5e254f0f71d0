"""The words and tables of a report."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from exported import fitted
from mastgp.data.origin import Origin, SourceFile, origin_state
from mastgp.models.single import SingleFidelity
from mastgp.output.report import sections
from mastgp.output.report.facts import entry_of


@pytest.fixture(scope="module")
def entry():
    return entry_of("drag", fitted("mast"))


def with_origin(entry, origin):
    return replace(entry, facts={**entry.facts, "origin": {"data_sha256": "d" * 64, **origin}})


def test_how_it_was_made_names_command_files_and_warnings(entry):
    file = SourceFile("runs <1>.csv", "ab" * 32)
    origin = Origin("0.1.0", ("mast fit 'runs <1>.csv'",), (file,), ("a & b",))
    made = sections.made_section([with_origin(entry, origin_state(origin))], "mast report m")
    for words in ("mast fit &#x27;runs &lt;1&gt;.csv&#x27;", "ab" * 32, "a &amp; b", "d" * 64):
        assert words in made
    data = sections.data_section([with_origin(entry, origin_state(origin))])
    assert "It was made from runs &lt;1&gt;.csv." in data


def test_a_model_of_python_says_how_to_fit_it_again(entry):
    made = sections.made_section([entry], "mast report m")
    assert "MAST(calibrate=True, order=[&#x27;coarse&#x27;, &#x27;fine&#x27;]).fit(X, y," in made


def test_warnings_of_the_fit_are_kept(rng):
    X = rng.random((3, 2))
    with pytest.warns(UserWarning, match="few"):
        model = SingleFidelity().fit(X, X[:, 0])
    assert any("few" in warning for warning in model.origin_.warnings)
    made = sections.made_section([entry_of("y", model)], "mast report m")
    assert "Warnings when the model was fitted" in made


def test_trust_is_shown_where_there_is_some(entry):
    assert "most trust" in sections.trust_section([entry])
    assert 'data-chart="trust"' in sections.trust_section([entry])


def test_several_models_are_compared_in_one_table(entry):
    shown = sections.quality_section([entry, entry])
    assert "Held-out predictions of the models of this page" in shown
    assert shown.count('data-chart="parity"') == 2


def test_a_model_without_cheap_data_has_no_section_on_them(rng):
    X = rng.random((12, 2))
    alone = entry_of("y", SingleFidelity().fit(X, X[:, 0]))
    assert sections.cheap_section([alone]) == ""
    assert sections.trust_section([alone]) == ""


def test_a_model_of_the_expensive_points_says_that_it_does_not_use_the_cheap_ones():
    alone = entry_of("drag", fitted("hf-only"))
    for part in (sections.cheap_section([alone]), sections.trust_section([alone])):
        assert "does not use the cheap data" in part
        assert "too few" not in part


def test_models_of_the_same_data_have_one_table_of_them(entry):
    several = [replace(entry, name=name) for name in ("lift", "drag")]
    shown = sections.data_section(several)
    assert shown.count("<table>") == 2
    assert "noise of lift" in shown
    x = np.linspace(0.0, 1.0, 6)
    other = entry_of("other", SingleFidelity().fit(x[:, None], x**2))
    assert sections.data_section([entry, other]).count("<table>") == 4
