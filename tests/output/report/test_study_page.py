"""The page of a study."""

from __future__ import annotations

import pytest

from browser import chromium, needs_chromium
from mastgp import Study
from mastgp.output.report.study_page import study_html, write_study_page


@pytest.fixture
def study(tmp_path):
    made = Study(
        tmp_path / "a.study",
        inputs={"<b>x": (0.0, 1.0), "z": (0.0, 1.0)},
        costs={"panel": 1.0, "<script>": 10.0},
        target="drag",
        goal="minimum",
        budget=100.0,
        method="ar1",
    )
    for trial in made.ask(6):
        x, z = trial.inputs.values()
        made.tell(trial, (x - 0.4) ** 2 + z)
    return made


def test_a_page_says_where_the_study_stands(study):
    page = study_html(study)
    assert "Best so far" in page
    assert "Spent per fidelity" in page
    assert page.count("<tr>") >= 1 + len(study.trials())
    assert "<script>" not in page
    assert 'http-equiv="refresh"' not in page
    assert 'content="5"' in study_html(study, refresh=5)


@needs_chromium
def test_it_opens_without_complaint_on_every_screen(study, tmp_path):
    write_study_page(study, tmp_path / "study.html")
    with chromium() as browser:
        for width in (360, 800, 1600):
            page = browser.new_page(viewport={"width": width, "height": 900})
            complaints = []
            page.on("console", lambda message, into=complaints: into.append(message.text))
            page.goto(f"file://{tmp_path / 'study.html'}")
            wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert page.evaluate(wide) <= 0
            assert complaints == []
            page.close()
