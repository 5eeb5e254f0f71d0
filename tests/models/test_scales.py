from __future__ import annotations

import warnings

import numpy as np
import pytest

import mastgp
from mastgp import AutoSurrogate, Dataset, DecadesWarning
from mastgp.examples import FOLDER, TARGET
from mastgp.models import SingleFidelity, TransformedResponse
from mastgp.models.scales import suggest_logarithm

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
    ],
)
def test_others_are_not(y):
    with warnings.catch_warnings():
        warnings.simplefilter("error", DecadesWarning)
        SingleFidelity().fit(X, y)


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
