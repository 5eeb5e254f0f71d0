"""The words and tables of a report."""

from __future__ import annotations

import pytest

from exported import fitted
from mastgp.output.report import sections
from mastgp.output.report.facts import entry_of


@pytest.fixture(scope="module")
def entry():
    return entry_of("drag", fitted("mast"))


def test_the_command_to_fit_again_names_every_source(entry):
    command = sections.fit_command(entry)
    assert command.startswith("mast fit coarse.csv fine.csv --target drag --order coarse,fine")


def test_trust_is_shown_where_there_is_some(entry):
    assert "most trust" in sections.trust_section([entry])
    assert 'data-chart="trust"' in sections.trust_section([entry])


def test_several_models_are_compared_in_one_table(entry):
    shown = sections.quality_section([entry, entry])
    assert "Held-out predictions of the models of this page" in shown
    assert shown.count('data-chart="parity"') == 2


def test_a_model_without_cheap_data_has_no_section_on_them(rng):
    from mastgp.models.single import SingleFidelity

    X = rng.random((12, 2))
    alone = entry_of("y", SingleFidelity().fit(X, X[:, 0]))
    assert sections.cheap_section([alone]) == ""
    assert sections.trust_section([alone]) == ""
