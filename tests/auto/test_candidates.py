from __future__ import annotations

import pytest

from mastgp.auto.candidates import default_candidates
from mastgp.models.single import SingleFidelity
from mastgp.surrogates import GP


@pytest.mark.parametrize(("n_levels", "number"), [(1, 2), (2, 9), (3, 10)])
def test_candidates_have_names_of_their_own(n_levels, number):
    names = [c.name for c in default_candidates(n_levels)]
    assert len(set(names)) == len(names) == number


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


def test_one_fidelity_has_candidates_that_need_no_other():
    candidates = list(default_candidates(1))
    assert not any(c.estimator.uses_cheap_data for c in candidates)
    alone = {c.name: c.estimator for c in candidates}["expensive alone"]
    assert repr(alone) == repr(SingleFidelity())


def test_a_common_bias_takes_three_fidelities():
    assert not any(c.name.startswith("common-bias") for c in default_candidates(2))
    assert any(c.name.startswith("common-bias") for c in default_candidates(3))


@pytest.mark.parametrize(("n_levels", "more"), [(1, 1), (2, 2)])
def test_categories_have_candidates_whose_levels_are_all_alike(n_levels, more):
    usual, found = (list(default_candidates(n_levels, c)) for c in (False, True))
    added = found[len(usual) :]
    assert len(added) == more
    assert all(c.estimator.categories == "exchangeable" for c in added)
    assert all("exchangeable" in c.name for c in added)
