"""The page of a study."""

from __future__ import annotations

import pytest

from browser import CONTRAST, UNNAMED, Opened, chromium, dragged, needs_chromium
from mastgp import Study
from mastgp.output.report.study_page import StudyPage, study_html, write_study_page


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
    assert "&lt;script&gt;" in page
    assert 'http-equiv="refresh"' not in page
    assert 'data-every="5"' in study_html(study, refresh=5)


def test_a_page_is_made_anew_when_there_is_something_new(study):
    page = StudyPage(lambda: study, 7)
    first = page()
    assert 'data-every="7"' in first
    assert page() is first
    (trial,) = study.ask(1)
    assert page() is not first
    study.tell(trial, 0.125)
    assert "0.125" in page()


@needs_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_without_complaint_on_every_screen(study, tmp_path, scheme):
    write_study_page(study, tmp_path / "study.html")
    with chromium() as browser:
        for width in (360, 800, 1600):
            with Opened(browser, tmp_path / "study.html", width, scheme) as opened:
                assert opened.overflow <= 0
                assert opened.complaints == []
                assert opened.page.evaluate(CONTRAST) == []
                assert opened.page.evaluate(UNNAMED) == []
                assert opened.requests == [f"file://{tmp_path / 'study.html'}"]
                assert opened.page.locator("script").count() == 7


@needs_chromium
def test_its_charts_show_the_trials(study, tmp_path):
    write_study_page(study, tmp_path / "study.html")
    with chromium() as browser, Opened(browser, tmp_path / "study.html") as opened:
        page = opened.page
        for chart in ("figure[data-chart=progress]", "figure[data-chart=over] >> nth=1"):
            assert page.locator(f"{chart} >> circle").count() == len(study.trials())
        page.locator("figure[data-chart=progress] circle").first.hover(force=True)
        first = next(trial for trial in study.trials() if trial.id == 1)
        words = page.inner_text("figure[data-chart=progress] .tip")
        assert words.startswith(f"trial 1, {first.fidelity}: {first.values['drag']:.5g}")
        page.click("#progress button[data-series='of panel']")
        left = page.locator("figure[data-chart=progress] circle:visible").count()
        assert left == sum(trial.fidelity != "panel" for trial in study.trials())


@needs_chromium
def test_a_served_page_renews_itself_but_not_under_somebodys_hands(study, tmp_path):
    path = tmp_path / "study.html"
    path.write_text(study_html(study, refresh=1))
    with chromium() as browser, Opened(browser, path) as opened:
        page = opened.page
        dragged(page, "figure[data-chart=progress]", 0.4, 0.8)
        page.evaluate("window.marked = true")
        page.wait_for_timeout(1500)
        assert page.evaluate("window.marked")
        with page.expect_navigation(timeout=5000):
            page.dblclick("figure[data-chart=progress] svg", position={"x": 150, "y": 100})
        assert page.evaluate("window.marked") is None
