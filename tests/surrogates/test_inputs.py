from __future__ import annotations

import numpy as np
import pytest

from mastgp import MAST, DataError, load
from mastgp.data.levels import Category
from mastgp.gp import Categorical
from mastgp.surrogates import GP
from mastgp.surrogates.choice import find_surrogate
from mastgp.surrogates.inputs import OneHot, for_inputs
from mixed import COSTS, mixed_dataset, queries, response

CATEGORIES = (Category(1, "material", ("al", "steel", "ti")),)


def test_without_categories_a_surrogate_stays_itself():
    gp = GP()
    assert for_inputs(gp, ()) is gp


def test_processes_learn_where_levels_lie():
    gp = GP(categories="exchangeable")
    bound = for_inputs(gp, CATEGORIES)
    model = bound.model(3, learn_noise=True, warp=True)
    assert model.categories == (Categorical(1, 3, "exchangeable"),)
    assert gp.inputs == ()
    with pytest.raises(DataError, match="unknown categories 'ordinal'; choose one of 'latent'"):
        GP(categories="ordinal").model(1, learn_noise=True, warp=False)


def test_other_regressors_get_a_column_for_each_level():
    surrogate = for_inputs(find_surrogate("bayesian-ridge"), CATEGORIES)
    assert isinstance(surrogate, OneHot)
    assert surrogate.takes_noise is surrogate.surrogate.takes_noise
    X = np.column_stack([np.linspace(0, 1, 30), np.tile([0.0, 0.5, 1.0], 10)])
    y = np.array([3.0, 1.0, 2.0])[np.rint(2 * X[:, 1]).astype(int)]
    fitted = surrogate.fit(X, y)
    np.testing.assert_allclose(fitted.predict(X)[0], y, atol=0.01)  # no line through codes


@pytest.mark.parametrize("surrogate", ["extra-trees", "bayesian-ridge"])
def test_mast_of_other_regressors(surrogate, tmp_path):
    model = MAST(COSTS, surrogate=surrogate, random_state=0).fit_data(mixed_dataset())
    at = queries()
    truth = response(at)
    assert np.sqrt(np.mean((model.predict(at) - truth) ** 2)) < 0.8 * truth.std()
    model.save(tmp_path / "m.mast")
    np.testing.assert_array_equal(load(tmp_path / "m.mast").predict(at), model.predict(at))
