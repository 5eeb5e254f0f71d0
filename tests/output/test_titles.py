"""Words of figures."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp.models.single import SingleFidelity
from mastgp.output.titles import (
    TITLE_LETTERS,
    fixed_inputs,
    fixed_note,
    page_title,
    panel_title,
    wrapped,
)


@pytest.fixture(scope="module")
def model():
    X = np.random.default_rng(0).random((12, 6))
    return SingleFidelity().fit(X, X[:, 0])


def test_every_fixed_input_is_named(model):
    title = panel_title(model, "Prediction along x0", {0}).replace("\u00a0", " ")
    medians = np.median(model.training_data_.top.X, axis=0)
    for i in range(1, 6):
        assert f"x{i} = {medians[i]:.4g}" in " ".join(title.split())
    assert all(len(line) <= TITLE_LETTERS for line in title.splitlines())


def test_a_brief_title_leaves_many_inputs_to_the_note(model):
    assert panel_title(model, "Prediction", {0}, brief=True).endswith("fixed as said below")
    assert all(name in fixed_note(model) for name in fixed_inputs(model, ()))


def test_few_inputs_need_no_note(rng):
    X = rng.random((12, 4))
    few = SingleFidelity().fit(X, X[:, 0])
    assert fixed_note(few) == ""
    assert "x3" in panel_title(few, "Prediction", {0}, brief=True)
    assert page_title(few) == "SingleFidelity surrogate of y from 12 data points"


def test_names_are_broken_at_their_spaces_where_they_are_too_long():
    name = "sweep angle of the quarter chord line [deg] = 4.485".replace(" ", "\u00a0")
    lines = wrapped(f"at a\u00a0=\u00a01, {name}", 40).splitlines()
    assert lines == ["at a\u00a0=\u00a01, sweep angle of the quarter", "chord line [deg] = 4.485"]
