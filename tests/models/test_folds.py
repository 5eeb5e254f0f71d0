from __future__ import annotations

import numpy as np
import pytest

from mastgp import MAST, DataError, MastWarning
from mastgp.check.heldout import held_out
from mastgp.models.cokriging import CoKriging
from mastgp.models.folds import Fold, fold_numbers, folds_of, predict_refitted
from mastgp.models.single import SingleFidelity
from support import truth


def one_fidelity(X, y=None):
    """Data of one fidelity."""
    y = np.sin(5 * X[:, 0]) if y is None else y
    return CoKriging(structure="top-only", warp=None).fit(X, y).training_data_


def test_every_expensive_row_is_held_out_once(rng):
    for n, n_folds in ((9, 9), (29, 29), (30, 10), (47, 10)):
        folds = folds_of(one_fidelity(rng.random((n, 1))))
        assert len(folds) == n_folds
        rows = np.concatenate([fold.rows for fold in folds])
        np.testing.assert_array_equal(np.sort(rows), np.arange(n))
        for fold in folds:
            assert len(fold.rest.top.y) == n - len(fold.rows)
        sizes = [len(fold.rows) for fold in folds]
        assert max(sizes) - min(sizes) <= 1


@pytest.mark.filterwarnings("ignore::mastgp.FewPointsWarning")
def test_fewer_folds_on_request(rng):
    assert len(folds_of(one_fidelity(rng.random((20, 1))), at_most=6)) == 6
    assert len(folds_of(one_fidelity(rng.random((4, 1))), at_most=6)) == 4


def test_what_is_held_out_is_not_in_the_rest(rng):
    data = one_fidelity(rng.random((12, 2)))
    for fold in folds_of(data):
        held = {tuple(x) for x in data.top.X[fold.rows]}
        assert not held & {tuple(x) for x in fold.rest.top.X}


def test_repeats_are_held_out_together(rng):
    """Two runs at each place: predicting one from the other would be no test."""
    X = np.repeat(rng.random((6, 1)), 2, axis=0)
    y = np.sin(12 * X[:, 0]) + 0.01 * rng.standard_normal(12)
    with pytest.warns(MastWarning, match="repeat the inputs"):
        model = MAST().fit(X, y)
    assert all(len(fold.rows) == 2 for fold in folds_of(model.training_data_))
    checked = held_out(model)
    assert checked.n_folds == 6
    assert checked.one_at_a_time
    assert checked.rmse > 0.1


def test_numbers_of_folds(rng):
    data = one_fidelity(rng.random((8, 1)))
    rows = (np.array([3, 1]), np.array([0, 2, 4]), np.array([5, 7, 6]))
    numbers = fold_numbers([Fold(part, data) for part in rows], 8)
    np.testing.assert_array_equal(numbers, [1, 0, 1, 0, 1, 2, 2, 2])


def test_folds_share_nothing_with_each_other(rng):
    folds = folds_of(one_fidelity(rng.random((5, 1))))
    assert len({id(fold.shared) for fold in folds}) == 5


def test_one_expensive_point_or_place_cannot_be_held_out(rng):
    with pytest.warns(MastWarning):
        model = MAST().fit([[1.0]], [2.0])
    with pytest.raises(DataError, match="nothing to check predictions with"):
        held_out(model)
    with pytest.warns(MastWarning):
        model = MAST().fit([[1.0]] * 4, [2.0, 2.1, 2.2, 2.3])
    with pytest.raises(DataError, match="at one place: nothing can be left out"):
        held_out(model)


def test_refits_predict_noisy_observations(rng):
    """The mean of a refit without the fold, and its variance with the noise that it learned."""
    X = rng.random((9, 2))
    model = SingleFidelity().fit(X, truth(X))
    folds = folds_of(model.training_data_)
    predicted = predict_refitted(model, folds)
    refitted = model.refit(folds[3].rest)
    rows = folds[3].rows
    held_out_X = model.training_data_.top.X[rows]
    mean, var = refitted.predict_unit(model.training_data_.box.to_unit(held_out_X))
    np.testing.assert_array_equal(predicted.mean[rows], mean)
    np.testing.assert_array_equal(predicted.variance[rows], var + refitted.noise_var_)
