"""What hands do with the charts of a page: values, zoom and moves, by mouse and by touch."""

from __future__ import annotations

import numpy as np
import pytest

from browser import Opened, chromium, dragged, needs_chromium, ticks, view
from exported import fitted
from mastgp.output.report import facts
from mastgp.output.report.page import write_page

pytestmark = needs_chromium

SLICE = "#slices figure[data-input='0']"
PARITY = "figure[data-chart='parity']"


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


def place(page, figure, across, up=0.5):
    """Where a share of a chart is on the screen."""
    page.locator(figure).scroll_into_view_if_needed()
    box = page.locator(f"{figure} svg").bounding_box()
    return box["x"] + across * box["width"], box["y"] + (1.0 - up) * box["height"]


def test_dragging_zooms_and_a_double_click_shows_all(opened):
    page = opened.page
    page.locator(SLICE).scroll_into_view_if_needed()
    before = ticks(page, SLICE)
    dragged(page, SLICE, 0.5, 0.7)
    page.wait_for_selector("html[data-drawn]", state="attached")
    after = ticks(page, SLICE)
    assert np.ptp(after) < 0.5 * np.ptp(before)
    assert min(before) < min(after) < max(after) < max(before)
    page.dblclick(f"{SLICE} svg", position={"x": 150, "y": 60})
    assert ticks(page, SLICE) == before


def test_a_drag_with_shift_moves_what_is_seen(opened):
    page = opened.page
    full = view(page, PARITY)
    page.mouse.move(*place(page, PARITY, 0.4, 0.6))
    page.mouse.down()
    page.mouse.move(*place(page, PARITY, 0.7, 0.3), steps=3)
    page.mouse.up()
    before = view(page, PARITY)
    assert all(np.ptp(own) < 0.6 * np.ptp(whole) for own, whole in zip(before, full, strict=True))
    page.keyboard.down("Shift")
    dragged(page, PARITY, 0.5, 0.6)
    page.keyboard.up("Shift")
    after = view(page, PARITY)
    assert np.ptp(after[0]) == pytest.approx(np.ptp(before[0]))
    assert after[0][0] < before[0][0]  # what lay further left has come into view
    assert after[1] == pytest.approx(before[1])
    page.keyboard.down("Shift")
    for _ in range(12):
        dragged(page, PARITY, 0.3, 0.8)
    page.keyboard.up("Shift")
    assert view(page, PARITY)[0][0] == pytest.approx(full[0][0])  # there is nothing further left
    assert np.ptp(view(page, PARITY)[0]) == pytest.approx(np.ptp(before[0]))


def test_a_drag_moves_where_the_menu_says_so(opened):
    page = opened.page
    page.locator(SLICE).scroll_into_view_if_needed()
    dragged(page, SLICE, 0.4, 0.7)
    before = view(page, SLICE)
    page.click(f"{SLICE} .tools summary")
    page.click(f"{SLICE} .tools button:text-is('Drag to move')")
    dragged(page, SLICE, 0.7, 0.5)
    after = view(page, SLICE)
    assert after[0][0] > before[0][0]
    assert np.ptp(after[0]) == pytest.approx(np.ptp(before[0]))


def test_the_wheel_zooms_with_control_about_the_pointer(opened):
    page = opened.page
    full = view(page, PARITY)
    page.mouse.move(*place(page, PARITY, 0.9, 0.5))
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    after = view(page, PARITY)
    assert np.ptp(after[0]) < 0.6 * np.ptp(full[0])
    assert np.mean(after[0]) > np.mean(full[0])
    page.mouse.wheel(0, 100)
    assert view(page, PARITY) == after  # without it the page scrolls


def test_training_points_tell_where_they_are(opened):
    page = opened.page
    page.locator(f"{SLICE} circle[data-series='of fine']").first.hover(force=True)
    words = page.inner_text(f"{SLICE} .tip")
    data = fitted("mast").training_data_.top
    known = [f"at x = {x:.4g}, y = {y:.4g}, z = {z:.4g}" for x, y, z in data.X]
    assert words.startswith("fine ")
    assert any(row.split(", ")[0] in words for row in known)
    page.click("#explore button[data-series='of fine']")
    page.mouse.move(*place(page, SLICE, 0.5))
    page.locator(f"{SLICE} svg").hover(position={"x": 150, "y": 80})
    assert "95 %" in page.inner_text(f"{SLICE} .tip")


def test_the_map_tells_its_values(opened):
    opened.page.hover("#contour svg")
    assert ":" in opened.page.inner_text("#contour .tip")


def test_a_click_moves_and_does_not_zoom(opened):
    page = opened.page
    before, value = ticks(page, SLICE), page.input_value("#input0")
    page.click(f"{SLICE} svg", position={"x": 120, "y": 60})
    page.wait_for_selector("html[data-drawn]", state="attached")
    assert page.input_value("#input0") != value
    assert ticks(page, SLICE) == before


@pytest.fixture
def phone(browser, path):
    context = browser.new_context(
        viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True, offline=True
    )
    page = context.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(f"file://{path}")
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    yield page
    assert complaints == []
    context.close()


@pytest.fixture
def touch(phone):
    """Fingers on the glass, as the browser gets them from the system."""
    session = phone.context.new_cdp_session(phone)

    def send(kind, *fingers):
        points = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(fingers)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    return send


def test_two_fingers_zoom_and_move(phone, touch):
    full = view(phone, PARITY)
    left, right = place(phone, PARITY, 0.45), place(phone, PARITY, 0.65)
    touch("touchStart", left, right)
    wider = place(phone, PARITY, 0.25), place(phone, PARITY, 0.85)
    touch("touchMove", *wider)
    touch("touchEnd")
    zoomed = view(phone, PARITY)
    assert np.ptp(zoomed[0]) == pytest.approx(np.ptp(full[0]) / 3, rel=0.05)
    touch("touchStart", *wider)
    touch("touchMove", *[(x - 30.0, y) for x, y in wider])
    touch("touchEnd")
    assert view(phone, PARITY)[0][0] > zoomed[0][0]
    assert np.ptp(view(phone, PARITY)[0]) == pytest.approx(np.ptp(zoomed[0]))


def test_a_tap_tells_the_value_and_chooses_the_point(phone):
    value = phone.input_value("#input0")
    phone.touchscreen.tap(*place(phone, SLICE, 0.8))
    phone.wait_for_selector("html[data-drawn]", state="attached")
    assert phone.input_value("#input0") != value
    assert "95 %" in phone.inner_text(f"{SLICE} .tip")
    assert phone.locator(f"{SLICE} .tip").is_visible()


def test_a_finger_scrolls_the_page_over_charts(phone, touch):
    phone.locator(PARITY).scroll_into_view_if_needed()
    full = view(phone, PARITY)
    before = phone.evaluate("scrollY")
    x, y = place(phone, PARITY, 0.5)
    touch("touchStart", (x, y))
    for k in range(1, 8):
        touch("touchMove", (x, y - 25.0 * k))
    touch("touchEnd")
    phone.wait_for_timeout(300)
    assert phone.evaluate("scrollY") > before + 50
    assert view(phone, PARITY) == full
