from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp import MAST, ConstantInputWarning
from mastgp.models.cokriging import CoKriging
from mastgp.models.fire import FIRE
from mastgp.models.fusion import Reification
from mastgp.models.recursive import Recursive
from mastgp.models.single import SingleFidelity
from mastgp.output.summary import summarise
from mixed import mixed_dataset
from support import COSTS


def test_summary_says_what_a_surrogate_has_learned_and_nothing_else(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, surrogate="bayesian-ridge", noise_std={"fine": 0.1})
    facts = json.loads(json.dumps(summarise(model.fit(X, y, fidelity=labels))))
    coarse, fine = facts["fidelities"]
    assert coarse["noise_std"] is None
    assert fine["noise_std"] == pytest.approx(0.1)
    assert facts["fits"] == {}
    assert all("lengthscale" not in row for row in facts["inputs"])
    assert facts["options"]["surrogate"] == "bayesian-ridge"


def test_summary_of_mixed_stages(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, surrogate=("bayesian-ridge", "bayesian-ridge", "gp"))
    facts = summarise(model.fit(X, y, fidelity=labels))
    assert list(facts["fits"]) == ["of the fused data"]
    assert all(len(row["warp"]) == 2 for row in facts["inputs"])
    assert [row["noise_std"] for row in facts["fidelities"]] == [None, None]


def test_noise_that_is_as_small_as_can_be_is_marked(rng):
    """The data have none, so a GP's noise ends at its floor, a hundredth of the spread."""
    X = rng.random((40, 1))
    model = SingleFidelity().fit(X, 7.0 * X[:, 0])
    (row,) = summarise(model)["fidelities"]
    assert row["noise_at_floor"]
    assert row["noise_std"] == pytest.approx(0.01 * model.training_data_.scale_of(7.0 * X[:, 0]))
    noisy = SingleFidelity().fit(X, rng.standard_normal(40))
    assert not summarise(noisy)["fidelities"][0]["noise_at_floor"]
    known = SingleFidelity(noise_std={"data": 0.02}).fit(X, 7.0 * X[:, 0])
    assert not summarise(known)["fidelities"][0]["noise_at_floor"]


def test_the_data_are_described(two_fidelities):
    X, y, labels, _ = two_fidelities
    frame = pd.DataFrame(X, columns=["span", "sweep"])
    model = MAST(COSTS, bounds={"span": (0.0, 1.0)})
    facts = summarise(model.fit(frame, pd.Series(y, name="drag"), fidelity=labels))
    assert (facts["method"], facts["label"], facts["target"]) == ("MAST", "MAST", "drag")
    assert facts["predicts"] == "fine"
    assert not facts["costs_assumed"]
    coarse, fine = facts["fidelities"]
    assert (coarse["name"], coarse["points"], coarse["cost"]) == ("coarse", 30, 1.0)
    assert (fine["name"], fine["points"], fine["cost"]) == ("fine", 8, 10.0)
    span, sweep = facts["inputs"]
    assert (span["name"], span["low"], span["high"]) == ("span", 0.0, 1.0)
    assert (sweep["low"], sweep["high"]) == (X[:, 1].min(), X[:, 1].max())
    top = X[labels == "fine", 1]
    assert sweep["expensive_points"] == [top.min(), top.max()]


def test_what_the_model_says_is_told_where_it_belongs(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS).fit(X, y, fidelity=labels)
    facts, own = summarise(model), model.facts()
    coarse, fine = facts["fidelities"]
    assert coarse["trust"] == own["fidelities"]["coarse"]["trust"]
    assert coarse["trust"]["min"] == model.augmented_["trust"].min()
    assert coarse["exponent"] == 0.5
    assert "trust" not in fine
    assert [row["noise_std"] for row in facts["fidelities"]] == list(own["noise"].values())
    assert [row["lengthscale"] for row in facts["inputs"]] == model.final_.lengthscales.tolist()
    assert facts["fits"] == own["fits"]
    assert not {"noise"} & set(facts)


def test_options_are_those_of_the_method(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = CoKriging(COSTS, kernel="matern52", inference="map", random_state=3)
    model.fit(X, y, fidelity=labels)
    assert summarise(model)["options"] == {
        "structure": "autoregressive",
        "kernel": "matern52",
        "warp": "kumaraswamy",
        "priors": "wide",
        "isotropic": False,
        "categories": "latent",
        "inference": "map",
        "n_draws": 24,
        "exact": False,
        "calibrate": False,
    }
    assert summarise(model)["factors"] == model.rho_.tolist()
    assert summarise(model)["label"] == "AR1"


@pytest.mark.parametrize(
    "model",
    [
        MAST(),
        MAST(metric=lambda A, B: np.abs(A[:, None] - B).sum(axis=-1)),
        CoKriging(),
        FIRE(),
        FIRE(surrogate="bayesian-ridge"),
        Recursive(),
        Reification(),
        SingleFidelity(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_summaries_are_plain_data(model, two_fidelities):
    X, y, labels, _ = two_fidelities
    facts = summarise(model.set_params(costs=COSTS).fit(X, y, fidelity=labels))
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert len(facts["inputs"]) == 2


def test_nothing_is_learned_of_an_input_that_never_varies(rng):
    X = np.column_stack([rng.random(12), np.full(12, 3.0)])
    with pytest.warns(ConstantInputWarning):
        facts = summarise(MAST().fit(X, X[:, 0]))
    varying, constant = facts["inputs"]
    assert varying["lengthscale"] > 0.0
    assert constant["lengthscale"] is None


def test_units_are_told(rng):
    frame = pd.DataFrame({"span": rng.random(8), "drag": rng.random(8)})
    frame.attrs["units"] = {"span": "m", "drag": "N"}
    facts = summarise(mastgp.fit(mastgp.Dataset.from_frame(frame, "drag")))
    assert (facts["unit"], facts["inputs"][0]["unit"]) == ("N", "m")


def test_categories_have_levels_instead_of_a_range():
    model = SingleFidelity().fit_data(mixed_dataset(n_high=8, materials=("al", "ti")))
    speed, material, _ = summarise(model)["inputs"]
    assert {"low", "high"} <= set(speed)
    assert material["levels"] == ["al", "steel", "ti"]
    assert material["expensive_levels"] == ["al", "ti"]
    assert "low" not in material


def test_whole_numbers_are_marked():
    model = SingleFidelity().fit(np.arange(6.0)[:, None], np.arange(6.0), integer=[0])
    assert summarise(model)["inputs"][0]["integer"]
