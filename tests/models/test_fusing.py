"""Very many cheap rows are fused, and the error that they share is not averaged away."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp import MAST
from mastgp.gp import GaussianProcess
from mastgp.models.fusing import averages_out
from mastgp.surrogates import GP, find_surrogate
from mastgp.surrogates.many.fitted import ManyRows

ORDER = ["coarse", "fine"]


def coarse(X):
    return np.sin(6 * X[:, 0]) * (1 + X[:, 1])


def fine(X):
    return coarse(X) + np.cos(5 * X[:, 1]) * X[:, 0]


def drawn(n_coarse, n_fine=14, seed=4):
    rng = np.random.default_rng(seed)
    X = rng.random((n_coarse + n_fine, 2))
    y = np.concatenate([coarse(X[:n_coarse]), fine(X[n_coarse:])])
    return X, y + 0.05 * rng.standard_normal(len(y)), np.repeat(ORDER, [n_coarse, n_fine])


@pytest.fixture(scope="module")
def many():
    X, y, labels = drawn(2300)
    return MAST(order=ORDER, bounds=[[0, 1]] * 2).fit(X, y, fidelity=labels)


@pytest.fixture(scope="module")
def queries():
    return np.random.default_rng(5).uniform(0.02, 0.98, (500, 2))


def test_the_last_stage_is_made_by_the_tool_of_the_cheap_rows(many):
    first = many.stage1_["coarse"]
    assert isinstance(many.final_, ManyRows)
    assert type(many.final_.tool) is type(first.tool)
    np.testing.assert_array_equal(
        many.final_.tool.parameters.lengthscales, first.tool.parameters.lengthscales
    )


def test_intervals_hold_far_more_than_those_of_the_last_stage_alone(many, queries):
    mean, std = many.predict(queries, return_std=True)
    error = np.abs(mean - fine(queries))
    assert np.mean(error < 1.96 * std) > 0.8
    assert np.mean(error < 1.96 * np.sqrt(many.final_.predict(queries)[1])) < 0.5


def test_the_error_of_the_correction_is_part_of_the_variance(many, queries):
    own = many.final_.predict(queries)[1]
    total = many.predict_unit(queries)[1]
    np.testing.assert_allclose(total - own, many._blend_var(queries), rtol=1e-9)
    assert np.median(total / own) > 3.0


def test_more_cheap_rows_do_not_take_the_correction_for_granted(queries):
    """Twice as many cheap rows say nothing more about the expensive response."""
    widths = []
    for n in (2300, 9200):
        X, y, labels = drawn(n)
        X[n:], y[n:] = drawn(2300)[0][2300:], drawn(2300)[1][2300:]
        model = MAST(order=ORDER, bounds=[[0, 1]] * 2).fit(X, y, fidelity=labels)
        widths.append(np.median(model.predict(queries, return_std=True)[1]))
    assert widths[1] == pytest.approx(widths[0], rel=0.15)


def test_a_few_rows_are_fused_as_in_the_paper(queries):
    X, y, labels = drawn(60)
    model = MAST(order=ORDER).fit(X, y, fidelity=labels)
    assert isinstance(model.final_, GaussianProcess)
    assert not model._blends
    assert not averages_out(model.final_, GP())


def test_regressors_without_variances_leave_them_to_predictions():
    assert averages_out(object(), find_surrogate("bayesian-ridge"))


def test_two_cheap_fidelities_that_are_many_together_only():
    X, y, labels = drawn(2100)
    labels[:1050] = "rough"
    model = MAST(order=["rough", *ORDER]).fit(X, y, fidelity=labels)
    assert isinstance(model.stage1_["coarse"], GaussianProcess)
    assert isinstance(model.final_, ManyRows)
