from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from mastgp.data.dataset import Dataset
from mastgp.models import SingleFidelity
from mastgp.output.figures import draw, plot_slice
from mastgp.output.levels import (
    MAX_LEVELS,
    centre_of,
    is_discrete,
    level_labels,
    shown_levels,
    split_by,
    values_along,
)
from mixed import mixed_dataset


@pytest.fixture(scope="module")
def model():
    return SingleFidelity().fit_data(mixed_dataset())


@pytest.fixture(scope="module")
def bladed():
    """A model of a whole number and of twelve levels."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"blades": rng.integers(2, 7, 40), "kind": [f"k{i % 12:02}" for i in range(40)]}
    )
    data = Dataset.from_arrays(
        frame, frame["blades"] + np.arange(40) % 12, categorical=["kind"], integer=["blades"]
    )
    return SingleFidelity().fit_data(data)


def axes_of(model, column):
    axes = Figure().add_subplot()
    plot_slice(model, axes, column)
    return axes


def test_the_middle_of_the_data_is_possible(model, bladed):
    centre = centre_of(model.training_data_)
    assert centre[1] in (0.0, 1.0, 2.0)
    assert centre_of(bladed.training_data_)[0] % 1.0 == 0.0


def test_there_is_a_curve_for_each_level_of_the_category_that_matters(model):
    assert split_by(model, 0).name == "material"
    axes = axes_of(model, "speed")
    labels = axes.get_legend_handles_labels()[1]
    assert labels == ["material = al", "material = steel", "material = ti"]
    assert "coated" in axes.get_title()
    assert "material" not in axes.get_title()


def test_a_slice_along_a_category_shows_its_levels(model):
    axes = axes_of(model, "material")
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["al", "steel", "ti"]
    assert not [line for line in axes.lines if len(line.get_xdata()) > 3]


def test_few_levels_of_many_are_drawn(bladed):
    data = bladed.training_data_
    assert len(shown_levels(data, data.categories[0])) == MAX_LEVELS
    assert "6 of 12 levels are shown" in axes_of(bladed, "blades").get_legend_handles_labels()[1]


def test_whole_numbers_are_drawn_where_they_are(bladed, model):
    assert is_discrete(bladed.training_data_, 0)
    np.testing.assert_array_equal(values_along(bladed.training_data_, 0), [2, 3, 4, 5, 6])
    assert not is_discrete(model.training_data_, 0)


def test_pages_are_drawn(model):
    assert len(draw(model, "slices").axes) == 3


def test_names_of_levels_are_turned_only_where_lines_do_not_help():
    assert level_labels(["al", "st"]) == (["al", "st"], 0.0)
    assert level_labels(["a long name of a level of many"] * 6)[1] == 90.0
    names, turned = level_labels(["one word and more", "unbreakable", "x"])
    assert turned == 0.0
    assert names[0] == "one word and\nmore"
