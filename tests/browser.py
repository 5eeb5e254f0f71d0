"""A browser for tests of pages: Debian's Chromium, where there is one."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

CHROMIUM = os.environ.get("MAST_CHROMIUM") or shutil.which("chromium") or ""
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

needs_chromium = pytest.mark.skipif(
    not (CHROMIUM and find_spec("playwright")),
    reason="tests of pages need Debian's chromium and playwright",
)

#: Texts whose contrast with what is behind them is below what WCAG's level AA asks for.
CONTRAST = """() => {
  const rgb = (text) => (text.match(/[0-9.]+/g) || []).map(Number);
  const light = (c) => c.slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (let n = node; n; n = n.parentElement) {
      const c = rgb(getComputedStyle(n).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll('body *')].filter((node) => {
    const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const style = getComputedStyle(node);
    if (!own || ['SCRIPT', 'STYLE', 'OPTION'].includes(node.tagName)) return false;
    if (!node.getClientRects().length || style.visibility === 'hidden') return false;
    const front = rgb(node instanceof SVGElement ? style.fill : style.color);
    const outlined = style.paintOrder.startsWith('stroke');
    const back = outlined ? rgb(style.stroke) : behind(node);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    const large = parseFloat(style.fontSize) >= 24;
    return (a + 0.05) / (b + 0.05) < (large ? 3 : 4.5);
  }).map((node) => `${node.tagName} ${node.className} ${node.textContent.slice(0, 30)}`);
}"""

#: Controls and pictures without a name for those who cannot see them.
UNNAMED = """() => [
  ...document.querySelectorAll('input, select, button, summary, a, svg[role=img]')
].filter((node) => !(node.getAttribute('aria-label') || (node.labels && node.labels.length)
    || node.textContent.trim())).map((node) => node.outerHTML.slice(0, 80))"""


@contextmanager
def chromium():
    """A running browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=list(OPTIONS)
        )
        try:
            yield browser
        finally:
            browser.close()


class Opened:
    """A page, and what it complained about or asked for."""

    def __init__(self, browser, path, width=1200, scheme="light", offline=True):
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, offline=offline
        )
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(f"file://{path}")
        self.page.wait_for_selector("html[data-ready=yes]", state="attached")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    @property
    def overflow(self):
        return self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )

    def text(self, selector):
        return self.page.inner_text(selector)

    def predict(self, points, entry=0):
        return self.page.evaluate("([p, e]) => window.mast.predict(p, e)", [points, entry])


def ticks(page, figure):
    """Values at the ticks of x: the texts on the lowest line of ticks."""
    return page.evaluate(
        """(figure) => {
          const texts = [...document.querySelectorAll(`${figure} .tick`)];
          const lowest = Math.max(...texts.map((node) => Number(node.getAttribute('y'))));
          return texts.filter((node) => Number(node.getAttribute('y')) === lowest)
            .map((node) => Number(node.textContent.replace('−', '-')));
        }""",
        figure,
    )


def view(page, figure):
    """What a chart shows: ends of x and y."""
    return page.evaluate(
        "(f) => ['x', 'y'].map((axis) => "
        "mastCharts.states.get(document.querySelector(f)).current[axis].domain)",
        figure,
    )


def dragged(page, figure, share_from, share_to):
    """Drag over a part of a chart, from left to right."""
    box = page.locator(f"{figure} svg").bounding_box()
    y = box["y"] + 0.4 * box["height"]
    page.mouse.move(box["x"] + share_from * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + share_to * box["width"], y, steps=4)
    page.mouse.up()
