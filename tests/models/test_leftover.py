from __future__ import annotations

import numpy as np

from mastgp.data.dataset import Dataset
from mastgp.models import CoKriging
from mastgp.models.leftover import LeftOver
from mastgp.models.structures import DISCREPANCY_PRIOR, JointModel, Traits

OPTIONS = "top-only", "rbf", None, "wide", False


def test_what_is_left_is_in_the_units_of_the_response(rng):
    data = Dataset.from_arrays(rng.random((9, 2)), rng.random(9))
    traits, left = Traits(False, False), LeftOver(*OPTIONS, response_scale=7.0)
    np.testing.assert_array_equal(left.scales(data, traits), [7.0])
    (component,) = left.build(data, traits).components
    (plain,) = JointModel(*OPTIONS).build(data, traits).components
    assert component.scale_prior == DISCREPANCY_PRIOR != plain.scale_prior
    assert component.lengthscale_prior == plain.lengthscale_prior


def test_what_is_mostly_noise_is_taken_for_noise(rng):
    """A response of size one leaves noise of size 0.03. In its own units it looks like signal."""
    X = rng.random((40, 4))
    y = 0.03 * rng.standard_normal(40)
    stds = []
    for scale in (None, 1.0):
        model = CoKriging(structure="top-only")
        model.response_scale_ = scale
        model.fit(X, y)
        stds.append(np.median(model.predict(rng.random((200, 4)), return_std=True)[1]))
    assert stds[1] < 0.015
    assert stds[1] < 1.05 * stds[0]
