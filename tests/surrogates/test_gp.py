"""The engine's Gaussian process as a stage."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp import MAST, DataError
from mastgp.gp import GaussianProcess, Model, target_scale
from mastgp.models.trust import trust_in
from mastgp.surrogates import GP, Hints, as_surrogate
from support import COSTS


@pytest.mark.parametrize("surrogate", ["gp", GP(), ("gp", GP(), "gp")])
def test_gp_through_the_protocol_is_the_direct_path_to_the_last_bit(two_fidelities, surrogate):
    """The three stages written out with the engine alone."""
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, surrogate=surrogate).fit(X, y, fidelity=labels)
    cheap, top = model.training_data_.fidelities
    U, V = (model.training_data_.unit(fidelity) for fidelity in (cheap, top))

    def fit(X, y, noise_var=None, warp=False):
        form = Model(X.shape[1], learn_noise=noise_var is None, warp=warp)
        return GaussianProcess.fit(form, X, y, noise_var=noise_var, y_scale=target_scale(y))

    gp_cheap, gp_top = fit(U, cheap.y), fit(V, top.y)
    at_top, at_own = gp_cheap.predict(V), gp_cheap.predict(U)
    pooled = np.concatenate([np.column_stack(at_top), np.column_stack(at_own)])
    low, span = pooled.min(axis=0), np.ptp(pooled, axis=0)
    delta = fit(np.hstack([V, (np.column_stack(at_top) - low) / span]), top.y - at_top[0])
    delta_mean, delta_var = delta.predict(np.hstack([U, (np.column_stack(at_own) - low) / span]))
    top_mean, top_var = gp_top.predict(U)
    W = trust_in(U, V, 0.5).value
    mean = W * (cheap.y + delta_mean) + (1.0 - W) * top_mean
    var = W**2 * (gp_cheap.noise_var + delta_var) + (1.0 - W) ** 2 * top_var
    final = fit(
        np.concatenate([U, V]),
        np.concatenate([mean, top.y]),
        np.concatenate([np.maximum(var, delta.noise_var[0]), gp_top.noise_var]),
        warp=True,
    )
    got_mean, got_std = model.predict(X, return_std=True)
    expected_mean, expected_var = final.predict(model.training_data_.box.to_unit(X))
    np.testing.assert_array_equal(got_mean, expected_mean)
    np.testing.assert_array_equal(got_std, np.sqrt(expected_var))


@pytest.fixture
def smooth(rng):
    X = rng.random((20, 2))
    return X, np.sin(5 * X[:, 0]) + X[:, 1]


def hints(evaluations, **more):
    """Hints of a plain stage; the list gets an entry for every evaluation."""
    random = np.random.RandomState(0)
    return Hints(False, 1.0, lambda: evaluations.append(1), random, **more)


def test_a_search_begins_where_an_earlier_one_ended(smooth):
    X, y = smooth
    cold, warm = [], []
    before = GP().fit_stage(X, y, None, hints(cold))
    again = GP().fit_stage(X, y, None, hints(warm, before=before))
    assert len(warm) < len(cold)
    np.testing.assert_allclose(again.predict(X)[0], before.predict(X)[0], atol=1e-3)


def test_what_another_model_found_is_no_start(smooth):
    X, y = smooth
    cold, other = [], []
    fitted = GP().fit_stage(X, y, None, hints(cold))
    rough = GP("matern52").fit_stage(X, y, None, hints([]))
    again = GP().fit_stage(X, y, None, hints(other, before=rough))
    assert len(other) == len(cold)
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


def test_kernel_and_priors_are_those_of_the_engine(smooth):
    X, y = smooth
    assert GP("matern52").fit(X, y).model.components[0].kernel == "matern52"
    with_priors, without = GP().fit(X, y), GP(priors=False).fit(X, y)
    assert not np.allclose(with_priors.lengthscales, without.lengthscales, rtol=1e-3)
    with pytest.raises(DataError, match="unknown kernel 'cubic'; choose one of 'rbf'"):
        GP("cubic").fit(X, y)


@pytest.mark.parametrize("warp", [False, True])
@pytest.mark.parametrize("noise_var", [None, 0.01])
def test_state_restores_the_stage(smooth, warp, noise_var):
    X, y = smooth
    given = None if noise_var is None else np.full(len(y), noise_var)
    fitted = GP().fit(X, y, given, warp=warp)
    again = GP().restore(GP().state_of(fitted))
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


def test_only_gps_are_accepted_where_a_gp_is_needed():
    own = GP("matern52")
    assert as_surrogate(own) is own
    assert as_surrogate("gp").get_params() == GP().get_params()
    with pytest.raises(DataError, match="unknown surrogate 'extra-trees'; use 'gp'"):
        as_surrogate("extra-trees")
