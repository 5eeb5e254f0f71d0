"""What can be done with the charts of a page, without a mouse: menus, legends, files, paper."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ET

import matplotlib.image
import numpy as np
import pandas as pd
import pytest

from browser import Opened, chromium, dragged, needs_chromium, view
from exported import fitted, predicted
from mastgp.output.report import facts
from mastgp.output.report.page import write_page

pytestmark = needs_chromium

SLICE = "#slices figure[data-input='0']"


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(facts, "sobol_indices", lambda *_: None)
        write_page([("drag", fitted("mast"))], path)
    return path


@pytest.fixture
def opened(browser, path):
    with Opened(browser, path) as opened:
        yield opened
        assert opened.complaints == []


def downloaded(page, figure, words):
    page.click(f"{figure} .tools summary")
    with page.expect_download() as waiting:
        page.click(f"{figure} .tools button:text-is('{words}')")
    return waiting.value


def numbers(download):
    with open(download.path(), newline="") as file:
        return list(csv.reader(file))


def test_the_part_that_is_zoomed_into_is_computed_anew(opened):
    page = opened.page
    page.locator(SLICE).scroll_into_view_if_needed()
    dragged(page, SLICE, 0.5, 0.7)
    page.wait_for_selector("html[data-drawn]", state="attached")
    (heading, *rows) = numbers(downloaded(page, SLICE, "Save numbers as CSV"))
    assert heading == ["x", "mean", "std", "low95", "high95"]
    values = np.array(rows, dtype=float)
    assert len(values) == 41
    assert np.ptp(values[:, 0]) < 0.8
    start = page.evaluate("window.mast.entries[0].start")
    X = pd.DataFrame([[x, *start[1:]] for x in values[:, 0]], columns=["x", "y", "z"])
    np.testing.assert_allclose(values[:, 1:], predicted(fitted("mast"), X), rtol=1e-6)


def test_pictures_are_saved(opened, tmp_path):
    page = opened.page
    svg = downloaded(page, SLICE, "Save as SVG")
    assert svg.suggested_filename == "drag-along-x.svg"
    text = svg.path().read_text()
    assert "var(" not in text
    root = ET.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    words = [node.text for node in root if node.text]
    assert words[0] == "drag along x"
    assert words[1].startswith("at y = ")
    assert {"prediction", "95 % interval", "fine", "coarse, as observed"} < set(words)
    for figure in (SLICE, "#contour"):
        downloaded(page, figure, "Save as PNG").save_as(tmp_path / "chart.png")
        image = matplotlib.image.imread(tmp_path / "chart.png")
        width = page.evaluate(
            "(f) => document.querySelector(`${f} svg`).width.baseVal.value", figure
        )
        assert image.shape[1] == pytest.approx(2 * width, abs=1)
        assert image[..., :3].std() > 0.05


@pytest.mark.parametrize("chart", ["parity", "calibration", "trust", "unsure"])
def test_every_chart_has_its_numbers_and_its_values(opened, chart):
    page = opened.page
    figure = f"figure[data-chart={chart}] >> nth=0"
    page.locator(figure).scroll_into_view_if_needed()
    page.click(f"{figure} >> .tools summary")
    with page.expect_download() as waiting:
        page.click(f"{figure} >> .tools button:has-text('CSV')")
    heading, *rows = numbers(waiting.value)
    assert len(rows) > 3
    assert all(len(row) == len(heading) for row in rows)
    svg = page.locator(f"{figure} >> .plot svg")
    mark = svg.locator("circle").first if chart in ("parity", "trust") else svg
    mark.hover(force=True)
    tip = page.locator(f"{figure} >> .tip")
    assert tip.is_visible()
    assert any(letter.isdigit() for letter in tip.inner_text())
    if chart == "parity":
        X = fitted("mast").training_data_.top.X
        assert heading[:3] == ["x", "y", "z"]
        np.testing.assert_allclose(np.array(rows, dtype=float)[:, :3], X, rtol=1e-6)
        assert f"at x = {X[0, 0]:.4g}, y = " in tip.inner_text()


def test_a_legend_hides_a_series_and_shows_it_again(opened):
    page = opened.page
    points = page.locator(f"{SLICE} circle[data-series='of coarse']").first
    button = page.locator("#explore button[data-series='of coarse']")
    assert points.is_visible()
    button.click()
    assert not points.is_visible()
    assert button.get_attribute("aria-pressed") == "false"
    page.fill("#input0", "5.5")
    page.wait_for_selector("html[data-drawn]", state="attached")
    assert not page.locator(f"{SLICE} circle[data-series='of coarse']").first.is_visible()
    button.click()
    assert page.locator(f"{SLICE} circle[data-series='of coarse']").first.is_visible()


def test_the_tools_work_by_keyboard(opened):
    page = opened.page
    before = view(page, SLICE)[0]
    page.focus(f"{SLICE} .tools summary")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Zoom in"
    page.keyboard.press("Enter")
    zoomed = view(page, SLICE)[0]
    assert np.ptp(zoomed) == pytest.approx(0.5 * np.ptp(before))
    for _ in range(4):  # past "Zoom out", "Show all" and "Move left"
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Move right"
    page.keyboard.press("Enter")
    assert view(page, SLICE)[0][1] > zoomed[1]
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    assert page.locator(f"{SLICE} .tools[open]").count() == 0


def test_on_paper_everything_is_open_and_back_again(opened):
    page = opened.page
    folded = page.locator("details:not(.tools):not([open])").count()
    assert folded > 0
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not(.tools):not([open])").count() == 0
    assert page.locator("figure[data-chart=parity] svg").get_attribute("width") == "330"
    assert page.locator(f"{SLICE} svg").get_attribute("width") == "215"  # three in a row
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not(.tools):not([open])").count() == folded
