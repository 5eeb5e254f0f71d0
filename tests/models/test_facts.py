from __future__ import annotations

import json

import numpy as np
import pytest

from mastgp.errors import MastError
from mastgp.gp import GaussianProcess, Model
from mastgp.models.facts import (
    abilities_with,
    fit_reports,
    input_facts,
    noise_facts,
    plain_stage,
    tool_facts,
    tools_of,
)


@pytest.fixture
def process(rng):
    X = rng.random((12, 2))
    return GaussianProcess.fit(Model(2, warp=True), X, np.sin(4 * X[:, 0]) + X[:, 1])


def test_noise_is_the_root_of_the_mean_variance():
    facts = noise_facts({"a": np.array([1.0, 7.0]), "b": np.array([0.25])})
    assert facts == {"a": 2.0, "b": 0.5}


def test_every_input_has_its_lengthscale_and_warp(process):
    rows = input_facts(process)
    assert [row["lengthscale"] for row in rows] == process.lengthscales.tolist()
    a, b = process.parameters.warp_a, process.parameters.warp_b
    assert [row["warp"] for row in rows] == np.column_stack([a, b]).tolist()


def test_no_warp_no_fact(rng):
    X = rng.random((6, 1))
    (row,) = input_facts(GaussianProcess.fit(Model(1), X, X[:, 0]))
    assert set(row) == {"lengthscale"}


def test_reports_are_plain_data_of_fits_that_have_one(process):
    state = {**process.get_state(), "report": None}
    without = GaussianProcess.from_state(process.model, state)
    reports = fit_reports({"fitted": process, "given": without})
    assert list(reports) == ["fitted"]
    assert reports["fitted"]["evaluations"] == process.report.evaluations
    assert json.loads(json.dumps(reports)) == reports


class OfManyRows:
    """A stage of very many rows."""

    report_of_choice = object()
    abilities = frozenset({"covariance"})

    def sentence(self):
        return "inducing points"

    def plain(self):
        return {"kind": "inducing"}


def test_stages_of_many_rows_say_what_they_are():
    assert tool_facts({"coarse": OfManyRows(), "fine": object()}) == {
        "model of coarse": "inducing points"
    }
    assert tools_of({"noise": {}, "model of coarse": "splines"}) == {"model of coarse": "splines"}
    assert input_facts(OfManyRows()) == []
    assert plain_stage(OfManyRows()) == {"kind": "inducing"}
    with pytest.raises(MastError, match="only Gaussian processes"):
        plain_stage(object())


def test_a_model_can_do_what_all_of_its_stages_can():
    able = frozenset({"covariance", "gradient", "samples", "file", "export"})
    assert abilities_with(able, [object(), None]) == able
    assert abilities_with(able, [OfManyRows()]) == {"covariance", "samples", "file"}
