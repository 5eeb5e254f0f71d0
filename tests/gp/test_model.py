from __future__ import annotations

import numpy as np
import pytest

from gp.structures import co_kriging, shared_plus_bias, single
from mastgp.gp import Component, Model, without_priors
from mastgp.gp.model import MEAN_VAR
from mastgp.gp.priors import Flat, Gamma, lengthscale_prior


@pytest.mark.parametrize("bad", [{"kernel": "cubic"}, {"loadings": (1.0, 1.0), "factors": ((),)}])
def test_impossible_components_are_refused(bad):
    with pytest.raises(ValueError, match=r"kernel|factors"):
        Component(**bad)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"means": "median"}, "means"),
        ({"factor_starts": (1.0,)}, "starts"),
        ({"components": (Component((1.0, 1.0)), Component((1.0,)))}, "loading for each group"),
    ],
)
def test_impossible_models_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        Model(2, **wrong)


def test_a_model_counts_its_groups_and_factors():
    model = co_kriging(2, "rbf", warp=False, learn_noise=True)
    assert (model.n_groups, model.n_factors) == (3, 2)
    assert (Model(2).n_groups, Model(2).n_factors) == (1, 0)


def test_loadings_are_skipped_only_where_all_are_one():
    assert single(1, "rbf", False, True).unit_loadings
    assert not shared_plus_bias(1, "rbf", False, True).unit_loadings
    assert not Model(1, (Component((1.0, 1.0), ((), (0,))),)).unit_loadings


def test_uncertain_means_belong_to_a_group_or_to_all():
    first, second = np.array([0, 1]), np.array([0, 0, 1])
    components = (Component((1.0, 1.0)),)
    same = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    for means, expected in (
        ("profiled", 0 * same),
        ("own", MEAN_VAR * same),
        ("shared", np.full((2, 3), MEAN_VAR)),
    ):
        model = Model(1, components, means=means)
        np.testing.assert_array_equal(model.mean_covariance(first, second), expected)
        assert model.mean_var == (0.0 if means == "profiled" else MEAN_VAR)


def test_without_priors_all_are_flat_and_start_where_they_did():
    model = Model(3, (Component(), Component(lengthscale_prior=Gamma(3.0, 6.0))))
    flat = without_priors(model)
    starts = [component.lengthscale_prior for component in flat.components]
    assert starts == [Flat(lengthscale_prior(3).start), Flat(Gamma(3.0, 6.0).start)]
    assert [c.scale_prior for c in flat.components] == [
        Flat(model.components[0].scale_prior.start)
    ] * 2
    for name in ("noise_prior", "warp_prior", "factor_prior"):
        assert getattr(flat, name) == Flat(getattr(model, name).start)
