from __future__ import annotations

import numpy as np
import pytest

import mastgp
from mastgp import MAST, DataError
from mastgp.data.box import Box, limits_of
from support import COSTS


def test_the_box_becomes_the_unit_cube(rng):
    X = rng.uniform([-3.0, 100.0], [5.0, 101.0], (20, 2))
    U = Box.around(X).to_unit(X)
    np.testing.assert_array_equal(U.min(axis=0), [0.0, 0.0])
    np.testing.assert_array_equal(U.max(axis=0), [1.0, 1.0])


def test_limits_go_before_the_range_of_the_data():
    box = Box.around(np.array([[1.0, 5.0], [3.0, 6.0]]), {1: (0.0, 10.0)})
    np.testing.assert_array_equal(box.low, [1.0, 0.0])
    np.testing.assert_array_equal(box.high, [3.0, 10.0])
    np.testing.assert_array_equal(box.to_unit(np.array([[2.0, 2.5]])), [[0.5, 0.25]])


def test_the_data_are_left_alone():
    X = np.array([[1.0], [3.0]])
    Box.around(X, {0: (0.0, 9.0)})
    np.testing.assert_array_equal(X, [[1.0], [3.0]])


def test_an_input_without_a_range_is_in_the_middle():
    box = Box.around(np.array([[7.0], [7.0]]))
    assert box.varies.tolist() == [False]
    np.testing.assert_array_equal(box.to_unit(np.array([[7.0], [-1e9]])), [[0.5], [0.5]])


def test_what_is_absurdly_far_away_can_still_be_squared():
    U = Box(np.zeros(1), np.full(1, 1e-3)).to_unit(np.array([[1e300], [-1e308]]))
    np.testing.assert_array_equal(U, [[1e6], [-1e6]])


def test_predictions_absurdly_far_away_are_numbers(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS).fit(X, y, fidelity=labels)
    far = np.array([[1e200, -1e300], [0.5, 1e155]])
    with pytest.warns(mastgp.ExtrapolationWarning):
        mean, cov = model.predict(far, return_cov=True)
    assert np.isfinite(mean).all()
    assert np.isfinite(cov).all()
    with pytest.warns(mastgp.ExtrapolationWarning):
        assert np.isfinite(model.sample_y(far)).all()


def test_bounds_are_given_by_name_or_for_all_inputs():
    assert limits_of(None, ["u", "v"]) == {}
    assert limits_of({"v": (0, 1)}, ["u", "v"]) == {1: (0.0, 1.0)}
    assert limits_of([(0, 1), (2, 3)], ["u", "v"]) == {0: (0.0, 1.0), 1: (2.0, 3.0)}


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ([(0, 1)], r"bounds has shape \(1, 2\); expected .* each of the 2 inputs"),
        ([(0, 1), (1, 0)], r"bounds of column 'v' are \(1, 0\).*the lower first"),
        ([(0, 1), (0, np.inf)], r"bounds of column 'v' are \(0, inf\)"),
        ({"span": (0, 1)}, "bounds names column 'span', but the inputs are 'u', 'v'"),
        ([("a", "b"), (0, 1)], "pair of numbers"),
        ({"u": 3}, "pair of numbers"),
        ({"u": (0, 1, 2)}, "pair of numbers"),
    ],
)
def test_bounds_that_cannot_be_used(bounds, words):
    with pytest.raises(DataError, match=words):
        limits_of(bounds, ["u", "v"])


def test_log_inputs_are_mapped_by_their_logarithms():
    X = np.array([[1.0, 0.0], [100.0, 4.0]])
    box = Box.around(X, logs=[0])
    np.testing.assert_allclose(box.to_unit(np.array([[10.0, 1.0]])), [[0.5, 0.25]])
    np.testing.assert_allclose(box.spaced(0, 3), [1.0, 10.0, 100.0])
    np.testing.assert_allclose(box.spaced(1, 3), [0.0, 2.0, 4.0])
    np.testing.assert_array_equal(box.widths, [99.0, 4.0])


def test_slopes_are_those_of_the_map(rng):
    box = Box(np.array([1.0, -1.0, 2.0]), np.array([50.0, 3.0, 2.0]), (0,))
    X = np.array([[3.0, 0.5, 2.0], [20.0, 2.0, 2.0]])
    step = 1e-6
    for column in range(3):
        moved = X.copy()
        moved[:, column] += step
        numeric = (box.to_unit(moved) - box.to_unit(X))[:, column] / step
        np.testing.assert_allclose(box.slopes(box.to_unit(X))[:, column], numeric, rtol=1e-5)
    plain = Box(np.array([1.0, 2.0]), np.array([3.0, 2.0]))
    np.testing.assert_array_equal(plain.slopes(rng.random((4, 2))), [0.5, 0.0])


def test_beyond_is_measured_on_the_inputs_own_scale():
    box = Box(np.array([1.0, 0.0]), np.array([1e4, 1e4]), (0,))
    values = np.array([5.0, 9.0, 1500.0])
    np.testing.assert_array_equal(box.beyond(values, 0, 10.0, 1000.0, 0.05), [True, False, False])
    np.testing.assert_array_equal(box.beyond(values, 1, 10.0, 1000.0, 0.05), [False] * 3)
