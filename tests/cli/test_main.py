from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import mastgp
from mastgp import MAST, examples, progress
from mastgp.cli import main as cli
from mastgp.cli import terminal

WING = {name: str(examples.FOLDER / f"{name}.csv") for name in ("panel", "cfd", "queries")}
FIT = ["fit", WING["panel"], WING["cfd"], "--target", "drag_counts"]
COSTS = ["--cost", "panel=1", "--cost", "cfd=20"]


@pytest.fixture
def mast(monkeypatch, capsys, tmp_path):
    """Run a command in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(terminal, "out", Console(width=200))
    monkeypatch.setattr(terminal, "err", Console(width=200, stderr=True, highlight=False))

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["mast", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return run


@pytest.fixture
def model_file(mast, tmp_path):
    assert mast(*FIT, *COSTS, "-o", "wing.mast")[0] == 0
    return tmp_path / "wing.mast"


def test_fit_predict_show_plot(mast, tmp_path):
    code, out, err = mast(*FIT, *COSTS, "-o", "wing.mast")
    assert code == 0
    assert err == ""
    assert "MAST surrogate of drag_counts as cfd sees it" in out
    assert "saved to wing.mast" in out
    code, out, _ = mast("predict", "wing.mast", WING["queries"], "-o", "predictions.csv")
    assert code == 0
    assert "20 predictions" in out
    table = pd.read_csv(tmp_path / "predictions.csv")
    assert list(table.columns) == [*examples.INPUTS, "mean", "std", "lower95", "upper95"]
    model = mastgp.load(tmp_path / "wing.mast")
    mean, std = model.predict(table[list(examples.INPUTS)], return_std=True)
    np.testing.assert_allclose(table["mean"], mean)
    np.testing.assert_allclose(table["std"], std)
    np.testing.assert_allclose(table["upper95"] - table["mean"], 1.959964 * std)
    code, out, _ = mast("show", "wing.mast", "--table", "points.csv")
    assert code == 0
    assert "panel" in out
    assert len(pd.read_csv(tmp_path / "points.csv")) == 94
    code, _, _ = mast("plot", "wing.mast", "-o", "wing.png")
    assert code == 0
    assert (tmp_path / "wing.png").read_bytes().startswith(b"\x89PNG")


def test_json_is_json(mast, model_file):
    code, out, _ = mast(*FIT, *COSTS, "-o", "again.mast", "--json")
    assert code == 0
    facts = json.loads(out)
    assert facts["predicts"] == "cfd"
    assert [row["points"] for row in facts["fidelities"]] == [80, 14]
    assert facts["seconds"] > 0
    assert json.loads(mast("show", "wing.mast", "--json")[1])["target"] == "drag_counts"
    rows = json.loads(mast("predict", "wing.mast", WING["queries"], "--json")[1])
    assert len(rows) == 20
    assert isinstance(rows[0]["mach"], float)
    assert {"mean", "std", "lower95", "upper95"} <= set(rows[0])
    wrote = mast("predict", "wing.mast", WING["queries"], "--json", "-o", "p.csv")[1]
    assert json.loads(wrote) == {"rows": 20, "output": "p.csv"}


def test_predictions_go_to_standard_output_by_default(mast, model_file):
    code, out, _ = mast("predict", "wing.mast", WING["queries"])
    assert code == 0
    assert out.startswith("mach,alpha_deg,sweep_deg,mean,std,lower95,upper95\n")
    noisy = mast("predict", "wing.mast", WING["queries"], "--include-noise")[1]
    assert noisy != out


def test_order_instead_of_costs_says_what_is_assumed(mast):
    code, out, _ = mast(*FIT, "--order", "panel,cfd")
    assert code == 0
    assert "a ratio of 10 per step of the order is assumed" in out


def test_one_long_file_with_options(mast, tmp_path):
    tables = [pd.read_csv(WING[name]).assign(source=name, e=0.5) for name in ("panel", "cfd")]
    pd.concat(tables).to_csv("runs.csv", index=False)
    code, out, _ = mast(
        "fit", "runs.csv", "--target", "drag_counts", "--fidelity-column", "source", *COSTS,
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
    assert facts["options"]["weight"] == "triangular"
    assert facts["options"]["warp"] is None
    assert (tmp_path / "model.mast").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "none.csv", "--target", "y"], "there is no file none.csv"),
        ([*FIT], "which of the fidelities 'cfd', 'panel' is the most expensive"),
        ([*FIT[:-1], "lift", *COSTS], "has no column 'lift'"),
        ([*FIT, "--cost", "panel"], "expected a name and a value"),
        ([*FIT, "--cost", "panel=cheap"], "'cheap' is not a number"),
        ([*FIT, *COSTS, "--bounds", "mach=1"], "expected low:high"),
        ([*FIT, *COSTS, "--bounds", "mach=0.7:0.9"], "outside the bounds"),
        ([*FIT, *COSTS, "--kernel", "cubic"], "unknown kernel 'cubic'"),
        ([*FIT, *COSTS, "--weight", "heavy"], "unknown weight 'heavy'"),
        ([*FIT, *COSTS, "-o", "nowhere/a.mast"], "the folder nowhere does not exist"),
        (["predict", "none.mast", WING["queries"]], "there is no file none.mast"),
        (["predict", WING["queries"], WING["queries"]], "is not a mastgp model"),
        (["show", WING["queries"]], "is not a mastgp model"),
        ([*FIT, "--cost", "cfd=10", "--cost", "cfd=1"], "--cost is given twice for 'cfd'"),
        (["fit", WING["cfd"], "--target", ""], "a column name is empty"),
        (["demo", WING["cfd"]], "is a file; name a folder"),
    ],
)
def test_failures_are_one_clear_message(mast, arguments, words):
    code, out, err = mast(*arguments)
    assert code == 1
    assert out == ""
    assert err.startswith("Error: ")
    assert words in err
    assert "Traceback" not in err


def test_wrong_queries(mast, model_file, tmp_path):
    (tmp_path / "q.csv").write_text("mach,alpha_deg\n0.6,1\n")
    assert "no column 'sweep_deg'" in mast("predict", "wing.mast", "q.csv")[2]
    (tmp_path / "q.csv").write_text("mach,alpha_deg,sweep_deg,mean\n0.6,1,20,3\n")
    header = mast("predict", "wing.mast", "q.csv")[1].splitlines()[0]
    assert header.endswith(
        ",mean,drag_counts_mean,drag_counts_std,drag_counts_lower95,drag_counts_upper95"
    )
    assert "nowhere does not exist" in mast("predict", "wing.mast", "q.csv", "-o", "nowhere/p")[2]
    assert "endings" in mast("plot", "wing.mast", "-o", "a.docx")[2]
    assert "unknown kind 'pie'" in mast("plot", "wing.mast", "--kind", "pie")[2]


def test_files_of_the_users_are_never_overwritten(mast, model_file, tmp_path):
    mine = tmp_path / "cfd.csv"
    mine.write_text("my,own\n1,2\n")
    assert "is not the example's" in mast("demo", ".")[2]
    assert mine.read_text() == "my,own\n1,2\n"
    before = model_file.read_bytes()
    for command in (
        ["predict", "wing.mast", WING["queries"], "-o", "wing.mast"],
        ["plot", "wing.mast", "-o", "wing.mast"],
        ["show", "wing.mast", "--table", "wing.mast"],
    ):
        assert "is one of the files to read" in mast(*command)[2]
    mine.write_text((examples.FOLDER / "cfd.csv").read_text())
    command = ["fit", WING["panel"], "cfd.csv", *FIT[3:], *COSTS, "-o", "cfd.csv"]
    assert "is one of the files to read" in mast(*command)[2]
    assert model_file.read_bytes() == before


def test_small_numbers_survive_json(mast, tmp_path):
    for name in ("panel", "cfd"):
        table = pd.read_csv(WING[name])
        table["drag_counts"] *= 1e-14
        table.to_csv(f"{name}.csv", index=False)
    assert mast("fit", "panel.csv", "cfd.csv", *FIT[3:], *COSTS, "-o", "small.mast")[0] == 0
    rows = json.loads(mast("predict", "small.mast", WING["queries"], "--json")[1])
    assert 0 < rows[0]["std"] < rows[0]["mean"] < 1e-11


def test_errors_after_reading_still_name_file_and_line(mast, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n0.1,1\n\n5,2\n")
    (tmp_path / "b.csv").write_text("x,y\n0.2,1\n0.3,2\n0.3,3\n")
    fit = ["fit", "a.csv", "b.csv", "--target", "y", "--order", "a,b"]
    assert "column 'x' is 5 in line 4 of a.csv" in mast(*fit, "--bounds", "x=0:1")[2]
    assert "first line 3 of b.csv and line 4 of b.csv" in mast(*fit)[2]


def test_models_of_arrays_and_odd_names(mast, tmp_path, rng):
    X = rng.random((20, 2))
    labels = ["[/b]"] * 14 + ["[red]"] * 6
    mastgp.MAST(order=["[/b]", "[red]"]).fit(X, X[:, 0], fidelity=labels).save("a.mast")
    code, out, _ = mast("show", "a.mast")
    assert code == 0
    assert "[/b]" in out
    assert mast("plot", "a.mast")[0] == 0
    assert (tmp_path / "a.png").exists()
    (tmp_path / "q.csv").write_text("x0,x1\n0.5,0.5\n")
    assert (
        "Wrote 1 predictions to o[red].csv."
        in mast("predict", "a.mast", "q.csv", "-o", "o[red].csv")[1]
    )


def test_one_expensive_point_can_be_drawn(mast, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n0.1,1\n0.5,2\n0.9,3\n")
    (tmp_path / "b.csv").write_text("x,y\n0.2,1\n")
    code, _, err = mast("fit", "a.csv", "b.csv", "--target", "y", "--order", "a,b")
    assert code == 0
    assert "Note: fidelity 'b' has only 1 point:" in err
    assert mast("plot", "model.mast")[0] == 0


def test_full_disk(model_file, tmp_path):
    command = f"{sys.executable} -m mastgp predict wing.mast {WING['queries']} > /dev/full"
    result = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 1
    assert "No space left" in result.stderr
    assert "Traceback" not in result.stderr


def test_several_costs_in_one_option(mast):
    assert mast(*FIT, "--cost", "panel=1,cfd=20")[0] == 0


def test_queries_beyond_the_expensive_points_are_noted(mast, model_file, tmp_path):
    (tmp_path / "q.csv").write_text("mach,alpha_deg,sweep_deg\n0.54,3,25\n0.7,3,25\n")
    err = mast("predict", "wing.mast", "q.csv", "-o", "p.csv")[2]
    assert "1 of 2 queries are outside the range of the cfd points in 'mach'" in err


def test_swapped_files(mast, model_file):
    assert "did you swap" in mast("predict", WING["queries"], "wing.mast")[2]


def test_odd_data_are_noted(mast, model_file, tmp_path):
    (tmp_path / "q.csv").write_text("mach,alpha_deg,sweep_deg\n9,1,20\n9,2,20\n")
    code, _, err = mast("predict", "wing.mast", "q.csv", "-o", "p.csv")
    assert code == 0
    assert err.count("Note: some queries lie far outside the data in column 'mach'") == 1


def test_usage_errors_have_their_own_code(mast):
    assert mast("fit", WING["cfd"])[0] == 2
    assert mast("nonsense")[0] == 2


def test_version_and_help(mast):
    assert mast("--version")[1].strip() == f"mastgp {mastgp.__version__}"
    assert "fit" in mast("--help")[1]


def test_unexpected_errors_show_no_traceback(mast, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("mastgp.data.tables.training_table", broken)
    code, _, err = mast(*FIT, *COSTS)
    assert code == 70
    assert "RuntimeError: boom" in err
    assert "MAST_DEBUG=1" in err


def test_demo(mast, tmp_path):
    code, out, _ = mast("demo")
    assert code == 0
    folder = tmp_path / "mast-demo"
    assert {path.name for path in folder.iterdir()} == {
        "panel.csv", "cfd.csv", "queries.csv", "wing.mast", "predictions.csv", "wing.png"
    }  # fmt: skip
    errors = [float(line.split()[-1]) for line in out.splitlines()[-5:-2]]
    assert errors[2] < 0.6 * errors[1] < errors[0]


def test_progress_appears_only_for_long_work(monkeypatch, capsys):
    from mastgp.progress import report

    console = Console(width=100, stderr=True, force_terminal=True)
    monkeypatch.setattr(progress, "_console", lambda: console)
    with progress.progress():
        report("quick work", 1, 2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    with progress.progress():
        report("long work", 1, 2)
        time.sleep(0.15)
    assert "long work" in capsys.readouterr().err


def test_closed_pipe_ends_quietly(model_file, tmp_path):
    rows = "\n".join(["mach,alpha_deg,sweep_deg", *["0.6,1,20"] * 20_000])
    (tmp_path / "many.csv").write_text(rows)
    command = f"{sys.executable} -m mastgp predict wing.mast many.csv"
    result = subprocess.run(
        f"{command} | head -1", shell=True, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert result.stdout.startswith("mach")
    assert "Traceback" not in result.stderr


def test_methods_and_their_options(mast):
    fit = (*FIT, *COSTS)
    code, out, _ = mast("methods")
    assert code == 0
    assert "ar1" in out
    assert "emukit" in out  # what nargp needs, or the command that gets it
    code, out, _ = mast("methods", "--json")
    assert {entry["name"] for entry in json.loads(out)} >= {"mast", "auto", "nargp"}
    code, out, _ = mast(*fit, "--method", "ar1", "-o", "a.mast")
    assert code == 0
    assert "Factor between fidelities" in out
    assert "expensive alone" in out
    assert mast("show", "a.mast")[0] == mast("plot", "a.mast", "--kind", "slices")[0] == 0
    for options, message in (
        (("--method", "magic"), "unknown method 'magic'"),
        (("--method", "ar1", "--radius", "sqrt"), "has no option --radius"),
        (("--method", "mast-forest", "--kernel", "rbf"), "--kernel is of GPs"),
        (("--method", "mfk"), "cannot be written to a file"),
        (("--surrogate", "magic"), "unknown surrogate 'magic'"),
        (("--method", "auto", "--no-warp"), "no option --warp or --no-warp"),
    ):
        code, _, err = mast(*fit, *options, "-o", "b.mast")
        assert code == 1, options
        assert message in " ".join(err.split())


def test_missing_weights_are_named_before_anything_heavy_is_loaded(tmp_path):
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


def test_predicted_intervals_are_the_models_own(mast, tmp_path):
    """Of auto: quantiles of the blend, which is not a normal distribution."""
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


@pytest.mark.parametrize(
    ("fused", "noted"), [(2.0, True), (1.05, False), (0.5, False), (None, False)]
)
def test_a_fused_model_that_loses_is_named(capsys, monkeypatch, fused, noted):
    monkeypatch.setattr(terminal, "err", Console(width=300, stderr=True, highlight=False))
    rows = [{"model": "MAST", "rmse": fused}, {"model": "expensive alone", "rmse": 1.0}]
    X = np.linspace(0, 1, 5)[:, None]
    data = MAST().fit(X, 3 * X[:, 0]).training_data_
    cli._note_a_loss(rows, data)
    words = "MAST does worse on held-out points than the expensive points alone (RMSE 2 against 1)"
    assert (words in capsys.readouterr().err) == noted


def test_one_expensive_point_cannot_be_checked(mast, tmp_path):
    rows = "".join(f"{x},{x * x}\n" for x in (0.1, 0.3, 0.5, 0.8))
    (tmp_path / "a.csv").write_text("x,y\n" + rows)
    (tmp_path / "b.csv").write_text("x,y\n0.4,1\n")
    for method in ("mast", "auto"):
        command = ("fit", "a.csv", "b.csv", "--target", "y", "--order", "a,b")
        code, _, err = mast(*command, "--method", method)
        assert code == 0
        assert "no held-out check: " in err


def test_dropping_is_for_the_method_that_can(mast):
    code, _, err = mast(*FIT, *COSTS, "--drop")
    assert code == 1
    assert "method 'mast' has no option --drop" in err
    code, out, _ = mast(*FIT, *COSTS, "--method", "auto", "--drop", "--json", "--no-check")
    assert code == 0
    assert {entry["word"] for entry in json.loads(out)["verdict"]} <= {"helps", "is neutral"}


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
