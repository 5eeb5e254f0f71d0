"""Pieces of HTML: nothing that a user has named is ever markup."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

from mastgp.output.report.markup import (
    Markup,
    joined,
    json_for_page,
    number,
    table,
    tag,
    text,
    void,
)

NASTY = "</script><script>alert(1)</script><!-- & \" ' \u2028"


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.names, self.words = [], []

    def handle_starttag(self, tag, attrs):
        self.names.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)


def parsed(markup):
    tags = Tags()
    tags.feed(markup)
    return tags


def test_text_and_attributes_come_back_as_they_were():
    found = parsed(tag("p", NASTY, title=NASTY))
    assert found.names == [("p", {"title": NASTY})]
    assert "".join(found.words) == NASTY


def test_names_in_tables_are_text():
    found = parsed(table([NASTY, "b"], [[NASTY, 1]], caption=NASTY))
    assert {name for name, _ in found.names} <= {
        "div",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }


def test_json_in_a_page_cannot_end_its_element():
    written = json_for_page({NASTY: [NASTY, 1.5]})
    assert "<" not in written
    assert ">" not in written
    assert json.loads(written) == {NASTY: [NASTY, 1.5]}


def test_json_refuses_what_no_browser_can_read():
    with pytest.raises(ValueError, match="JSON"):
        json_for_page({"a": float("nan")})


def test_control_characters_and_halves_of_pairs_are_replaced():
    assert text("a\x00b\x1b") == "a\ufffdb\ufffd"
    assert text("\ud800").encode() == b"?"


def test_attributes_may_be_flags_or_missing():
    assert void("input", disabled=True, hidden=False, id=None, data_x=1) == (
        '<input disabled data-x="1">'
    )
    assert joined([Markup("<b>"), "<"]) == "<b>&lt;"
    assert number(1234567.0) == "1.235e+06"
