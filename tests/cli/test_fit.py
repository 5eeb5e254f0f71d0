"""``mast fit``: from files and options to a model in a file."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp.auto.verdict import FidelityVerdict, Verdict
from mastgp.gp.kernels import KERNELS
from mastgp.models.trust import METRICS, NEIGHBOUR_WEIGHTS, RADII
from mixed import queries, tables
from wing import AUTO_FIT, COSTS, FIT, WING


def test_a_fit_is_printed_and_saved(mast, tmp_path):
    code, out, err = mast(*FIT, *COSTS, "-o", "wing.mast")
    assert code == 0
    assert err.startswith("Note: MAST is surer of itself than held-out points allow (NLPD ")
    assert "MAST surrogate of drag_counts as cfd sees it" in out
    assert "Held-out check on the cfd points" in out
    assert "expensive alone" in out
    assert "saved to wing.mast" in out
    assert mastgp.load(tmp_path / "wing.mast").costs == {"panel": 1.0, "cfd": 20.0}


def test_the_default_is_auto(mast, tmp_path):
    """The check comes first, then what it says of the cheap data."""
    code, out, _ = mast(*AUTO_FIT, *COSTS, "--ignore", "sweep_deg,mach")
    assert code == 0
    assert "Auto surrogate of drag_counts as cfd sees it" in out
    assert out.index("│ blend") < out.index("\npanel: ") < out.index("Fitted in")
    assert isinstance(mastgp.load(tmp_path / "model.mast"), mastgp.AutoSurrogate)


def test_intervals_are_calibrated_on_request(mast, tmp_path):
    for option in ([], ["--calibrate"]):
        assert mast(*FIT, *COSTS, *option, "--no-check", "-o", f"{len(option)}.mast")[0] == 0
    plain, calibrated = (mastgp.load(tmp_path / f"{i}.mast") for i in range(2))
    assert plain.calibration_ == 1.0
    assert calibrated.calibration_ > 1.0


def test_json_is_json(mast):
    code, out, _ = mast(*FIT, *COSTS, "-o", "again.mast", "--json")
    assert code == 0
    facts = json.loads(out)
    assert facts["predicts"] == "cfd"
    assert facts["output"] == "again.mast"
    assert [row["points"] for row in facts["fidelities"]] == [80, 14]
    assert [row["model"] for row in facts["validation"]] == ["MAST", "expensive alone"]
    assert facts["seconds"] > 0


def test_without_a_check(mast):
    code, out, _ = mast(*FIT, *COSTS, "--no-check")
    assert code == 0
    assert "Held-out check" not in out
    assert "validation" not in json.loads(mast(*FIT, *COSTS, "--no-check", "--json")[1])


def test_order_instead_of_costs_says_what_is_assumed(mast):
    code, out, _ = mast(*FIT, "--order", "panel,cfd")
    assert code == 0
    assert "a ratio of 10 per step of the order is assumed" in out


def test_several_costs_in_one_option(mast, tmp_path):
    assert mast(*FIT, "--cost", "panel=1,cfd=20", "--no-check")[0] == 0
    assert mastgp.load(tmp_path / "model.mast").costs == {"panel": 1.0, "cfd": 20.0}


def test_one_long_file_with_options(mast, tmp_path):
    tables = [pd.read_csv(WING[name]).assign(source=name, e=0.5) for name in ("panel", "cfd")]
    pd.concat(tables).to_csv("runs.csv", index=False)
    code, out, _ = mast(
        "fit", "runs.csv", "--method", "mast", "--target", "drag_counts",
        "--fidelity-column", "source", *COSTS,
        "--noise-column", "e", "--ignore", "sweep_deg", "--bounds", "mach=0.5:0.9",
        "--metric", "mahalanobis", "--radius", "cbrt", "--weight", "triangular",
        "--kernel", "matern52", "--no-warp", "--exponent", "panel=0.4", "--json",
    )  # fmt: skip
    assert code == 0
    facts = json.loads(out)
    assert [row["name"] for row in facts["inputs"]] == ["mach", "alpha_deg"]
    assert facts["inputs"][0]["high"] == 0.9
    assert facts["fidelities"][0]["exponent"] == 0.4
    assert facts["fidelities"][0]["noise_std"] == pytest.approx(0.5)
    assert facts["options"]["metric"] == "mahalanobis"
    assert facts["options"]["radius"] == "cbrt"
    assert facts["options"]["weight"] == "triangular"
    assert "matern52" in facts["options"]["surrogate"]
    assert facts["options"]["warp"] is None
    assert (tmp_path / "model.mast").exists()


def test_chosen_inputs_noise_and_seed(mast, tmp_path):
    options = ("--inputs", "mach, alpha_deg", "--noise-std", "cfd=0.5", "--seed", "7", "--warp")
    assert mast(*FIT, *COSTS, *options, "--no-check")[0] == 0
    model = mastgp.load(tmp_path / "model.mast")
    assert list(model.feature_names_in_) == ["mach", "alpha_deg"]
    assert model.noise_std == {"cfd": 0.5}
    assert model.random_state == 7
    assert model.warp == "kumaraswamy"


def test_several_columns_are_ignored(mast, tmp_path):
    assert mast(*FIT, *COSTS, "--ignore", "mach,sweep_deg", "--no-check")[0] == 0
    assert list(mastgp.load(tmp_path / "model.mast").feature_names_in_) == ["alpha_deg"]


def test_another_method(mast):
    code, out, _ = mast(*AUTO_FIT, *COSTS, "--method", "ar1", "-o", "a.mast")
    assert code == 0
    assert "Factor between fidelities" in out
    assert "expensive alone" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--method", "magic"), "unknown method 'magic'"),
        (("--method", "ar1", "--radius", "sqrt"), "has no option --radius; add --method mast"),
        (("--method", "ar1", "--exponent", "panel=1"), "no option --exponent; add --method mast"),
        (("--method", "auto", "--kernel", "rbf"), "option --kernel; add --method mast or --method"),
        (("--method", "auto", "--surrogate", "gp"), "no option --surrogate; add --method mast"),
        (("--method", "mast-forest", "--kernel", "rbf"), "--kernel is of GPs"),
        (("--method", "mfk"), "models of method 'mfk' cannot be written to a file; use it in Pyt"),
        (("--method", "masst"), "unknown method 'masst': did you mean 'mast'?"),
        (("--metric", "euclid"), "unknown metric 'euclid': did you mean 'euclidean'?"),
        (("--surrogate", "magic"), "unknown surrogate 'magic'"),
        (("--method", "auto", "--no-warp"), "no option --warp or --no-warp"),
        (("--drop",), "method 'mast' has no option --drop; add --method auto"),
    ],
)
def test_options_that_a_method_does_not_have_are_refused(mast, tmp_path, options, message):
    command = AUTO_FIT if "--method" in options else FIT
    code, _, err = mast(*command, *COSTS, *options, "-o", "b.mast")
    assert code == 1
    assert message in err
    assert not (tmp_path / "b.mast").exists()


def test_the_help_names_all_choices(mast):
    out = " ".join(mast("fit", "--help")[1].split())
    for choices in (METRICS, RADII, NEIGHBOUR_WEIGHTS, KERNELS):
        first, *others, last = choices
        assert ", ".join([f"{first} (default)", *others]) + f" or {last}" in out
    assert "--cost NAME=VALUE" in out
    assert "FILE..." in out


def test_a_missing_checkpoint_is_named_before_anything_heavy_is_loaded(tmp_path):
    code = (
        "import sys; from mastgp.cli import main as cli\n"
        f"sys.argv = {['mast', *FIT, *COSTS, '--surrogate', 'tabpfn', '-o', 'x.mast']!r}\n"
        "try: cli.main()\n"
        "finally: print(sorted({'torch', 'sklearn', 'pandas', 'scipy'} & set(sys.modules)))\n"
    )
    environment = {"PATH": "", "HOME": str(tmp_path), "TABPFN_MODEL_CACHE_DIR": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert run.returncode == 1
    assert "tabpfn" in run.stderr
    assert run.stdout.strip() == "[]"


def test_errors_after_reading_still_name_file_and_line(mast, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n0.1,1\n\n5,2\n")
    (tmp_path / "b.csv").write_text("x,y\n0.2,1\n0.3,2\n0.3,3\n")
    fit = ["fit", "a.csv", "b.csv", "--target", "y", "--order", "a,b"]
    assert "column 'x' is 5 in line 4 of a.csv" in mast(*fit, "--bounds", "x=0:1")[2]
    assert "first line 3 of b.csv and line 4 of b.csv" in mast(*fit)[2]


def test_one_expensive_point_cannot_be_checked(mast, tmp_path):
    rows = "".join(f"{x},{x * x}\n" for x in (0.1, 0.3, 0.5, 0.8))
    (tmp_path / "a.csv").write_text("x,y\n" + rows)
    (tmp_path / "b.csv").write_text("x,y\n0.4,1\n")
    for method in ("mast", "auto"):
        command = ("fit", "a.csv", "b.csv", "--target", "y", "--order", "a,b")
        code, _, err = mast(*command, "--method", method)
        assert code == 0
        assert "no held-out check: " in err


def test_a_misspelt_input_is_recognised(mast, tmp_path):
    (tmp_path / "a.csv").write_text("length,y\n0.1,1\n0.5,2\n")
    (tmp_path / "b.csv").write_text("lenght,y\n0.1,1\n0.5,2\n")
    code, _, err = mast("fit", "a.csv", "b.csv", "--target", "y", "--order", "a,b")
    assert code == 1
    assert "Are 'length' and 'lenght' the same column?" in err
    assert "--ignore" not in err


def test_two_values_of_an_option_are_no_files(mast, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("x,y\n0.1,1\n0.5,2\n")
    code, _, err = mast("fit", "a.csv", "b.csv", "--target", "y", "--cost", "a=1", "b=10")
    assert code == 1
    assert "--cost coarse=1,fine=10" in err


def test_a_fidelity_that_hurts_is_dropped_and_named(mast, monkeypatch):
    said = Verdict((FidelityVerdict("panel", "hurts", -0.5, -0.9, -0.1, "panel: hurts."),))
    monkeypatch.setattr("mastgp.auto.surrogate.judge", lambda *_: said)
    code, out, _ = mast(*AUTO_FIT, *COSTS, "--drop", "--ignore", "sweep_deg,mach")
    assert code == 0
    assert "panel: hurts." in out
    (blend,) = (line for line in out.splitlines() if line.startswith("Blend of "))
    assert not any(name in blend for name in ("ar1", "bias", "general", "fire", "mast"))
    facts = json.loads(mast("show", "model.mast", "--json")[1])
    assert [(entry["name"], entry["word"]) for entry in facts["verdict"]] == [("panel", "hurts")]
    assert facts["options"]["drop"] is True


def test_what_helps_is_not_dropped(mast):
    code, out, _ = mast(*AUTO_FIT, *COSTS, "--drop", "--json", "--no-check")
    assert code == 0
    facts = json.loads(out)
    assert [entry["word"] for entry in facts["verdict"]] != ["hurts"]
    assert "ar1, warped" in facts["weights"]


@pytest.mark.parametrize("output", ["run=3/hi.csv", "./run=3/hi.csv", "soft.csv", "hard.csv"])
def test_data_in_a_folder_with_an_equals_sign_are_never_overwritten(mast, tmp_path, output):
    (tmp_path / "run=3").mkdir()
    data = tmp_path / "run=3" / "hi.csv"
    shutil.copy(WING["cfd"], data)
    (tmp_path / "soft.csv").symlink_to(data)
    (tmp_path / "hard.csv").hardlink_to(data)
    shutil.copy(WING["panel"], tmp_path / "lo.csv")
    options = ["--target", "drag_counts", "--cost", "lo=1,hi=20", "-o", output]
    code, _, err = mast("fit", "lo.csv", "run=3/hi.csv", *options)
    assert code == 1
    assert f"{output} is one of the files to read" in err
    assert data.read_bytes() == Path(WING["cfd"]).read_bytes()


def test_a_column_of_results_for_each_fidelity(mast, tmp_path, rng):
    x = rng.random(24)
    table = pd.DataFrame(
        {"x": x, "LF": x**2 + 0.1, "HF": np.where(np.arange(24) < 8, x**2, np.nan)}
    )
    table.to_csv("runs.csv", index=False)
    options = ("--order", "low,high", "-o", "m.mast", "--no-check", "--json")
    code, out, _ = mast("fit", "runs.csv", "--target", "low=LF,high=HF", *options)
    assert code == 0
    facts = json.loads(out)
    assert [(row["name"], row["points"]) for row in facts["fidelities"]] == [
        ("low", 24),
        ("high", 8),
    ]
    assert facts["target"] == "HF"
    assert [row["name"] for row in facts["inputs"]] == ["x"]
    again = mast("fit", "runs.csv", "--target", "low=LF", "--target", "high=HF", *options)[1]
    assert json.loads(again)["fidelities"] == facts["fidelities"]


def test_repeated_targets_and_inputs_never_let_the_last_one_win(mast, tmp_path):
    both = mast(*FIT, *COSTS, "--target", "mach", "--no-check", "--json")[1]
    assert list(json.loads(both)["targets"]) == ["drag_counts", "mach"]
    err = mast(*FIT, *COSTS, "--target", "panel=mach")[2]
    assert "either the columns of several targets, or the column of each fidelity" in err
    one = ("--inputs", "mach", "--inputs", "alpha_deg,sweep_deg")
    out = mast(*FIT, *COSTS, *one, "--no-check", "--json")[1]
    assert [row["name"] for row in json.loads(out)["inputs"]] == ["mach", "alpha_deg", "sweep_deg"]


def test_several_files_of_one_fidelity_are_never_overwritten(mast, tmp_path):
    lines = Path(WING["panel"]).read_text().splitlines(keepends=True)
    for name, part in (("p1", lines[1:40]), ("p2", lines[40:])):
        (tmp_path / f"{name}.csv").write_text(lines[0] + "".join(part))
    command = ("fit", "panel=p1.csv,p2.csv", WING["cfd"], *FIT[3:], *COSTS, "--no-check")
    assert "p2.csv is one of the files to read" in mast(*command, "-o", "p2.csv")[2]
    assert mast(*command, "-o", "both.mast")[0] == 0
    assert mast(*FIT, *COSTS, "--no-check", "-o", "one.mast")[0] == 0
    both, one = (mast("predict", f"{m}.mast", WING["queries"])[1] for m in ("both", "one"))
    assert both == one


def test_suspicions_are_notes_said_once(mast, tmp_path):
    for name in ("panel", "cfd"):
        table = pd.read_csv(WING[name])
        table.insert(0, "run", range(1, len(table) + 1))
        table.to_csv(f"{name}.csv", index=False)
    err = mast("fit", "panel.csv", "cfd.csv", *FIT[3:], *COSTS, "-o", "m.mast")[2]
    assert err.count("Note: input 'run' counts the rows") == 1


def test_an_input_that_never_varies_has_no_lengthscale(mast, tmp_path, rng):
    table = pd.DataFrame({"x": rng.random(9), "tunnel": 3.0})
    table.assign(y=table["x"] ** 2).to_csv("a.csv", index=False)
    options = ("--method", "mast", "-o", "m.mast", "--no-check")
    code, out, err = mast("fit", "a.csv", "--target", "y", *options)
    assert code == 0
    assert "input 'tunnel' never varies" in err
    (row,) = [line for line in out.splitlines() if "tunnel" in line]
    assert [cell.strip() for cell in row.strip("│ ").split("│")] == [
        "tunnel",
        "3 to 3",
        "3 to 3",
        "-",
    ]


@pytest.fixture
def mixed_files(tmp_path):
    """Files with a column of text, one of coded levels and one of whole numbers."""
    for name, (X, y) in tables().items():
        layers = X["material"].map({"al": 1, "steel": 2, "ti": 5})
        X.assign(layers=layers, blades=range(len(X)), drag=y).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    return ["fit", "low.csv", "high.csv", "--target", "drag", "--order", "low,high", "--no-check"]


def test_columns_of_text_are_categories_and_a_note_says_so(mast, mixed_files):
    command = [*mixed_files, "--categorical", "layers", "--integer", "blades", "-o", "m.mast"]
    code, out, err = mast(*command, "--method", "hf-only")
    assert code == 0
    assert "Note: taken as categorical: 'material' (text): 'al', 'steel', 'ti'; 'coated'" in err
    assert "1, 2, 5" in out
    data = mastgp.load("m.mast").training_data_
    assert [c.name for c in data.categories] == ["material", "coated", "layers"]
    assert [data.feature_names[i] for i in data.integers] == ["blades"]
    assert mast("plot", "m.mast", "-o", "m.png", "--kind", "slices")[0] == 0


def test_numbers_may_be_insisted_on(mast, mixed_files):
    code, _, err = mast(*mixed_files, "--numeric", "material,coated")
    assert code == 1
    assert "line 2 of low.csv, column 'material': 'al' is not a number" in err


def test_predictions_at_labels(mast, mixed_files, tmp_path):
    ignored = ["--ignore", "layers,blades", "--categorical", "material,coated"]
    code, _, err = mast(*mixed_files, *ignored, "-o", "m.mast")
    assert (code, err) == (0, "")
    queries(5).to_csv(tmp_path / "q.csv", index=False)
    code, out, _ = mast("predict", "m.mast", "q.csv", "--json")
    assert code == 0
    assert json.loads(out)[0]["material"] == "al"
    queries(5).assign(material="tin").to_csv(tmp_path / "q.csv", index=False)
    code, _, err = mast("predict", "m.mast", "q.csv")
    assert code == 1
    assert "'material' is 'tin' in line 2 of q.csv, a level that no training row has" in err


@pytest.fixture
def rates(tmp_path):
    """Files of a rate over six decades and a gain, with a run that has no gain."""
    rng = np.random.default_rng(3)
    for name, n in (("coarse", 16), ("fine", 8)):
        frame = pd.DataFrame({"frequency": 10.0 ** rng.uniform(0, 4, n), "gap": rng.random(n)})
        frame["rate"] = np.exp(3.0 * np.log10(frame.frequency) - 4.0 * frame.gap)
        frame["gain"] = np.sin(np.log10(frame.frequency)) - frame.gap
        if name == "fine":
            frame.loc[1, "gain"] = np.nan
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    frame[["frequency", "gap"]].to_csv(tmp_path / "q.csv", index=False)
    return ["fit", "coarse.csv", "fine.csv", "--order", "coarse,fine", "--method", "ar1-map"]


def test_several_targets_have_one_file_and_one_table(mast, rates):
    log = ("--log", "rate", "--log-input", "frequency", "--no-check")
    code, _, err = mast(*rates, "--target", "rate,gain", *log, "-o", "both.mast")
    assert code == 0
    assert "Note: 1 of 24 rows has no value of 'gain', first line 3 of fine.csv" in err
    assert mast("predict", "both.mast", "q.csv", "-o", "p.csv")[0] == 0
    both = pd.read_csv("p.csv")
    names = ["mean", "std", "lower95", "upper95"]
    assert list(both)[2:] == [
        *(f"rate_{name}" for name in [*names, "median"]),
        *(f"gain_{name}" for name in names),
    ]
    assert (both.rate_lower95 > 0).all()
    assert (both.rate_upper95 - both.rate_median > both.rate_median - both.rate_lower95).all()
    assert mast(*rates, "--target", "rate", "--ignore", "gain", *log, "-o", "one.mast")[0] == 0
    assert mast("predict", "one.mast", "q.csv", "-o", "p1.csv")[0] == 0
    one = pd.read_csv("p1.csv")
    np.testing.assert_array_equal(one["mean"], both["rate_mean"])
    skip = ("--skip-missing", "--log-input", "frequency", "--no-check")
    assert mast(*rates, "--target", "gain", "--ignore", "rate", *skip, "-o", "g.mast")[0] == 0
    assert mast("predict", "g.mast", "q.csv", "-o", "p2.csv")[0] == 0
    np.testing.assert_array_equal(pd.read_csv("p2.csv")["upper95"], both["gain_upper95"])


def test_a_target_over_decades_is_worth_a_note(mast, rates):
    one = [*rates, "--target", "rate", "--ignore", "gain", "--no-check"]
    assert "target 'rate' is positive and spans" in mast(*one)[2]
    assert mast(*one, "--log", "rate")[2] == ""
    assert "log names 'drag', but the target is 'rate'" in mast(*one, "--log", "drag")[2]
    assert (
        "method 'ar1-map' has no option --no-transform; add --method auto"
        in (mast(*one, "--no-transform")[2])
    )
    gain = [*rates, "--target", "gain", "--ignore", "rate", "--skip-missing", "--no-check"]
    assert re.search(r"gain is -\S+ in line \d+ of coarse.csv", mast(*gain, "--log", "gain")[2])


def test_advice_never_guesses_an_order(mast, rates):
    command = [*rates[:3], "--target", "rate", "--ignore", "gain"]
    err = mast(*command)[2]
    assert "--cost coarse=...,fine=... or --order CHEAPEST,DEAREST" in err


def test_a_target_may_have_a_comma_in_its_name(mast, tmp_path):
    frame = pd.DataFrame({"t": np.arange(6.0), "x,y": np.arange(6.0) ** 2})
    frame.to_csv("a.csv", index=False)
    assert mast("fit", "a.csv", "--target", "x,y", "--method", "hf-only", "--no-check")[0] == 0
    assert mastgp.load("model.mast").target_name_ == "x,y"


def test_a_bounded_target_is_never_predicted_beyond_its_bounds(mast, tmp_path, rng):
    frame = pd.DataFrame({"flow": rng.random(12)})
    frame["eff"] = 1.0 / (1.0 + np.exp(-9.0 * (frame["flow"] - 0.4)))
    frame.to_csv(tmp_path / "pump.csv", index=False)
    pd.DataFrame({"flow": np.linspace(-0.2, 1.2, 30)}).to_csv(tmp_path / "q.csv", index=False)
    fitted = ("fit", "pump.csv", "--target", "eff", "--method", "ar1-map", "--no-check")
    code, out, err = mast(*fitted, "--bounded", "eff=0:1")
    assert code == 0, err
    assert "the logit between 0 and 1" in out
    assert mast("predict", "model.mast", "q.csv", "-o", "p.csv")[0] == 0
    found = pd.read_csv(tmp_path / "p.csv")
    assert (found["lower95"] >= 0.0).all()
    assert (found["upper95"] <= 1.0).all()
    assert (found["lower95"] < found["median"]).all()
    code, _, err = mast(*fitted, "--bounded", "eff=0:0.9")
    assert code == 1
    assert "of pump.csv" in err
    assert "between 0 and 0.9, and never to reach them" in err
    assert "--bounded eff=low: expected low:high" in mast(*fitted, "--bounded", "eff=low")[2]
