from __future__ import annotations

import warnings

import numpy as np
import pytest

import mastgp
from mastgp import AutoSurrogate, Dataset, DecadesWarning, OutlierWarning
from mastgp.bench.experiments import EXPERIMENTS, find_problem
from mastgp.bench.problems import EXTRA, PROBLEMS
from mastgp.examples import FOLDER, TARGET
from mastgp.models import SingleFidelity, TransformedResponse
from mastgp.models.scales import OfResponse, suggest_logarithm

X = np.linspace(0.0, 1.0, 9)[:, None]
WIDE = 10.0 ** (3.0 * X[:, 0])


def test_a_positive_target_over_three_decades_is_worth_a_word():
    with pytest.warns(DecadesWarning, match=r"'y' is positive and spans 3.0 decades \(1 to 1e\+03"):
        SingleFidelity().fit(X, WIDE)
    with pytest.warns(DecadesWarning, match="--log y"):
        mastgp.fit(Dataset.from_arrays(X, WIDE), method="hf-only")


@pytest.mark.parametrize(
    "y",
    [
        10.0 ** (1.9 * X[:, 0]),
        WIDE - 2.0,
        np.where(WIDE > 2, WIDE, 0.0),
        X[:, 0] + 0.001,  # evenly spread, from nearly zero
        np.sin(5.0 * X[:, 0]) ** 4 + 0.001,  # three decades, most of them in two valleys
    ],
)
def test_others_are_not(y):
    with warnings.catch_warnings():
        warnings.simplefilter("error", DecadesWarning)
        SingleFidelity().fit(X, y)


@pytest.mark.parametrize("code", [9999.0, 1e30])
def test_codes_for_failed_runs_are_no_decades(code):
    y = 1.0 + 0.5 * np.sin(5.0 * X[:, 0])
    y[4] = code
    with pytest.warns(OutlierWarning) as caught:
        SingleFidelity().fit(X, y)
    assert not [w for w in caught if issubclass(w.category, DecadesWarning)]


def test_nothing_is_said_where_the_response_is_transformed_or_the_user_has_decided():
    with warnings.catch_warnings():
        warnings.simplefilter("error", DecadesWarning)
        TransformedResponse(SingleFidelity()).fit(X, WIDE)
        model = mastgp.fit({"a": (X, WIDE)}, method="hf-only", log=True)
        assert model.is_logarithmic
        assert AutoSurrogate(transform=False).fit(X, WIDE).settles_response


def test_the_example_draws_no_word():
    data = Dataset.from_files(
        [FOLDER / "panel.csv", FOLDER / "cfd.csv"], TARGET, order=["panel", "cfd"]
    )
    model = SingleFidelity().fit_data(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        suggest_logarithm(model)


def draws(experiment, seeds):
    """Draws of all synthetic problems of an experiment in all of its settings."""
    chosen = EXPERIMENTS[experiment]
    for name in chosen.problems:
        if name in (*PROBLEMS, *EXTRA):
            for setting in chosen.settings_of(name):
                for seed in seeds:
                    yield name, chosen.draw(find_problem(name), seed, setting, 10)


class Plain(OfResponse):
    """A model that takes the response as it is."""

    def __init__(self, draw):
        self.training_data_ = Dataset.from_arrays(
            draw.X, draw.y, draw.fidelity, costs=draw.costs, bounds=draw.bounds
        )


@pytest.mark.parametrize(
    ("experiment", "seeds", "worth_it"),
    [
        ("two-fidelity", range(8), set()),
        ("three-fidelity", range(8), set()),
        ("extra", range(8), set()),
        # The logarithm of Hartmann6 is the better model where all of its values are positive.
        ("sweep-ratio", range(1), {"hartmann6"}),
        ("sweep-budget", range(3), {"hartmann6"}),
        ("sweep-discrepancy", range(3), {"hartmann6"}),
    ],
)
def test_benchmark_problems_draw_no_word(experiment, seeds, worth_it):
    looked_at = 0
    for name, draw in draws(experiment, seeds):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("ignore")
            model = Plain(draw)
            warnings.simplefilter("always", DecadesWarning)
            suggest_logarithm(model)
        assert not caught or name in worth_it, f"{name}: {caught[0].message}"
        looked_at += 1
    assert looked_at
