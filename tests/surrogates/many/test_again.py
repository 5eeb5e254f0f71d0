from __future__ import annotations

import numpy as np
import pytest

from mastgp.data.levels import Category
from mastgp.surrogates.many.additive import AdditiveSums
from mastgp.surrogates.many.again import fit_like
from mastgp.surrogates.many.fitted import ManyReport, ManyRows, fit_many
from mastgp.surrogates.many.learning import Learned, from_neighbours
from mastgp.surrogates.many.rows import shuffled
from mastgp.surrogates.many.tools import (
    Trended,
    fit_boosted,
    fit_exact,
    fit_inducing,
    fit_neighbours,
    left_by,
)

KINDS = ("inducing", "trended", "neighbours", "exact", "additive", "boosting")


def response(X):
    return np.sin(5 * X[:, 0]) + X[:, 1] ** 2


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    X = rng.random((900, 2))
    return X, 10 + 4 * response(X) + 0.2 * rng.standard_normal(900)


@pytest.fixture(scope="module")
def learned(rows):
    return from_neighbours(shuffled(*rows, None)[0], "rbf")


def model_by(kind: str, rows, learned: Learned) -> ManyRows:
    standardised, units = shuffled(*rows, None)
    splines = AdditiveSums(standardised).model(1e-5, 0.01)
    tool = {
        "inducing": lambda: fit_inducing(learned, standardised, 60),
        "trended": lambda: Trended(
            splines, fit_inducing(learned, left_by(splines, standardised), 60)
        ),
        "neighbours": lambda: fit_neighbours(learned, standardised, 80),
        "exact": lambda: fit_exact(learned, standardised),
        "additive": lambda: splines,
        "boosting": lambda: fit_boosted(standardised, splines),
    }[kind]()
    report = ManyReport(900, kind, 0, 0.99, {kind: 0.2}, {kind: 1.0}, total=5000)
    return ManyRows(tool, units, np.full(900, 0.04), 0.01, report)


@pytest.mark.parametrize("kind", KINDS)
def test_another_response_is_modelled_by_the_same_tool(kind, rows, learned):
    fitted = model_by(kind, rows, learned)
    X, y = rows
    shifted = fit_like(fitted, X, 3 * y - 50, np.full(900, 9 * 0.04))
    assert type(shifted.tool) is type(fitted.tool)
    assert shifted.report_of_choice.total is None
    assert shifted.extra == 0.0
    Q = np.random.default_rng(4).uniform(0.1, 0.9, (200, 2))
    truth = 3 * (10 + 4 * response(Q)) - 50
    mean, var = shifted.predict(Q)
    assert np.sqrt(np.mean((mean - truth) ** 2)) < 0.5
    assert (var >= 0).all()


@pytest.mark.parametrize("kind", ["inducing", "neighbours", "exact"])
def test_the_same_rows_give_the_same_predictions(kind, rows, learned):
    """With the noise that had been learned."""
    fitted = model_by(kind, rows, learned)
    noise = learned.parameters.noise_var[0] * fitted.units.scale**2
    again = fit_like(fitted, *rows, np.full(900, noise))
    Q = np.random.default_rng(4).uniform(0.1, 0.9, (50, 2))
    np.testing.assert_allclose(again.predict(Q)[0], fitted.predict(Q)[0], rtol=1e-6)


def test_rows_of_large_variance_hardly_count(rows, learned):
    X, y = rows
    fitted = model_by("inducing", rows, learned)
    wrong = X[:, 0] > 0.5
    y = np.where(wrong, y + 100.0, y)
    mean, _ = fit_like(fitted, X, y, np.where(wrong, 1e6, 0.04)).predict(X[~wrong])
    assert np.abs(mean - 10 - 4 * response(X[~wrong])).mean() < 0.2


def test_levels_of_categories_have_columns_again():
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.random(2200), rng.integers(0, 2, 2200)])
    y = np.sin(5 * X[:, 0]) * (1 + X[:, 1]) + 0.05 * rng.standard_normal(2200)
    fitted = fit_many(X, y, None, [Category(1, "kind", ("a", "b"))])
    mean, _ = fit_like(fitted, X, 2 * y, np.full(2200, 0.01)).predict(X)
    assert np.sqrt(np.mean((mean - 2 * y) ** 2)) < 0.2
