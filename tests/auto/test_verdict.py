from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import mastgp
from mastgp import CopiesWarning
from mastgp.auto.candidates import Candidate, default_candidates
from mastgp.auto.trying import Trials, Tried
from mastgp.auto.verdict import (
    FidelityVerdict,
    Verdict,
    _errors,
    _is_cheap,
    _verdict,
    _without_rows,
    judge,
)
from mastgp.auto.weights import DRAWS, blend_weights
from mastgp.check.heldout import HeldOut, held_out
from mastgp.check.validation import ALONE
from mastgp.data.copies import without_copies
from mastgp.gp.distributions import Mixture, Normal
from mastgp.models.cokriging import CoKriging
from mastgp.models.fire import FIRE
from mastgp.models.single import SingleFidelity
from mastgp.progress import listening
from support import pair, truth


def data_of(X, y, labels, order=("coarse", "fine")):
    return SingleFidelity(order=order).fit(X, y, fidelity=labels).training_data_


def tried(data, candidates=None):
    trials = Trials(without_copies(data))
    trials.add(list(default_candidates(len(data.fidelities)) if candidates is None else candidates))
    return trials


#: Enough models for a verdict, and quick ones.
FEW_MODELS = [
    Candidate("ar1, warped", CoKriging(n_draws=8)),
    Candidate(ALONE, SingleFidelity()),
]


@dataclass(frozen=True)
class Pretended:
    """A model of which nothing is known but whether it uses the cheap data."""

    uses_cheap_data: bool


def pretended(errors, n_dear=12, rng_seed=0):
    """Trials of models that err as told: name to the standard deviation of its errors."""
    data = data_of(*pair(np.random.default_rng(0), truth, n_cheap=n_dear, n_dear=n_dear))
    rng = np.random.default_rng(rng_seed)
    trials, y = Trials(data), data.top.y
    for name, size in errors.items():
        predicted = Normal(y + size * rng.standard_normal(n_dear), np.full(n_dear, size**2))
        checked = HeldOut.of(data, predicted, trials.folds)
        trials.tried.append(Tried(name, Pretended(name != ALONE), predicted, checked))
    return trials


@pytest.mark.parametrize(
    ("cheap", "words"),
    [
        (lambda X: truth(X) + 0.5 * X[:, 0], {"helps"}),
        (lambda X: -2.0 * truth(X) + 1.0, {"helps"}),
        (lambda X: np.random.default_rng(7).standard_normal(len(X)), None),
        (lambda X: np.cos(17 * X[:, 1] + 11 * X[:, 0]), None),
    ],
    ids=["useful", "anticorrelated", "noise", "unrelated"],
)
def test_verdict_on_known_truths(cheap, words):
    """With noise one of the co-kriging models is far better than a GP, whatever it is given."""
    data = data_of(*pair(np.random.default_rng(0), cheap, n_dear=14))
    found = judge(data, tried(data))
    (entry,) = found.fidelities
    assert entry.word in words if words else entry.word != "helps"
    assert entry.low <= entry.gain <= entry.high
    assert str(found).startswith(f"coarse: {entry.word}")
    assert "14 held-out fine points" in entry.sentence
    assert found.together is None
    assert found.entries == found.fidelities


@pytest.mark.parametrize(
    ("fused", "alone", "word"),
    [(0.1, 1.0, "helps"), (1.0, 0.1, "hurts"), (1.0, 1.0, "undecided")],
)
def test_words_follow_the_errors(fused, alone, word):
    trials = pretended({"mine": fused, ALONE: alone})
    (entry,) = judge(trials.data, trials).fidelities
    assert entry.word.startswith(word)
    assert 0.0 <= entry.probability <= 1.0


def test_many_points_can_tell_that_nothing_changes():
    trials = pretended({"mine": 0.3}, n_dear=120)
    (same,) = trials.tried
    trials.tried.append(Tried(ALONE, Pretended(False), same.predicted, same.checked))
    (entry,) = judge(trials.data, trials).fidelities
    assert entry.word == "makes no difference"
    assert "The error stays about the same on 120 held-out fine points" in entry.sentence


def test_the_verdict_does_not_say_helps_where_the_table_says_otherwise():
    """Models without cheap data may be worse than the blend; the expensive alone are not here."""
    trials = pretended({"mine": 0.1, ALONE: 1.0})
    data, y = trials.data, trials.data.top.y
    good = Normal(y + 1e-3, np.full(len(y), 4.0))  # right, and so unsure that nobody listens
    checked = HeldOut.of(data, good, trials.folds)
    (mine, alone) = trials.tried
    trials.tried[:] = [
        mine,
        Tried("other", Pretended(False), alone.predicted, alone.checked),
        Tried(ALONE, Pretended(False), good, checked),
    ]
    assert trials.blend().rmse > checked.rmse
    (entry,) = judge(data, trials).fidelities
    assert entry.word != "helps"


def test_copies_of_expensive_rows_prove_nothing(rng):
    X = rng.random((12, 2))
    both = np.concatenate([X, X])
    data = data_of(both, truth(both), ["coarse"] * 12 + ["fine"] * 12)
    with pytest.warns(CopiesWarning, match="copies of 'fine' rows"):
        trials = tried(data, [Candidate(ALONE, SingleFidelity())])
    (entry,) = judge(data, trials).fidelities
    assert entry.word == "makes no difference"
    assert (
        entry.sentence == "coarse: makes no difference. It holds copies of the expensive rows only."
    )


def test_differences_that_do_not_matter_are_no_help():
    """Fourteen points of a sine say all there is; noise beside them cannot help."""
    fine = np.linspace(0, 1, 14)
    noise = 100 * np.random.default_rng(0).standard_normal(15)
    X = np.concatenate([np.linspace(0, 1, 15), fine])[:, None]
    y = np.concatenate([noise, np.sin(6 * fine)])
    data = data_of(X, y, ["coarse"] * 15 + ["fine"] * 14)
    assert judge(data, tried(data)).fidelities[0].word != "helps"


def test_altered_copies_of_expensive_rows_prove_nothing():
    X = np.random.default_rng(4).random((12, 2))
    y = np.concatenate([2 * truth(X) + 1, truth(X)])
    data = data_of(np.concatenate([X, X]), y, ["coarse"] * 12 + ["fine"] * 12)
    assert judge(data, tried(data)).fidelities[0].word != "helps"


@pytest.fixture(scope="module")
def twins():
    """Two cheap sources that say the same."""
    rng = np.random.default_rng(5)
    X1, X2 = rng.random((40, 2)), rng.random((10, 2))
    cheap = truth(X1) + 0.3 * X1[:, 0]
    X = np.concatenate([X1, X1, X2])
    y = np.concatenate([cheap, cheap + 0.1, truth(X2)])
    return data_of(X, y, np.repeat(["one", "two", "fine"], [40, 40, 10]), ["one", "two", "fine"])


def test_sources_that_say_the_same_help_together(twins):
    """Each is worth nothing beside the other."""
    found = judge(twins, tried(twins))
    first, second = found.fidelities
    assert "helps" not in (first.word, second.word)
    assert first.sentence.startswith(f"one, beside the other cheap data: {first.word}")
    assert found.together.word == "helps"
    assert str(found).splitlines()[0].startswith("all cheap data: helps. It lowers the error")
    assert found.entries == (found.together, first, second)


def test_models_without_draws_are_fitted_again_without_a_source(twins):
    found = judge(twins, tried(twins, [Candidate("fire", FIRE()), FEW_MODELS[1]]))
    expected = held_out(FIRE().fit_data(twins.only(lambda f: f.name != "one")))
    with_it = held_out(FIRE().fit_data(twins))
    better = np.abs(expected.error).mean() > np.abs(with_it.error).mean()
    assert (found.fidelities[0].gain > 0) == better


def test_a_cheap_source_that_says_nothing_makes_no_difference(rng):
    X, y, labels = pair(rng, lambda X: np.full(len(X), 3.0), n_cheap=15, n_dear=6)
    with pytest.warns(mastgp.ConstantTargetWarning):
        data = data_of(X, y, labels)
    found = str(judge(data, tried(data, FEW_MODELS)))
    assert found == "coarse: makes no difference. It has the same response everywhere."


@pytest.mark.filterwarnings("ignore::mastgp.FewPointsWarning")
def test_two_or_three_points_are_no_ground_for_a_verdict(rng, twins):
    data = data_of(*pair(rng, truth, n_cheap=20, n_dear=3))
    (entry,) = judge(data, tried(data, FEW_MODELS)).fidelities
    assert entry.word == "cannot be judged"
    assert entry.probability is None
    said = "coarse: cannot be judged. That takes fine points at 4 places, and there are 3."
    assert entry.sentence == said


def test_without_models_there_is_no_verdict(rng):
    data = data_of(*pair(rng, truth, n_cheap=20, n_dear=6))
    (entry,) = judge(data, tried(data, FEW_MODELS[1:])).fidelities
    assert entry.word == "cannot be judged"
    assert "could not be fitted" in entry.sentence


def test_predictions_without_the_cheap_rows_know_the_expensive_ones_only(rng):
    """The same hyperparameters, the same weights of the draws, and only expensive rows."""
    X, y, labels = pair(rng, lambda X: truth(X) + X[:, 0], n_cheap=15, n_dear=6)
    data = data_of(X, y, labels)
    trials = tried(data, FEW_MODELS)
    entry, alone = trials.tried
    without = _without_rows(entry, trials, _is_cheap)
    assert isinstance(without, Mixture)
    np.testing.assert_array_equal(without.weights, entry.predicted.weights)
    process = entry.model.posterior_.processes[2]
    U, top = data.unit(data.top), data.top
    rest = np.arange(1, 6)
    mean, var = process.given(15 + rest).predict(U[:1], 1)
    np.testing.assert_allclose(without.means[2, 0], mean[0], rtol=1e-6)
    noise = process.noise_var[-1]
    np.testing.assert_allclose(without.variances[2, 0], var[0] + noise, rtol=1e-6)
    assert abs(without.mean - top.y).mean() > abs(entry.predicted.mean - top.y).mean()
    assert _without_rows(alone, trials, _is_cheap) is None


def test_rows_at_held_out_places_are_held_out_there_too(twins):
    """Of two sources one is left, with rows at the place of an expensive one."""
    trials = tried(twins, FEW_MODELS)
    without = _without_rows(trials.tried[0], trials, lambda f, _: f.name == "one")
    assert np.isfinite(without.means).all()


@pytest.mark.parametrize(
    ("gain", "word", "said"),
    [
        (0.4, "helps", "It lowers the error by about 40 % on 6 held-out fine points"),
        (0.04, "makes no difference", "The error stays about the same"),
        (-0.04, "makes no difference", "The error stays about the same"),
        (-0.5, "hurts", "It raises the error by about 50 %"),
        (-20.0, "hurts", "It raises the error by about more than 1000 %"),
    ],
)
def test_words_of_a_sure_change(gain, word, said):
    data = data_of(*pair(np.random.default_rng(0), truth, n_dear=6))
    entry = _verdict("coarse", data, np.full(100, gain))
    assert entry.word == word
    assert said in entry.sentence


@pytest.mark.parametrize(
    ("centre", "begins"),
    [
        (0.3, "coarse: undecided, probably helps (73 %). The error changes by about -30 % on 6 "),
        (-0.3, "coarse: undecided, probably hurts (73 %). The error changes by about +30 % on 6 "),
        (0.0, "coarse: undecided (50 % that it helps). The error changes by about "),
    ],
)
def test_words_of_a_change_that_is_not_sure(centre, begins):
    data = data_of(*pair(np.random.default_rng(0), truth, n_dear=6))
    spread = np.linspace(-1.0, 1.0, 4001)
    gains = centre + 0.5 * np.sign(spread) * np.abs(spread) ** 0.66
    assert _verdict("coarse", data, gains).sentence.startswith(begins)


def test_a_points_weights_are_from_other_folds(rng):
    """Ten expensive places, two runs at each."""
    X, y, labels = pair(rng, lambda X: truth(X) + X[:, 0], n_cheap=25, n_dear=10)
    dear = labels == "fine"
    X, labels = np.concatenate([X, X[dear]]), np.concatenate([labels, labels[dear]])
    y = np.concatenate([y, y[dear] + 0.2 * rng.standard_normal(10)])
    with pytest.warns(mastgp.DuplicateWarning):
        data = data_of(X, y, labels)
    models = [SingleFidelity(which) for which in ("top", "cheapest")]
    trials = tried(data, [Candidate(str(i), model) for i, model in enumerate(models)])
    densities = np.column_stack([t.checked.log_density for t in trials.tried])
    means = np.column_stack([t.checked.mean for t in trials.tried])
    expected = np.empty(20)
    for fold in trials.folds:
        others = np.setdiff1d(np.arange(20), fold.rows)
        weights = blend_weights(densities[others], draws=DRAWS // 5)
        expected[fold.rows] = np.abs(means[fold.rows] @ weights - data.top.y[fold.rows])
    np.testing.assert_allclose(_errors([t.predicted for t in trials.tried], trials), expected)


def test_progress_is_told():
    told = []
    trials = pretended({"mine": 1.0, ALONE: 1.0})
    with listening(lambda what, *steps: told.append((what, *steps))):
        judge(trials.data, trials)
    assert told == [("judging the cheap data", 0, 1), ("judging the cheap data", 1, 1)]


def entry_of(name, word):
    return FidelityVerdict(name, word, 0.3, 0.1, 0.5, f"{name}: {word}.")


def test_a_verdict_reads_as_its_sentences():
    entry, both = entry_of("a", "helps"), entry_of("all cheap data", "helps")
    assert str(Verdict((entry,), both)) == "all cheap data: helps.\na: helps."
    assert str(Verdict(())) == ""


def test_entries_make_a_verdict_again():
    a, b, both = (entry_of(name, "hurts") for name in ("a", "b", "all cheap data"))
    for entries in ((both, a, b), (a, b, both)):  # earlier files have the last one last
        assert Verdict.of_entries(entries, 2) == Verdict((a, b), both)
    assert Verdict.of_entries([a], 1) == Verdict((a,))


@pytest.mark.parametrize(
    ("words", "together", "hurting"),
    [
        (("hurts", "helps"), "helps", {"a"}),
        (("hurts", "helps"), "hurts", {"a", "b"}),
        (("undecided", "helps"), "undecided", set()),
        (("hurts",), None, {"a"}),
    ],
)
def test_what_is_to_be_left_out(words, together, hurting):
    entries = tuple(entry_of(name, word) for name, word in zip("ab", words, strict=False))
    both = None if together is None else entry_of("all cheap data", together)
    assert Verdict(entries, both).hurting == hurting
