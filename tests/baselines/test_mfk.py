"""SMT's MFK behind the estimator's interface."""

from __future__ import annotations

import numpy as np
import pytest

from library_support import (
    SEED,
    Q,
    assert_same_numbers,
    build,
    doubled,
    linear,
    needs_smt,
    quiet_and_alone,
    relative_error,
    table,
)
from mastgp import DataError
from mastgp.baselines.mfk import MFK
from mastgp.errors import FitWarning

pytestmark = needs_smt


def direct_mfk(X, y, level):
    from smt.applications.mfk import MFK as SMT

    model = SMT(
        theta0=[1.0], n_start=2, eval_noise=True, noise0=[1e-4], noise_bounds=[1e-8, 10.0],
        hyper_opt="Cobyla", print_global=False, seed=SEED,
    )  # fmt: skip
    model.set_training_values(X[level == 0], y[level == 0], name=0)
    model.set_training_values(X[level == 1], y[level == 1])
    model.train()
    noise = model.optimal_noise_all[1] * model.optimal_par[1]["sigma2"]
    return model.predict_values(Q), model.predict_variances(Q), noise


def test_the_numbers_are_the_librarys_own():
    X, y, labels = table()
    model = build(MFK).fit(X, y, fidelity=labels)
    with quiet_and_alone():
        numbers = direct_mfk(X, y, (labels == "fine").astype(float))
    assert_same_numbers(model, numbers)


@pytest.mark.parametrize("top", [linear, doubled])
def test_linear_relation_is_recovered(top):
    X, y, labels = table(top)
    assert relative_error(build(MFK).fit(X, y, fidelity=labels), top) < 1e-3


def test_mfk_names_the_fidelity_that_is_too_small():
    X, y, labels = table()
    few = np.r_[0:18, 18, 22]
    with (
        pytest.warns(match="only 2 point"),
        pytest.raises(DataError, match=r"fidelity 'fine' has 2 point.* at least 3"),
    ):
        build(MFK).fit(X[few], y[few], fidelity=labels[few])


def test_mfk_says_what_smt_cannot_do():
    X, y, labels = table()
    with (
        pytest.warns(match="is 1 in every row"),
        pytest.raises(DataError, match="SMT cannot model these data: F is too ill conditioned"),
    ):
        build(MFK).fit(X, np.where(labels == "coarse", 1.0, y), fidelity=labels)


def test_mfk_says_that_known_noise_is_not_used():
    X, y, labels = table()
    with pytest.warns(FitWarning, match="known noise of fidelity 'fine' is not used: MFK"):
        build(MFK, noise_std={"fine": 0.1}).fit(X, y, fidelity=labels)
