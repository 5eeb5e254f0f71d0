from __future__ import annotations

import numpy as np
import pytest

from mastgp import MAST
from mastgp.auto.candidates import default_candidates, ignore_neighbours, mast_variants
from mastgp.models.single import SingleFidelity
from mastgp.surrogates import GP
from support import COSTS


@pytest.mark.parametrize(("n_levels", "least"), [(1, 4), (2, 18), (3, 20)])
def test_candidates_have_names_of_their_own(n_levels, least):
    names = [c.name for c in (*default_candidates(n_levels), *mast_variants())]
    assert len(names) - len(list(mast_variants())) >= least
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("n_levels", [1, 2, 3])
def test_names_say_what_the_candidates_are(n_levels):
    for candidate in default_candidates(n_levels):
        options = candidate.estimator.get_params(deep=False)
        assert not candidate.added
        assert ("warped" in candidate.name) == (
            options.get("warp") == "kumaraswamy" and candidate.name != "mast"
        )
        matern = options.get("kernel") == "matern52" or (
            isinstance(options.get("surrogate"), GP) and options["surrogate"].kernel == "matern52"
        )
        assert ("matern" in candidate.name) == matern
        assert ("smooth bias" in candidate.name) == (options.get("priors") == "botorch")


def test_one_fidelity_has_candidates_that_need_no_other():
    candidates = list(default_candidates(1))
    assert not any(c.estimator.uses_cheap_data for c in candidates)
    alone = {c.name: c.estimator for c in candidates}["expensive alone"]
    assert repr(alone) == repr(SingleFidelity())


def test_a_common_bias_takes_three_fidelities():
    assert not any(c.name.startswith("common-bias") for c in default_candidates(2))
    assert any(c.name.startswith("common-bias") for c in default_candidates(3))


def test_variants_are_masts_own():
    variants = {c.name: c.estimator for c in mast_variants()}
    assert all(isinstance(estimator, MAST) for estimator in variants.values())
    assert variants["mast, mahalanobis"].metric == "mahalanobis"
    assert variants["mast, triangular"].weight == "triangular"


def test_not_blended_means_full_trust_and_hf_only_none(two_fidelities):
    """W = 1: the cheap values, corrected. The paper's W9 is the opposite."""
    X, y, labels, _ = two_fidelities
    (variant,) = (c.estimator for c in mast_variants() if c.name == "mast, not blended")
    assert variant.weight is ignore_neighbours
    cheap = labels == "coarse"
    table = variant.set_params(costs=COSTS).fit(X, y, fidelity=labels).augmented_[cheap]
    assert (table["trust"] == 1.0).all()
    np.testing.assert_array_equal(table["y_corrected"], table["y"] + table["discrepancy"])
    assert not np.allclose(table["y_corrected"], table["top_mean"])
    ninth = MAST(COSTS, weight="hf-only").fit(X, y, fidelity=labels).augmented_[cheap]
    assert (ninth["trust"] == 0.0).all()
    np.testing.assert_array_equal(ninth["y_corrected"], ninth["top_mean"])
