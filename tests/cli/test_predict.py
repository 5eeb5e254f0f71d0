"""``mast predict``: a model's predictions at the points of a file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp import examples
from wing import COSTS, FIT, WING


def test_predictions_are_the_models_own(mast, model_file, tmp_path):
    code, out, _ = mast("predict", "wing.mast", WING["queries"], "-o", "predictions.csv")
    assert code == 0
    assert "20 predictions" in out
    table = pd.read_csv(tmp_path / "predictions.csv")
    assert list(table.columns) == [*examples.INPUTS, "mean", "std", "lower95", "upper95"]
    mean, std = mastgp.load(model_file).predict(table[list(examples.INPUTS)], return_std=True)
    np.testing.assert_allclose(table["mean"], mean)
    np.testing.assert_allclose(table["std"], std)
    np.testing.assert_allclose(table["upper95"] - table["mean"], 1.959964 * std)


def test_predictions_go_to_standard_output_by_default(mast, model_file):
    code, out, _ = mast("predict", "wing.mast", WING["queries"])
    assert code == 0
    assert out.startswith("mach,alpha_deg,sweep_deg,mean,std,lower95,upper95\n")
    noisy = mast("predict", "wing.mast", WING["queries"], "--include-noise")[1]
    assert noisy != out


def test_json_is_json(mast, model_file):
    rows = json.loads(mast("predict", "wing.mast", WING["queries"], "--json")[1])
    assert len(rows) == 20
    assert isinstance(rows[0]["mach"], float)
    assert {"mean", "std", "lower95", "upper95"} <= set(rows[0])
    wrote = mast("predict", "wing.mast", WING["queries"], "--json", "-o", "p.csv")[1]
    assert json.loads(wrote) == {"rows": 20, "output": "p.csv"}


def test_small_numbers_survive_json(mast):
    for name in ("panel", "cfd"):
        table = pd.read_csv(WING[name])
        table["drag_counts"] *= 1e-14
        table.to_csv(f"{name}.csv", index=False)
    fit = ("fit", "panel.csv", "cfd.csv", *FIT[3:], *COSTS, "-o", "small.mast", "--no-check")
    assert mast(*fit)[0] == 0
    rows = json.loads(mast("predict", "small.mast", WING["queries"], "--json")[1])
    assert 0 < rows[0]["std"] < rows[0]["mean"] < 1e-11


def test_wrong_queries(mast, model_file, tmp_path):
    (tmp_path / "q.csv").write_text("mach,alpha_deg\n0.6,1\n")
    assert "no column 'sweep_deg'" in mast("predict", "wing.mast", "q.csv")[2]
    assert "nowhere does not exist" in mast("predict", "wing.mast", "q.csv", "-o", "nowhere/p")[2]
    assert "did you swap" in mast("predict", WING["queries"], "wing.mast")[2]


def test_columns_of_the_users_are_kept(mast, model_file, tmp_path):
    """Where a new column's name is taken, all new ones are called after the target."""
    (tmp_path / "q.csv").write_text("mach,alpha_deg,sweep_deg,mean\n0.6,1,20,3\n")
    header = mast("predict", "wing.mast", "q.csv")[1].splitlines()[0]
    assert header.endswith(
        ",mean,drag_counts_mean,drag_counts_std,drag_counts_lower95,drag_counts_upper95"
    )
    (tmp_path / "q.csv").write_text("mach,alpha_deg,sweep_deg,std,drag_counts_std\n0.6,1,20,3,3\n")
    code, _, err = mast("predict", "wing.mast", "q.csv")
    assert code == 1
    assert "a column 'drag_counts_std' already; rename it" in err


def test_queries_beyond_the_expensive_points_are_noted(mast, model_file, tmp_path):
    (tmp_path / "q.csv").write_text("mach,alpha_deg,sweep_deg\n0.54,3,25\n0.7,3,25\n")
    err = mast("predict", "wing.mast", "q.csv", "-o", "p.csv")[2]
    assert "1 of 2 queries are outside the range of the cfd points in 'mach'" in err


def test_odd_data_are_noted(mast, model_file, tmp_path):
    (tmp_path / "q.csv").write_text("mach,alpha_deg,sweep_deg\n9,1,20\n9,2,20\n")
    code, _, err = mast("predict", "wing.mast", "q.csv", "-o", "p.csv")
    assert code == 0
    assert err.count("Note: some queries lie far outside the data in column 'mach'") == 1


def test_models_of_arrays_have_numbered_inputs(mast, tmp_path, rng):
    X = rng.random((20, 2))
    labels = ["a"] * 14 + ["b"] * 6
    mastgp.MAST(order=["a", "b"]).fit(X, X[:, 0], fidelity=labels).save("a.mast")
    (tmp_path / "q.csv").write_text("x0,x1\n0.5,0.5\n")
    out = mast("predict", "a.mast", "q.csv", "-o", "o[red].csv")[1]
    assert "Wrote 1 predictions to o[red].csv." in out
    assert pd.read_csv("o[red].csv")["mean"][0] == pytest.approx(0.5, abs=0.05)


def test_predicted_intervals_of_a_blend_are_its_quantiles(mast, tmp_path):
    """A blend is not a normal distribution."""
    rng = np.random.default_rng(0)
    for name, n in (("a", 25), ("b", 6)):
        x = rng.random(n)
        pd.DataFrame({"x": x, "y": np.sin(9 * x) + (name == "a") * x}).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    options = ("--target", "y", "--order", "a,b", "--method", "auto", "-o", "m.mast")
    assert mast("fit", "a.csv", "b.csv", *options)[0] == 0
    queries = pd.DataFrame({"x": [0.05, 0.5, 0.93]})
    queries.to_csv(tmp_path / "q.csv", index=False)
    assert mast("predict", "m.mast", "q.csv", "-o", "p.csv")[0] == 0
    predicted = pd.read_csv(tmp_path / "p.csv")
    model = mastgp.load(tmp_path / "m.mast")
    low, high = model.predict_interval(queries)
    np.testing.assert_allclose(predicted.lower95, low, rtol=1e-6)
    np.testing.assert_allclose(predicted.upper95, high, rtol=1e-6)
    np.testing.assert_allclose(model.predict_mixture(queries).cdf(low), 0.025, atol=1e-6)
    code, out, _ = mast("show", "m.mast")
    assert code == 0
    assert "Blend of " in out
    assert "trust" not in out


QUERIES = "case;mach;alpha_deg;sweep_deg\nA,1;0,6;1,5;20\nB;0,7;2;25\n"


def test_decimal_commas_come_back_as_they_came(mast, model_file, tmp_path):
    (tmp_path / "q.csv").write_text(QUERIES)
    code, out, _ = mast("predict", "wing.mast", "q.csv")
    assert code == 0
    (tmp_path / "p.csv").write_text(out)
    table = pd.read_csv("p.csv", sep=";", decimal=",")
    assert table["case"].tolist() == ["A,1", "B"]
    mean = mastgp.load(model_file).predict(table[list(examples.INPUTS)])
    np.testing.assert_allclose(table["mean"], mean)
    assert mast("predict", "wing.mast", "p.csv", "-o", "again.csv")[0] == 0
    again = pd.read_csv("again.csv", sep=";", decimal=",")
    np.testing.assert_array_equal(again["drag_counts_mean"], table["mean"])


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("p.tsv", lambda path: pd.read_csv(path, sep="\t")),
        ("p.xlsx", pd.read_excel),
        ("p.parquet", pd.read_parquet),
        ("p.feather", pd.read_feather),
    ],
)
def test_the_ending_names_the_format(mast, model_file, tmp_path, name, read):
    """However the queries were written, inputs and predictions are numbers."""
    pytest.importorskip("openpyxl")
    pytest.importorskip("pyarrow")
    (tmp_path / "q.csv").write_text(QUERIES)
    assert mast("predict", "wing.mast", "q.csv", "-o", name)[0] == 0
    table = read(tmp_path / name)
    assert table["mach"].tolist() == [0.6, 0.7]
    mean = mastgp.load(model_file).predict(table[list(examples.INPUTS)])
    np.testing.assert_allclose(table["mean"], mean)
    assert mast("predict", "wing.mast", name)[0] == 0


def test_tabs_and_decimal_commas_become_commas_and_points(mast, model_file, tmp_path):
    (tmp_path / "q.csv").write_text(QUERIES.replace(";", "\t"))
    mast("predict", "wing.mast", "q.csv", "-o", "p.csv")
    table = pd.read_csv(tmp_path / "p.csv")
    assert table["mach"].tolist() == [0.6, 0.7]
    assert table["case"].tolist() == ["A,1", "B"]


def test_other_endings_are_refused(mast, model_file, tmp_path):
    code, _, err = mast("predict", "wing.mast", WING["queries"], "-o", "p.docx")
    assert code == 1
    assert "cannot write a table as '.docx'; choose one of '.csv'" in err
    assert not (tmp_path / "p.docx").exists()


def mast_process(folder, command, **options):
    """Run a command of a shell, with ``mast`` in it."""
    shell = command.replace("mast ", f"{sys.executable} -m mastgp ", 1)
    return subprocess.run(
        ["bash", "-c", shell], cwd=folder, capture_output=True, text=True, check=False, **options
    )


@pytest.mark.parametrize(
    "command",
    [
        "mast predict wing.mast - < q.csv",
        "mast predict wing.mast /dev/stdin < q.csv",
        "mast predict wing.mast <(cat q.csv)",
        "mast predict wing.mast - -o - < <(cat q.csv)",
    ],
)
def test_pipes_are_read_once(mast, model_file, tmp_path, command):
    Path("q.csv").write_bytes(Path(WING["queries"]).read_bytes())
    run = mast_process(tmp_path, command)
    assert run.stdout == mast("predict", "wing.mast", "q.csv")[1]
    assert run.returncode == 0


def test_rows_with_empty_cells(mast, model_file, tmp_path):
    (tmp_path / "q.csv").write_text("mach,alpha_deg,sweep_deg\n0.6,1,20\n0.7,,20\n")
    code, _, err = mast("predict", "wing.mast", "q.csv")
    assert code == 1
    assert "line 3 of q.csv, column 'alpha_deg': the value is missing (NaN)" in err
    assert "--skip-missing" in err
    code, out, err = mast("predict", "wing.mast", "q.csv", "--skip-missing")
    assert code == 0
    assert len(out.splitlines()) == 2
    assert "1 of 2 rows of q.csv has an empty cell, first line 3, column 'alpha_deg'" in err


def test_units_of_queries_are_those_of_the_model(mast, tmp_path, rng):
    rows = "\n".join(f"{x},{x**2}" for x in rng.random(8))
    (tmp_path / "a.csv").write_text(f"span,drag\nm,N\n{rows}\n")
    assert mast("fit", "a.csv", "--target", "drag", "-o", "a.mast", "--no-check")[0] == 0
    out = mast("show", "a.mast")[1]
    assert "surrogate of drag (N)" in out
    assert "span (m)" in out
    (tmp_path / "q.csv").write_text("span\nm\n0.5\n")
    assert mast("predict", "a.mast", "q.csv")[0] == 0
    (tmp_path / "q.csv").write_text("span\nmm\n500\n")
    assert (
        "'span' is in 'm' in a.mast, but in 'mm' in q.csv" in mast("predict", "a.mast", "q.csv")[2]
    )
