"""Styles and scripts of pages, and the rules that let no other script run."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from .markup import Markup, tag

#: Scripts whose text other scripts read, by the names of their elements.
_IDS = {"predictor": "predictor-source", "worker": "worker-source"}


def style() -> Markup:
    """The style of all pages."""
    return tag("style", Markup(_asset("page.css")))


def scripts(names: Sequence[str]) -> list[Markup]:
    """Scripts for a page, in this order."""
    return [tag("script", Markup(_source(name)), id=_IDS.get(name)) for name in names]


def policy(names: Sequence[str]) -> str:
    """Only these scripts may run in the page, and nothing may be loaded from anywhere."""
    hashes = [hashlib.sha256(_source(name).encode()).digest() for name in names]
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in hashes)
    return (
        f"default-src 'none'; script-src {allowed} blob:; worker-src blob:; "
        "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def _source(name: str) -> str:
    """A script, which must not end the element it stands in."""
    source = _asset(f"{name}.js")
    assert "</script" not in source
    return f"\n{source}"
