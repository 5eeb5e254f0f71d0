from __future__ import annotations

import numpy as np
import pytest

from mastgp.gp import GaussianProcess
from mastgp.gp.layout import Layout
from mastgp.gp.likelihood import Objective
from mastgp.surrogates.many import exact
from mastgp.surrogates.many.exact import from_part
from mastgp.surrogates.many.learning import plain_model
from mastgp.surrogates.many.rows import Rows


def rows_of(rng, n, noise_var=None, noise=0.1):
    X = rng.random((n, 3))
    y = np.sin(9.0 * X[:, 0]) + X[:, 1] ** 2 + noise * rng.standard_normal(n)
    return Rows(X, (y - y.mean()) / y.std(), noise_var)


@pytest.fixture
def small_part(monkeypatch):
    """A part so small that the optimum of all rows is elsewhere."""
    monkeypatch.setattr(exact, "N_PART", 150)


def test_it_ends_where_a_search_among_all_rows_would(rng, small_part):
    rows = rows_of(rng, 600)
    learned = from_part(rows)
    whole = GaussianProcess.fit(learned.model, rows.X, rows.y, y_scale=1.0)
    part = GaussianProcess.fit(learned.model, rows.X[:150], rows.y[:150], y_scale=1.0)
    objective, layout = Objective(learned.model, rows.observations), Layout(learned.model)
    least, there, began = (
        len(rows) * objective(layout.pack(p))[0]
        for p in (whole.parameters, learned.parameters, part.parameters)
    )
    assert began - least > 1.0
    assert there - least < 0.25 * (began - least)


def test_a_response_with_corners_gets_the_rougher_kernel(rng, small_part):
    X = rng.random((500, 1))
    y = np.abs(X[:, 0] - 0.4) + np.abs(np.sin(11.0 * X[:, 0]))
    rows = Rows(X, (y - y.mean()) / y.std())
    learned = from_part(rows)
    assert learned.model.components[0].kernel == "matern52"


def test_noise_that_is_known_is_not_learned(rng, small_part):
    rows = rows_of(rng, 300, np.full(300, 0.01))
    learned = from_part(rows)
    assert learned.parameters.noise_var.size == 0


def test_few_rows_are_searched_as_they_are(rng):
    rows = rows_of(rng, 150)
    learned = from_part(rows)
    model = learned.model
    whole = GaussianProcess.fit(model, rows.X, rows.y, y_scale=1.0, tolerance=exact.TOLERANCE)
    np.testing.assert_array_equal(learned.parameters.lengthscales, whole.parameters.lengthscales)


def test_a_search_can_be_stopped_at_any_evaluation(rng, small_part):
    calls = []

    def stop():
        calls.append(1)
        if len(calls) == 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        from_part(rows_of(rng, 400), stop)


class Bowl:
    """A quadratic objective with a wall where matrices cannot be factorised."""

    def __init__(self, wall=np.inf):
        self.layout = Layout(plain_model(1, "rbf", False))
        self.least = self.layout.start() + 0.2
        self.data = Rows(np.zeros((1000, 1)), np.zeros(1000))
        self.wall, self.seen = wall, []

    def __call__(self, theta):
        from mastgp.gp.linalg import NotPositiveDefiniteError

        away = theta - self.least
        self.seen.append(np.abs(away).max())
        if away[0] > self.wall:
            raise NotPositiveDefiniteError("a wall")
        return 0.5 * float(away @ away), away


def test_one_step_is_enough_where_the_curvature_is_right():
    bowl = Bowl()
    curvature = exact._Curvature.of(bowl, bowl.layout.start())
    found = exact._newton(bowl, bowl.layout.start(), curvature, None)
    np.testing.assert_allclose(found, bowl.least, atol=1e-9)


def test_a_step_that_leads_uphill_is_taken_back_and_the_next_is_shorter():
    bowl = Bowl()
    flat = exact._Curvature(0.2 * np.eye(len(bowl.least)))
    start = bowl.layout.start()
    found = exact._newton(bowl, start, flat, None)
    assert bowl.seen[1] == pytest.approx(0.5)
    assert bowl(found)[0] < 0.01 * bowl(start)[0]


def test_a_step_into_what_cannot_be_factorised_is_taken_back():
    bowl = Bowl(wall=0.1)
    flat = exact._Curvature(0.2 * np.eye(len(bowl.least)))
    found = exact._newton(bowl, bowl.layout.start(), flat, None)
    assert found[0] - bowl.least[0] <= 0.1


def test_steps_teach_how_the_objective_bends():
    rng = np.random.default_rng(1)
    A = rng.standard_normal((4, 4))
    A = A @ A.T + np.eye(4)
    curvature = exact._Curvature(np.eye(4))
    step = rng.standard_normal(4)
    learned = curvature.seen(step, A @ step)
    np.testing.assert_allclose(learned.step(A @ step), -step)
    assert curvature.seen(step, -step) is curvature
