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
