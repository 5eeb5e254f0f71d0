"""How panels are laid out."""

from __future__ import annotations

import pytest

from mastgp.output.sheets import Sheet, drawn


def panel(axes):
    axes.plot([0, 1], [0, 1], label="a line")
    axes.set_title("panel")


@pytest.mark.parametrize(
    ("n", "grid"),
    [(1, (1, 1)), (3, (1, 3)), (4, (2, 2)), (7, (2, 4)), (8, (2, 4)), (9, (3, 3)), (10, (3, 4))],
)
def test_rows_and_columns(n, grid):
    assert Sheet("", [panel] * n).grid == grid


def boxes(figure):
    figure.draw_without_rendering()
    return [axes.get_tightbbox() for axes in figure.axes if axes.axison]


@pytest.mark.parametrize("n", range(1, 11))
def test_panels_do_not_overlap_and_no_place_is_empty(n):
    figure = drawn([Sheet("a title", [panel] * n, note="a note")])
    places = boxes(figure)
    for i, one in enumerate(places):
        for other in places[:i]:
            assert not one.padded(-1).overlaps(other.padded(-1))
    rows, columns = Sheet("", [panel] * n).grid
    in_place = [axes for axes in figure.axes if not axes.axison]
    assert len(in_place) == (rows * columns > n)
    legends = figure.legends or [in_place[0].get_legend()]
    assert [text.get_text() for text in legends[0].get_texts()] == ["a line"]
    assert legends[0].get_title().get_text() == "a note"
    box = legends[0].get_window_extent()
    assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
    assert not any(box.padded(-1).overlaps(place) for place in places)


def test_several_sheets_have_a_legend_each_or_one_for_all():
    sheets = [Sheet("one", [panel] * 2), Sheet("two", [panel] * 2)]
    legends = [bool(part.legends) for part in drawn(sheets).subfigs]
    assert legends == [True, True]
    legends = [bool(part.legends) for part in drawn(sheets, one_legend=True).subfigs]
    assert legends == [False, False, True]
