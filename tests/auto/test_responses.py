from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mastgp import ConstantTargetWarning, Dataset, FewPointsWarning
from mastgp.auto.responses import worth_trying
from mastgp.gp.responses import Logarithm, YeoJohnson
from mixed import mixed_dataset

ORDER = ["cheap", "dear"]


def data_of(rng, response, n_cheap=40, n_dear=10):
    """Two fidelities of a smooth function, seen through a function of the response."""
    X = rng.random((n_cheap + n_dear, 2))
    labels = np.array(["cheap"] * n_cheap + ["dear"] * n_dear)
    z = np.sin(5 * X[:, 0]) + X[:, 1] + np.where(labels == "cheap", 0.2 * X[:, 0], 0.0)
    return Dataset.from_arrays(X, response(z), labels, order=ORDER)


def test_a_smooth_response_stays_as_it_is(rng):
    assert worth_trying(data_of(rng, lambda z: 3.0 + z)) is None


def test_a_response_over_decades_is_tried_in_logarithms(rng):
    assert worth_trying(data_of(rng, lambda z: np.exp(5.0 * z))) == Logarithm()


@pytest.mark.parametrize(("power", "found"), [(0.4, 0.5), (1.6, 1.5)])
def test_tails_are_pulled_in_on_their_side(rng, power, found):
    response = worth_trying(data_of(rng, lambda z: YeoJohnson(power).backward(4.0 * (z - 0.7))))
    assert isinstance(response, YeoJohnson)
    assert response.power in (found, {0.5: 0.0, 1.5: 2.0}[found])


def test_units_do_not_matter(rng):
    data = data_of(rng, lambda z: np.exp(5.0 * z))
    X = np.concatenate([f.X for f in data.fidelities])
    y = 1e-7 * np.concatenate([f.y for f in data.fidelities])
    labels = np.repeat(ORDER, [len(f.y) for f in data.fidelities])
    assert worth_trying(Dataset.from_arrays(X, y, labels, order=ORDER)) == Logarithm()


def test_levels_are_no_numbers():
    data = mixed_dataset()
    assert worth_trying(data) is None
    decades = (replace(f, y=np.exp(4.0 * f.y)) for f in data.fidelities)
    assert worth_trying(replace(data, fidelities=tuple(decades))) == Logarithm()


def test_many_rows_are_judged_by_a_part(rng):
    assert worth_trying(data_of(rng, lambda z: np.exp(5.0 * z), n_cheap=400)) == Logarithm()


def test_too_few_points_and_constant_ones_tell_nothing(rng):
    with pytest.warns(FewPointsWarning):
        few = data_of(rng, lambda z: np.exp(5.0 * z), n_dear=4)
    assert worth_trying(few) is None
    with pytest.warns(ConstantTargetWarning):
        constant = data_of(rng, np.zeros_like)
    assert worth_trying(constant) is None
