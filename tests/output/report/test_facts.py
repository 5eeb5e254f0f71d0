"""What a report says of a model."""

from __future__ import annotations

import numpy as np
import pytest

from exported import fitted
from mastgp import validate
from mastgp.check.heldout import held_out
from mastgp.models.single import SingleFidelity
from mastgp.output.report.exploring import explore_section
from mastgp.output.report.facts import entry_of, some_of


@pytest.fixture(scope="module")
def entry():
    return entry_of("drag", fitted("mast"))


def test_scores_are_those_of_validate(entry):
    table = validate(fitted("mast"))
    assert entry.validation[0]["rmse"] == table.rmse[0]
    assert entry.checked.rmse == table.rmse[0]
    assert entry.alone["rmse"] == table.rmse[1]
    y, mean = entry.checked.y, held_out(fitted("mast")).mean
    share = 1.0 - np.sum((y - mean) ** 2) / np.sum((y - y.mean()) ** 2)
    assert entry.checked.prognosis == pytest.approx(share)


def test_the_worst_places_are_far_apart_and_uncertain(entry):
    places = entry.unsure["places"]
    assert len(places) == 3
    assert places[0]["std"] >= places[1]["std"] >= places[2]["std"] > entry.unsure["mean_std"]


def test_profiles_average_the_uncertainty(entry):
    for profile in entry.unsure["profiles"]:
        assert min(profile["std"]) <= entry.unsure["mean_std"] <= max(profile["std"])


def test_one_expensive_place_leaves_nothing_to_check(rng):
    X = np.vstack([rng.random((12, 2)), np.full((1, 2), 0.5)])
    labels = ["cheap"] * 12 + ["dear"]
    with pytest.warns(UserWarning, match="few|only"):
        model = SingleFidelity("cheapest", order=["cheap", "dear"]).fit(X, X[:, 0], fidelity=labels)
    entry = entry_of("y", model)
    assert entry.checked is None
    assert entry.page["heldOut"] is None
    assert entry.page["reach"] == 1e9


def test_a_page_holds_some_of_very_many_points():
    assert some_of(1500).tolist() == list(range(1500))
    kept = some_of(100_000)
    assert len(kept) == 1500
    assert (kept[0], kept[-1]) == (0, 99_999)
    assert np.diff(kept).min() > 60
    X = np.concatenate([np.linspace(0, 1, 1600), np.linspace(0, 1, 6)])[:, None]
    model = SingleFidelity(order=["cheap", "dear"])
    entry = entry_of("y", model.fit(X, X[:, 0], fidelity=["cheap"] * 1600 + ["dear"] * 6))
    assert [len(points["y"]) for points in entry.page["points"]] == [1500, 6]
    assert "Of the 1600 cheap points 1500 are drawn." in explore_section([entry])
