from __future__ import annotations

import numpy as np
import pytest

import mastgp
from mastgp import CopiesWarning
from mastgp.auto import verdict
from mastgp.auto.verdict import (
    FidelityVerdict,
    Verdict,
    _errors,
    _verdict,
    judge,
)
from mastgp.auto.weights import DRAWS, blend_weights
from mastgp.check.heldout import folds_of, held_out
from mastgp.data.dataset import without_copies
from mastgp.models.single import SingleFidelity
from mastgp.progress import listening
from support import pair, truth


def data_of(X, y, labels, order=("coarse", "fine")):
    return SingleFidelity(order=order).fit(X, y, fidelity=labels).training_data_


def judged(data):
    return judge(data, without_copies(data))


@pytest.mark.parametrize(
    ("cheap", "words"),
    [
        (lambda X: truth(X) + 0.5 * X[:, 0], {"helps"}),
        (lambda X: -2.0 * truth(X) + 1.0, {"helps"}),
        (lambda X: np.random.default_rng(7).standard_normal(len(X)), {"is neutral", "hurts"}),
        (lambda X: np.cos(17 * X[:, 1] + 11 * X[:, 0]), {"is neutral", "hurts"}),
    ],
    ids=["useful", "anticorrelated", "noise", "unrelated"],
)
def test_verdict_on_known_truths(cheap, words):
    found = judged(data_of(*pair(np.random.default_rng(0), cheap, n_dear=14)))
    (entry,) = found.fidelities
    assert entry.word in words
    assert entry.low <= entry.gain <= entry.high
    assert str(found).startswith(f"coarse: {entry.word}")
    assert "14 held-out points" in entry.sentence
    assert found.together is None
    assert found.entries == found.fidelities


def misleading(X):
    """Waves that expensive points of `truth` know nothing of."""
    return 5.0 * np.sin(25 * X[:, 0]) * np.cos(25 * X[:, 1])


def test_cheap_data_that_mislead_hurt():
    X, y, labels = pair(np.random.default_rng(4), misleading)
    (entry,) = judged(data_of(X, y, labels)).fidelities
    assert entry.word == "hurts"
    assert entry.high < 0.0
    assert "would raise the error on fine points by about" in entry.sentence


def test_copies_of_expensive_rows_prove_nothing(rng):
    X = rng.random((12, 2))
    both = np.concatenate([X, X])
    data = data_of(both, truth(both), ["coarse"] * 12 + ["fine"] * 12)
    with pytest.warns(CopiesWarning, match="copies of 'fine' rows"):
        (entry,) = judged(data).fidelities
    assert entry.word == "is neutral"
    assert entry.sentence == "coarse: is neutral; it holds copies of the expensive rows only."


def test_differences_that_do_not_matter_are_no_help():
    """Fourteen points of a sine say all there is; noise beside them cannot help."""
    fine = np.linspace(0, 1, 14)
    for seed in range(3):
        noise = 100 * np.random.default_rng(seed).standard_normal(15)
        X = np.concatenate([np.linspace(0, 1, 15), fine])[:, None]
        y = np.concatenate([noise, np.sin(6 * fine)])
        found = judged(data_of(X, y, ["coarse"] * 15 + ["fine"] * 14))
        assert found.fidelities[0].word != "helps"


@pytest.mark.parametrize("alter", [lambda y: 2 * y + 1, lambda y: np.round(y, 5)])
def test_altered_copies_of_expensive_rows_prove_nothing(alter):
    X = np.random.default_rng(4).random((12, 2))
    y = np.concatenate([alter(truth(X)), truth(X)])
    found = judged(data_of(np.concatenate([X, X]), y, ["coarse"] * 12 + ["fine"] * 12))
    assert found.fidelities[0].word != "helps"


def test_sources_that_say_the_same_help_together():
    """Each is worth nothing beside the other."""
    rng = np.random.default_rng(5)
    X1, X2 = rng.random((40, 2)), rng.random((10, 2))
    cheap = truth(X1) + 0.3 * X1[:, 0]
    X = np.concatenate([X1, X1, X2])
    y = np.concatenate([cheap, cheap + 0.1, truth(X2)])
    labels = np.repeat(["one", "two", "fine"], [40, 40, 10])
    found = judged(data_of(X, y, labels, ["one", "two", "fine"]))
    first, second = found.fidelities
    assert "helps" not in (first.word, second.word)
    assert "the other cheap data given" in first.sentence
    assert found.together.word == "helps"
    assert "given" not in found.together.sentence
    assert str(found).splitlines()[-1].startswith("all cheap data: helps")
    assert found.entries == (first, second, found.together)


def test_a_cheap_source_that_says_nothing_is_neutral(rng):
    X, y, labels = pair(rng, lambda X: np.full(len(X), 3.0), n_cheap=15, n_dear=6)
    with pytest.warns(mastgp.ConstantTargetWarning):
        data = data_of(X, y, labels)
    assert "the same response everywhere" in str(judged(data))


def test_two_or_three_points_are_no_ground_for_a_verdict(rng):
    (entry,) = judged(data_of(*pair(rng, truth, n_cheap=20, n_dear=3))).fidelities
    assert entry.word == "cannot be judged"
    assert "fine points at 4 places, and there are 3" in entry.sentence


def test_without_models_there_is_no_verdict(rng, monkeypatch):
    monkeypatch.setattr(verdict, "fusing", list)
    data = data_of(*pair(rng, truth, n_cheap=20, n_dear=6))
    (entry,) = judge(data, data).fidelities
    assert entry.word == "cannot be judged"
    assert "could not be fitted" in entry.sentence


def test_a_large_change_that_is_not_sure_is_told():
    data = data_of(*pair(np.random.default_rng(0), truth, n_dear=6))
    gains = np.random.default_rng(1).normal(0.5, 0.5, 4000)
    entry = _verdict("coarse", data, gains)
    assert entry.word == "is neutral"
    assert "may change the error on fine points, by about -49%" in entry.sentence
    assert "too few to say" in entry.sentence


@pytest.mark.parametrize(
    ("gain", "word", "said"),
    [
        (0.4, "helps", "lowers the error on fine points by about 40%"),
        (0.04, "is neutral", "hardly changes the error"),
        (-0.04, "is neutral", "hardly changes the error"),
        (-0.5, "hurts", "would raise the error on fine points by about 50%"),
        (-20.0, "hurts", "would raise the error on fine points more than tenfold"),
    ],
)
def test_words_of_a_sure_change(gain, word, said):
    data = data_of(*pair(np.random.default_rng(0), truth, n_dear=6))
    entry = _verdict("coarse", data, np.full(100, gain))
    assert entry.word == word
    assert said in entry.sentence


def test_a_points_weights_are_from_other_folds(rng):
    """Ten expensive places in six folds, two runs at each."""
    X, y, labels = pair(rng, lambda X: truth(X) + X[:, 0], n_cheap=25, n_dear=10)
    dear = labels == "fine"
    X, labels = np.concatenate([X, X[dear]]), np.concatenate([labels, labels[dear]])
    y = np.concatenate([y, y[dear] + 0.2 * rng.standard_normal(10)])
    with pytest.warns(mastgp.DuplicateWarning):
        data = data_of(X, y, labels)
    models = [SingleFidelity(which).fit_data(data) for which in ("top", "cheapest")]
    folds = folds_of(data, at_most=6)
    assert len(folds) == 6
    checked = [held_out(model, folds) for model in models]
    densities = np.column_stack([c.log_density for c in checked])
    means = np.column_stack([c.mean for c in checked])
    expected = np.empty(20)
    for fold in folds:
        others = np.setdiff1d(np.arange(20), fold.rows)
        weights = blend_weights(densities[others], draws=DRAWS // 5)
        expected[fold.rows] = (means[fold.rows] @ weights - data.top.y[fold.rows]) ** 2
    np.testing.assert_allclose(_errors(models), expected)


def test_progress_is_told(rng):
    told = []
    data = data_of(*pair(rng, truth, n_cheap=12, n_dear=5))
    with listening(lambda what, *steps: told.append((what, *steps))):
        judged(data)
    assert told[-2:] == [("judging the cheap data", 0, 1), ("judging the cheap data", 1, 1)]


def test_a_verdict_reads_as_its_sentences():
    entry = FidelityVerdict("a", "helps", 0.3, 0.1, 0.5, "a: helps.")
    both = FidelityVerdict("all cheap data", "helps", 0.3, 0.1, 0.5, "all: help.")
    assert str(Verdict((entry,), both)) == "a: helps.\nall: help."
    assert str(Verdict(())) == ""
