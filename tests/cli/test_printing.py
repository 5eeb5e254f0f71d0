"""Tables of a model's summary and of its held-out check."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp import MAST, Dataset
from mastgp.cli.printing import (
    MOST_CANDIDATES_SHOWN,
    note_a_loss,
    print_check,
    print_summary,
    print_verdict,
)
from mastgp.models import SingleFidelity
from mastgp.output.summary import summarise
from mixed import mixed_dataset

FACTS = {
    "label": "Toy",
    "target": None,
    "predicts": "fine",
    "costs_assumed": False,
    "fidelities": [
        {"name": "coarse", "points": 20, "cost": 1.0, "noise_std": None, "noise_known": False},
        {"name": "fine", "points": 5, "cost": None, "noise_std": 0.1234, "noise_known": True},
    ],
    "inputs": [{"name": "mach", "low": 0.5, "high": 0.9, "expensive_points": [0.55, 0.85]}],
}


@pytest.fixture
def data():
    X = np.linspace(0, 1, 5)[:, None]
    return MAST().fit(X, 3 * X[:, 0]).training_data_


def cells(out, first):
    """The cells of the printed row that starts with a word."""
    line = next(line for line in out.splitlines() if line.lstrip("│┃ ").startswith(first))
    return [cell.strip() for cell in line.strip("│┃").replace("┃", "│").split("│")]


def test_summary_of_any_model(wide, capsys):
    print_summary(FACTS)
    out = capsys.readouterr().out
    assert out.startswith("Toy surrogate of y as fine sees it\n")
    assert cells(out, "fidelity") == ["fidelity", "points", "cost", "noise std"]
    assert cells(out, "coarse") == ["coarse", "20", "1", "-"]
    assert cells(out, "fine") == ["fine", "5", "-", "0.123 given"]
    assert out.index("│ fine") < out.index("│ coarse")
    assert cells(out, "input") == ["input", "range", "fine points"]
    assert cells(out, "mach") == ["mach", "0.5 to 0.9", "0.55 to 0.85"]
    assert "Costs were not given" not in out


def test_summary_of_what_only_some_models_have(wide, capsys):
    coarse, fine = FACTS["fidelities"]
    fine = fine | {"noise_known": False, "noise_at_floor": True}
    facts = FACTS | {
        "costs_assumed": True,
        "fidelities": [coarse | {"trust": {"min": 0.1, "mean": 0.456, "max": 0.9}}, fine],
        "inputs": [FACTS["inputs"][0] | {"lengthscale": 1.234}],
        "factors": [0.9876, 2.0],
        "weights": {"ar1, matern, warped": 0.7, "fire": 0.28, "mast": 0.008, "other": 0.012},
        "spread": 96.24,
        "best_kernel": "rbf",
        "linear": True,
        "fits": {"of fine": {}},
        "verdict": [{"sentence": "coarse: helps."}],
    }
    print_summary(facts)
    out = capsys.readouterr().out
    assert cells(out, "coarse")[-1] == "0.46 (0.10 to 0.90)"
    assert cells(out, "fine")[-2:] == ["0.123 at its floor", "-"]
    assert cells(out, "input")[-1] == "lengthscale (share of range)"
    assert cells(out, "mach")[-1] == "1.23"
    assert out.splitlines()[-6:] == [
        "Factor between fidelities: 0.988, 2",
        "spread: 96.24",
        "best kernel: rbf",
        "linear: yes",
        "Blend of ar1 (matern, warped) 0.70; fire 0.28; other 0.01; others 0.01",
        "Costs were not given: a ratio of 10 per step of the order is assumed.",
    ]


def test_a_verdict_is_its_sentences(capsys, wide):
    print_verdict({"verdict": [{"sentence": "all: help."}, {"sentence": "coarse: helps."}]})
    assert capsys.readouterr().out == "all: help.\ncoarse: helps.\n"
    print_verdict(FACTS)
    assert capsys.readouterr().out == ""


def row(model, **changes):
    scores = {"rmse": 1.0, "nlpd": 2.0, "crps": 0.3, "coverage95": 0.951}
    return {"model": model, **scores} | changes


def test_check_of_one_model(wide, capsys, data):
    unknown = dict.fromkeys(("rmse", "nlpd", "crps", "coverage95"))
    print_check([row("MAST"), row("expensive alone", **unknown)], data)
    out = capsys.readouterr().out
    assert f"Held-out check on the {data.top.name} points" in out
    assert cells(out, "model") == ["model", "RMSE", "NLPD", "CRPS", "95 % covers"]
    assert cells(out, "MAST") == ["MAST", "1", "2", "0.3", "95%"]
    assert cells(out, "expensive alone") == ["expensive alone", "-", "-", "-", "-"]


def test_check_of_a_blend_shows_the_heaviest_and_the_expensive_alone(wide, capsys, data):
    names = ["blend", *(f"candidate {i}" for i in range(12)), "expensive alone", "another"]
    print_check([row(name, weight=0.25) for name in names], data)
    out = capsys.readouterr().out
    assert cells(out, "blend") == ["blend", "0.25", "1", "2", "0.3", "95%"]
    assert out.count("candidate ") == MOST_CANDIDATES_SHOWN - 1
    assert "expensive alone" in out
    assert "another" not in out
    assert cells(out, "others") == ["others", "1.50", "-", "-", "-", "-"]


def test_no_rows_no_table(capsys, data):
    print_check([], data)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("fused", "noted"), [(2.0, True), (1.05, False), (0.5, False), (None, False)]
)
def test_a_fused_model_that_loses_is_named(wide, capsys, data, fused, noted):
    note_a_loss([row("MAST", rmse=fused), row("expensive alone")], data)
    words = "MAST does worse on held-out points than the expensive points alone (RMSE 2 against 1)"
    assert (words in capsys.readouterr().err) == noted


@pytest.mark.parametrize(
    ("changes", "loss"),
    [
        ({"nlpd": 2.6}, "NLPD 2.6 against 2"),
        ({"coverage95": 0.7}, "95 % intervals that cover 70% against 95%"),
        ({"nlpd": 3.0, "coverage95": 0.5}, "NLPD 3 against 2, 95 % intervals that cover 50% aga"),
        ({"nlpd": 2.4, "coverage95": 0.85}, None),
        ({"nlpd": None, "coverage95": None}, None),
    ],
)
def test_a_fused_model_that_is_too_sure_is_named(wide, capsys, data, changes, loss):
    note_a_loss([row("MAST", rmse=0.5, **changes), row("expensive alone")], data)
    err = capsys.readouterr().err
    if loss is None:
        assert err == ""
    else:
        assert f"MAST is surer of itself than held-out points allow ({loss}" in err
        assert "--method auto weighs both." in err


def test_rounding_is_no_loss(wide, capsys, data):
    note_a_loss([row("MAST", rmse=2e-9), row("expensive alone", rmse=1e-9)], data)
    assert capsys.readouterr().err == ""


def test_levels_are_printed_instead_of_ranges(wide, capsys):
    print_summary(summarise(SingleFidelity().fit_data(mixed_dataset())))
    out = capsys.readouterr().out
    assert "al, steel, ti" in out
    assert "3 of 3 levels" in out


def test_many_levels_are_cut_short(wide, capsys):
    labels = [f"k{i}" for i in range(9)]
    data = Dataset.from_arrays([[label] for label in labels], range(9), categorical=[0])
    print_summary(summarise(SingleFidelity().fit_data(data)))
    assert "k0, k1, k2, k3, k4, ..." in capsys.readouterr().out
