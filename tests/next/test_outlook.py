"""Runs under way: the variance after them is that of a model that was given them."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp.next.beliefs import Belief
from mastgp.next.outlook import Outlook

NONE = np.zeros((0, 2)), np.zeros(0, dtype=np.intp)


@pytest.mark.filterwarnings("ignore::mastgp.RefitWarning")
def test_variances_are_those_of_an_updated_model(optimum_model, rng):
    belief = Belief(optimum_model)
    runs, levels = rng.random((3, 2)), np.array([0, 1, 0])
    outlook = Outlook(belief, runs, levels)
    Q = belief.at(rng.random((6, 2)), 1)
    names = np.array(["coarse", "fine"])[levels]
    believed = belief.mean(belief.at(runs, levels))
    grown = optimum_model.update(runs, believed, names)
    solved = outlook.explained(Q)
    left = belief.variance(Q) - (solved**2).sum(axis=0)
    mean, std = grown.predict(Q.U, return_std=True)
    np.testing.assert_allclose(left, std**2, rtol=1e-5, atol=1e-10)
    joint = outlook.of_process(0, Q)
    np.testing.assert_allclose(joint.var, std**2, rtol=1e-5, atol=1e-10)
    np.testing.assert_allclose(joint.mean, mean, atol=1e-6)


def test_without_runs_nothing_changes(drawn_model, rng):
    belief = Belief(drawn_model)
    outlook = Outlook(belief, *NONE)
    seen = belief.at(rng.random((4, 2)), 1)
    assert outlook.explained(seen).shape == (0, 4)
    np.testing.assert_allclose(outlook.of_process(0, seen).mean, seen.latents[0].mean)


def test_covariance_of_two_fidelities_at_one_point(optimum_model, rng):
    belief = Belief(optimum_model)
    U = rng.random((5, 2))
    top, cheap = belief.at(U, 1), belief.at(U, 0)
    runs = rng.random((2, 2))
    outlook = Outlook(belief, runs, np.array([0, 1]))
    dense = belief.covariance(top, cheap) - outlook.explained(top).T @ outlook.explained(cheap)
    np.testing.assert_allclose(outlook.between(0, top, cheap), dense.diagonal(), atol=1e-10)


def test_one_run_after_the_other_is_both_at_once(drawn_model, rng):
    belief = Belief(drawn_model)
    U, levels = rng.random((2, 2)), np.array([0, 1])
    both = Outlook(belief, U, levels)
    each = Outlook(belief, *NONE).with_run(U[0], 0).with_run(U[1], 1)
    seen = belief.at(rng.random((4, 2)), 1)
    one, other = ((o.explained(seen) ** 2).sum(axis=0) for o in (both, each))
    np.testing.assert_allclose(one, other, rtol=1e-10)
