from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from mastgp import DataError
from mastgp.models.trust import METRICS, NEIGHBOUR_WEIGHTS, RADII, trust_in

unit = st.floats(0, 1, allow_subnormal=False)


def points(n: int, d: int):
    return arrays(float, (n, d), elements=unit)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("euclidean", 0.5), ("manhattan", 0.7), ("chebyshev", 0.4), ("hamming", 2 / 3),
     ("domain-relative", 0.5), ("normalized-euclidean", 0.5 / np.sqrt(3))],
)  # fmt: skip
def test_metrics_by_hand(name, expected):
    A, B = np.array([[0.1, 0.2, 0.9]]), np.array([[0.4, 0.6, 0.9]])
    assert METRICS[name](A, B)[0, 0] == pytest.approx(expected)


def test_mahalanobis_divides_by_lengthscales(rng):
    A, B, lengthscales = rng.random((7, 3)), rng.random((5, 3)), np.array([0.1, 1.0, 5.0])
    got = trust_in(A, B, 0.5, metric="mahalanobis", lengthscales=lengthscales).nearest
    expected = cdist(A / lengthscales, B / lengthscales).min(axis=1)
    np.testing.assert_allclose(got, expected)


def test_normalized_euclidean_is_at_most_one():
    corners = np.array([[0.0] * 9, [1.0] * 9])
    assert METRICS["normalized-euclidean"](corners, corners).max() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("power", 1 - 0.3**0.7), ("exponential", np.exp(-0.21)), ("gaussian", np.exp(-0.063)),
     ("inverse", 1 / (1 + 0.3**0.7)), ("triangular", 1 - 0.3 / np.sqrt(0.3)), ("linear", 0.7),
     ("steep-power", 1 - 0.3**1.4), ("rbf", np.exp(-0.09)), ("hf-only", 1.0)],
)  # fmt: skip
def test_weights_are_the_papers(name, expected):
    """One expensive point at distance 0.3: W = 1 - h(0.3; 0.7)."""
    trust = trust_in(np.array([[0.3]]), np.array([[0.0]]), 0.7, weight=name)
    assert trust.value[0] == pytest.approx(1 - expected)


@pytest.mark.parametrize(
    ("name", "count"), [("sqrt", 2), ("linear", 1), ("cbrt", 3), ("nearest", 1), ("global", 4)]
)
def test_radii_are_the_papers(name, count):
    """d_min = 0.25, so the radii are 0.5, 0.25, 0.63, 1e-6 and infinite."""
    top = np.array([[0.25], [0.45], [0.55], [0.9]])
    trust = trust_in(np.array([[0.0]]), top, 0.5, radius=name)
    assert trust.neighbours[0] == count


def test_nearest_point_is_a_neighbour_even_outside_its_region():
    trust = trust_in(np.zeros((1, 9)), np.ones((2, 9)), 0.5)  # d_min = 3 > sqrt(3)
    assert trust.neighbours[0] == 2  # both, as they are equally near
    assert trust.value[0] == 1.0  # h is clipped at zero


def test_aggregate_is_the_mean_over_the_region(rng):
    cheap, top, alpha = rng.random((20, 2)), rng.random((6, 2)), 0.5
    got = trust_in(cheap, top, alpha).value
    for i, x in enumerate(cheap):
        d = np.sqrt(((x - top) ** 2).sum(axis=1))
        inside = d <= np.sqrt(d.min())
        expected = 1 - np.mean(np.clip(1 - d[inside] ** alpha, 0, 1))
        assert got[i] == pytest.approx(expected)


@settings(max_examples=60, deadline=None)
@given(
    cheap=points(4, 2),
    top=points(3, 2),
    alpha=st.floats(0.01, 3),
    metric=st.sampled_from(sorted(set(METRICS) - {"mahalanobis"})),
    radius=st.sampled_from(sorted(RADII)),
    weight=st.sampled_from(sorted(NEIGHBOUR_WEIGHTS)),
)
def test_weights_lie_between_zero_and_one(cheap, top, alpha, metric, radius, weight):
    assume((radius, weight) != ("global", "triangular"))
    trust = trust_in(cheap, top, alpha, metric=metric, radius=radius, weight=weight)
    assert ((trust.value >= 0) & (trust.value <= 1)).all()
    assert (trust.neighbours >= 1).all()


@settings(max_examples=60, deadline=None)
@given(
    distances=st.lists(st.floats(1e-3, 1.0), min_size=2, max_size=2, unique=True),
    alpha=st.floats(0.05, 2),
    weight=st.sampled_from(sorted(set(NEIGHBOUR_WEIGHTS) - {"hf-only"})),
)
def test_trust_falls_with_proximity(distances, alpha, weight):
    near, far = sorted(distances)
    cheap, top = np.array([[near], [far]]), np.array([[0.0]])
    w_near, w_far = trust_in(cheap, top, alpha, weight=weight).value
    assert w_near <= w_far + 1e-12


@pytest.mark.parametrize("d", [2, 8, 23])
@pytest.mark.parametrize("weight", sorted(set(NEIGHBOUR_WEIGHTS) - {"inverse"}))
def test_on_top_of_an_expensive_point_there_is_no_trust(rng, d, weight):
    same, alpha = rng.random((60, d)), 0.02
    np.testing.assert_array_equal(
        trust_in(same, same, alpha, weight=weight, radius="nearest").value, 0.0
    )


def test_a_triangle_without_a_radius_is_refused():
    with pytest.raises(DataError, match="needs a radius"):
        trust_in(np.zeros((1, 1)), np.ones((1, 1)), 0.5, radius="global", weight="triangular")


def test_functions_of_the_users_own():
    trust = trust_in(
        np.array([[0.5]]),
        np.array([[0.0], [1.0]]),
        2.0,
        metric=lambda A, B: np.abs(A - B.T) / 2,
        radius=lambda d_min: d_min + 1,
        weight=lambda d, alpha, r: alpha * d,
    )
    assert trust.value[0] == pytest.approx(0.5)


@pytest.mark.parametrize("what", ["metric", "radius", "weight"])
def test_unknown_names_are_refused_with_the_choices(what):
    with pytest.raises(DataError, match=f"unknown {what} 'nonsense'; choose one of '"):
        trust_in(np.zeros((1, 1)), np.ones((1, 1)), 0.5, **{what: "nonsense"})


def test_a_metric_that_makes_no_sense_is_refused():
    with pytest.raises(DataError, match=r"shape \(1, 2\)"):
        trust_in(np.zeros((1, 1)), np.ones((2, 1)), 0.5, metric=lambda A, B: np.zeros(3))
    with pytest.raises(DataError, match="at least zero"):
        trust_in(np.zeros((1, 1)), np.ones((1, 1)), 0.5, metric=lambda A, B: A - B)


MIXED = np.array([[0.0, 0.0, 0.3], [0.5, 1.0, 0.7]])


def test_categories_add_hammings_distance_to_the_metric_of_the_numbers():
    trust = trust_in(MIXED[:1], MIXED[1:], 0.5, categorical=[0, 1])
    assert trust.nearest == pytest.approx(1.0 + 0.4)
    one = trust_in(MIXED[:1], MIXED[1:] * [0.0, 1.0, 1.0], 0.5, categorical=[0, 1])
    assert one.nearest == pytest.approx(0.5 + 0.4)


def test_categories_alone_are_compared_as_in_the_paper():
    A, B = MIXED[:1, :2], MIXED[1:, :2] * [0.0, 1.0]
    expected = trust_in(A, B, 0.5, metric="hamming")
    for metric in ("euclidean", "manhattan"):
        found = trust_in(A, B, 0.5, metric=metric, categorical=[0, 1])
        np.testing.assert_array_equal(found.value, expected.value)


def test_lengthscales_of_categories_play_no_part():
    scales = np.array([9.0, 9.0, 0.1])
    found = trust_in(
        MIXED[:1], MIXED[1:], 0.5, metric="mahalanobis", lengthscales=scales, categorical=[0, 1]
    )
    assert found.nearest == pytest.approx(1.0 + 4.0)


def test_a_function_of_the_users_sees_all_columns():
    seen = []

    def metric(A, B):
        seen.append(A.shape[1])
        return np.ones((len(A), len(B)))

    trust_in(MIXED[:1], MIXED[1:], 0.5, metric=metric, categorical=[0])
    assert seen == [3]


def test_blocks_do_not_change_trust(rng, monkeypatch):
    cheap, top = rng.random((50, 2)), rng.random((6, 2))
    whole = trust_in(cheap, top, 0.5, metric="manhattan", radius="linear")
    monkeypatch.setattr("mastgp.models.trust._BLOCK_ROWS", 7)
    parts = trust_in(cheap, top, 0.5, metric="manhattan", radius="linear")
    np.testing.assert_array_equal(parts.value, whole.value)
    np.testing.assert_array_equal(parts.nearest, whole.nearest)
    np.testing.assert_array_equal(parts.neighbours, whole.neighbours)


def test_what_is_no_name_is_refused():
    X = np.linspace(0.0, 1.0, 4)[:, None]
    with pytest.raises(DataError, match="unknown radius"):
        trust_in(X, X, 0.5, radius={"a": 1})
