from __future__ import annotations

import json

import pytest

from mastgp import MAST
from mastgp.output.summary import summarise
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
