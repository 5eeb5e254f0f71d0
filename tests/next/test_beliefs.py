"""The joint belief: the model's own predictions at the top, dense formulas everywhere."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from mastgp import DataError
from mastgp.models import MAST, CoKriging, SingleFidelity
from mastgp.models.continuing import scaled
from mastgp.next.accuracy import Accuracy
from mastgp.next.beliefs import Belief, thinned
from mastgp.next.outlook import Outlook
from next.fitted import COSTS, bowl_data


@pytest.mark.parametrize("name", ["optimum_model", "drawn_model", "log_model", "single_model"])
def test_the_belief_about_the_top_is_the_models_prediction(request, rng, name):
    model = request.getfixturevalue(name)
    U = rng.random((12, 2))
    belief = Belief(model)
    seen = belief.at(U, belief.top)
    mean, std = model.predict(U, return_std=True)
    np.testing.assert_allclose(belief.mean(seen), mean, rtol=1e-9)
    # A transformed response's variance is linear in that of its logarithm, to first order.
    tolerance = 0.05 if name == "log_model" else 1e-6
    np.testing.assert_allclose(belief.variance(seen), std**2, rtol=tolerance)


def test_the_joint_covariance_is_the_average_plus_the_disagreement(drawn_model, rng):
    belief = Belief(drawn_model, most=100)
    U, levels = rng.random((8, 2)), np.arange(8) % 2
    seen = belief.at(U, levels)
    posterior = drawn_model.posterior_
    expected = posterior.cross_covariance(U, levels, U, levels)
    np.testing.assert_allclose(belief.covariance(seen, seen), expected, atol=1e-10)
    np.testing.assert_allclose(belief.variance(seen), expected.diagonal(), rtol=1e-6, atol=1e-12)
    noise = belief.observed_variance(seen) - belief.variance(seen)
    own = [np.mean(posterior.noise_var[posterior.processes[0].groups == g]) for g in (0, 1)]
    np.testing.assert_allclose(noise, np.array(own)[levels], rtol=1e-6)


def test_the_disagreement_of_members_counts_as_variance(optimum_model, rng):
    """Also in what a run is expected to bring: it is worth more where members disagree."""
    X, y, labels = bowl_data()
    other = CoKriging(costs=COSTS, inference="map", bounds=[[0, 1], [0, 1]])
    other.fit(X, y + np.where(X[:, 0] > 0.7, X[:, 0] - 0.7, 0.0), labels)
    members = [optimum_model, other]
    parts = [part for member in members for part in scaled(member.parts(), 0.5)]
    blend = SimpleNamespace(
        training_data_=optimum_model.training_data_, calibration_=1.0, parts=lambda: parts
    )
    belief, U = Belief(blend), np.array([[0.95, 0.5], [0.2, 0.5]])
    seen = belief.at(U, belief.top)
    (a, s), (b, t) = (member.predict(U, return_std=True) for member in members)
    between = 0.25 * (a - b) ** 2
    np.testing.assert_allclose(belief.variance(seen), 0.5 * (s**2 + t**2) + between, rtol=1e-6)
    assert between[0] > 10 * between[1]
    references = belief.at(rng.random((50, 2)), belief.top)
    none = np.zeros((0, 2)), np.zeros(0, dtype=np.intp)
    gains = Accuracy(Outlook(belief, *none), references, np.ones(50)).gains(U, 1)
    assert gains[0] > 3 * gains[1]


def test_covariances_are_symmetric_and_positive(log_model, rng):
    belief = Belief(log_model)
    seen = belief.at(rng.random((10, 2)), np.arange(10) % 2)
    cov = belief.covariance(seen, seen)
    np.testing.assert_allclose(cov, cov.T, rtol=1e-9)
    assert np.linalg.eigvalsh(cov).min() > -1e-9 * cov.trace()


def test_a_model_of_the_expensive_points_says_nothing_of_the_cheap(single_model, rng):
    belief = Belief(single_model)
    assert belief.informs(1)
    assert not belief.informs(0)
    cheap = belief.at(rng.random((3, 2)), 0)
    top = belief.at(rng.random((2, 2)), 1)
    assert (belief.covariance(cheap, top) == 0).all()
    assert np.isinf(belief.observed_variance(cheap)).all()


def test_a_method_without_covariance_gets_a_companion(rng):
    model = MAST(costs=COSTS).fit(*bowl_data())
    belief = Belief(model)
    assert belief.informs(0)
    seen = belief.at(rng.random((4, 2)), 1)
    means = model.mean_unit(seen.U), belief.shares @ seen.means / 0.5
    np.testing.assert_allclose(belief.mean(seen), 0.5 * (means[0] + means[1]))
    assert (belief.variance(seen) >= 0.25 * 0.99 * (means[0] - means[1]) ** 2).all()


def test_a_model_of_the_cheapest_fidelity_is_refused():
    model = SingleFidelity("cheapest", costs=COSTS).fit(*bowl_data())
    with pytest.raises(DataError, match="does not predict 'fine'"):
        Belief(model)


def test_thinning_keeps_the_shares(drawn_model):
    parts = drawn_model.parts()
    few = thinned(parts, 4)
    assert len(few) <= 4
    assert sum(part.share for part in few) == pytest.approx(sum(p.share for p in parts))
    heavy = [replace(parts[0], share=0.97), *(replace(p, share=0.006) for p in parts[1:])]
    assert thinned(heavy, 4)[0].process is parts[0].process
    assert thinned([], 4) == []


def test_calibration_widens_everything(optimum_model, rng):
    from copy import copy

    wide = copy(optimum_model)
    wide.calibration_ = 2.0
    U = rng.random((5, 2))
    narrow, twice = Belief(optimum_model), Belief(wide)
    a, b = narrow.at(U, 1), twice.at(U, 1)
    np.testing.assert_allclose(twice.variance(b), 4 * narrow.variance(a))
