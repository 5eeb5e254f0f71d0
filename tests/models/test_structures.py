from __future__ import annotations

import numpy as np
import pytest

from mastgp.gp.priors import FACTOR_PRIOR
from mastgp.models.cokriging import CoKriging
from mastgp.models.structures import (
    BOTORCH_BIAS,
    BOTORCH_SHARED,
    DISCREPANCY_PRIOR,
    EQUAL_LEVELS_PRIOR,
    FADING_PRIOR,
    STRUCTURES,
    JointModel,
    Traits,
    fading_bias,
    known_noise,
)


def loadings(name, n_levels, factors):
    """Loading of every level on every component, with the given values of the factors."""
    return [
        [
            loading * np.prod([factors[i] for i in chain])
            for loading, chain in zip(
                component.loadings, component.factors or [()] * n_levels, strict=True
            )
        ]
        for component in STRUCTURES[name](n_levels)
    ]


@pytest.mark.parametrize(
    ("name", "factors", "expected"),
    [
        ("autoregressive", [2.0, 5.0], [[1, 2, 10], [0, 1, 5], [0, 0, 1]]),
        ("shared-bias", [], [[1, 1, 1], [1, 0, 0], [0, 1, 0]]),
        ("common-bias", [7.0], [[1, 1, 1], [1, 7, 0]]),
        ("general", [2.0, 5.0], [[1, 2, 5], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    ],
)
def test_levels_are_related_as_the_formulas_say(name, factors, expected):
    assert loadings(name, 3, factors) == expected


def test_the_bias_fades_as_in_botorch():
    """Variances of the linear truncated kernel with power one."""
    level = np.array([0.5, 0.75, 1.0])
    expected = (1 - level) ** 2 * (1 + level**2)
    np.testing.assert_allclose(np.square(fading_bias(3)[1].loadings), expected)


def dataset(low, high, noise_std=None):
    """Data of two levels with these targets, the first places the same."""
    y = np.concatenate([low, high])
    X = np.concatenate([np.arange(len(low)), np.arange(len(high))])[:, None] / len(low)
    labels = ["low"] * len(low) + ["high"] * len(high)
    model = CoKriging(order=["low", "high"], structure="top-only", warp=None, noise_std=noise_std)
    return model.fit(X, y, fidelity=labels).training_data_


WAVE = np.sin(np.arange(10.0))


@pytest.mark.parametrize(
    ("low", "expected"),
    [
        (WAVE, Traits(True, True)),
        (2.0 * WAVE, Traits(True, True)),
        (WAVE + 5.0, Traits(True, False)),
        (10.0 * WAVE, Traits(False, False)),
    ],
)
def test_traits_are_those_of_spreads_and_means(low, expected):
    data = dataset(low, WAVE[:6] - WAVE[:6].mean() + WAVE.mean())
    assert Traits.of(data, data.fidelities) == expected


def joint(structure, priors="wide", kernel="rbf"):
    return JointModel(structure, kernel, "kumaraswamy", priors, False)


def test_levels_in_the_same_units_are_expected_to_be_alike():
    data = dataset(WAVE, WAVE[:6])
    for traits, prior in (
        (Traits(True, True), EQUAL_LEVELS_PRIOR),
        (Traits(False, False), FACTOR_PRIOR),
    ):
        assert joint("autoregressive").build(data, traits).factor_prior == prior
    assert joint("autoregressive").scales(data, Traits(True, True)) is None
    assert joint("shared-bias").scales(data, Traits(False, False)) is None
    scales = joint("general").scales(data, Traits(False, False))
    np.testing.assert_allclose(scales, [data.scale_of(f.y) for f in data.fidelities])


def test_one_mean_serves_biased_levels_that_have_the_same():
    data = dataset(WAVE, WAVE[:6])
    for structure, means in (("shared-bias", "shared"), ("autoregressive", "own")):
        assert joint(structure).build(data, Traits(True, True)).means == means
    assert joint("shared-bias").build(data, Traits(True, False)).means == "own"


def test_priors_of_each_part():
    data, traits = dataset(WAVE, WAVE[:6]), Traits(True, True)
    for structure, scale_prior in (
        ("autoregressive", DISCREPANCY_PRIOR),
        ("fading-bias", FADING_PRIOR),
    ):
        _, other = joint(structure).build(data, traits).components
        assert other.scale_prior == scale_prior
    shared, bias = joint("shared-bias", "botorch", "matern52").build(data, traits).components
    assert (shared.lengthscale_prior, bias.lengthscale_prior) == (BOTORCH_SHARED, BOTORCH_BIAS)
    assert {shared.kernel, bias.kernel} == {"matern52"}


def test_factors_start_at_the_ratio_of_spreads_with_its_sign():
    data = dataset(WAVE, WAVE[:6])
    ratio = data.scale_of(data.top.y) / data.scale_of(data.fidelities[0].y)
    (start,) = joint("autoregressive").build(data, Traits(True, True)).factor_starts
    assert abs(start) == pytest.approx(ratio)
    flipped = dataset(-WAVE, WAVE[:6])
    (other,) = joint("autoregressive").build(flipped, Traits(True, True)).factor_starts
    assert other == pytest.approx(-start)
    (unit,) = joint("autoregressive").build(data, Traits(False, False)).factor_starts
    assert abs(unit) == 1.0


def test_the_top_alone_is_one_level():
    data = dataset(WAVE, WAVE[:6])
    assert joint("top-only").levels(data) == (data.top,)
    assert joint("general").levels(data) == data.fidelities
    assert len(joint("top-only").build(data, Traits(True, True)).components) == 1


def test_noise_that_is_not_known_is_nan():
    assert known_noise(dataset(WAVE, WAVE[:6]).fidelities) is None
    noise = known_noise(dataset(WAVE, WAVE[:6], {"high": 0.5}).fidelities)
    assert np.isnan(noise[:10]).all()
    np.testing.assert_allclose(noise[10:], 0.25)
