"""Maps over two inputs."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from exported import fitted
from mastgp import MAST, DataError
from mastgp.output.contours import plot_contour, strongest_pair
from mastgp.output.figures import draw


@pytest.mark.parametrize("name", ["mast", "levels"])
def test_a_map_says_what_is_fixed(name):
    axes = Figure().add_subplot()
    plot_contour(fitted(name), axes)
    fixed = set(fitted(name).training_data_.feature_names)
    fixed -= {axes.get_xlabel(), axes.get_ylabel()}
    assert all(f"{column}\u00a0=" in axes.get_title() for column in fixed)


def test_the_inputs_that_matter_are_mapped(rng):
    X = rng.random((30, 3))
    model = MAST().fit(X, 3.0 * X[:, 0] + X[:, 2])
    assert strongest_pair(model) == (0, 2)


def test_mean_and_uncertainty_are_drawn_side_by_side():
    figure = draw(fitted("hf-only"), "contour")
    titles = [axes.get_title() for axes in figure.axes if axes.get_title()]
    assert [title.split(" over")[0] for title in titles] == ["Prediction", "Uncertainty (std)"]


def test_one_input_has_no_map():
    x = np.linspace(0, 1, 8)[:, None]
    with pytest.raises(DataError, match="two inputs"):
        draw(MAST().fit(x, np.sin(4 * x[:, 0])), "contour")
