"""The command as a whole: how it starts, how failures end, what it leaves alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

import mastgp
from mastgp import examples
from wing import COSTS, FIT, WING


def test_version_and_help(mast):
    assert mast("--version")[1].strip() == f"mastgp {mastgp.__version__}"
    assert "fit" in mast("--help")[1]


def test_every_command_and_option_has_a_help_text():
    """A command's text is its docstring; an option's is in the alias of its type."""
    import typer

    from mastgp.cli.main import app

    def commands(group):
        for name, command in group.commands.items():
            yield from commands(command) if hasattr(command, "commands") else [(name, command)]

    found = dict(commands(typer.main.get_command(app)))
    assert {"fit", "predict", "show", "plot", "methods", "demo", "run", "report"} <= set(found)
    for name, command in found.items():
        assert command.help, name
        for parameter in command.params:
            assert parameter.help, f"{name}: {parameter.name}"


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


def test_usage_errors_have_their_own_code(mast):
    assert mast("fit", WING["cfd"])[0] == 2
    assert mast("nonsense")[0] == 2


def test_unexpected_errors_show_no_traceback(mast, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("mastgp.data.tables.training_table", broken)
    code, _, err = mast(*FIT, *COSTS)
    assert code == 70
    assert "RuntimeError: boom" in err
    assert "MAST_DEBUG=1" in err


def test_an_interruption_is_no_bug(mast, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mastgp.data.tables.training_table", interrupted)
    code, _, err = mast(*FIT, *COSTS)
    assert code == 130
    assert err.strip() == "Error: interrupted"


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


def test_full_disk(model_file, tmp_path):
    command = f"{sys.executable} -m mastgp predict wing.mast {WING['queries']} > /dev/full"
    result = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 1
    assert "No space left" in result.stderr
    assert "Traceback" not in result.stderr


def test_closed_pipe_ends_quietly(model_file, tmp_path):
    rows = "\n".join(["mach,alpha_deg,sweep_deg", *["0.6,1,20"] * 20_000])
    (tmp_path / "many.csv").write_text(rows)
    command = f"{sys.executable} -m mastgp predict wing.mast many.csv"
    result = subprocess.run(
        f"{command} | head -1", shell=True, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert result.stdout.startswith("mach")
    assert "Traceback" not in result.stderr


def test_commands_start_without_heavy_libraries():
    """Scikit-learn, pandas and SciPy take a second; help texts and usage errors need none."""
    code = "import sys, mastgp.cli.main; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"sklearn", "pandas", "scipy", "numpy", "matplotlib", "torch"}
    assert heavy & set(run.stdout.split()) == set()


def test_a_prediction_loads_only_what_it_needs(model_file, tmp_path):
    """Each of these takes a tenth of the time of a prediction, or more."""
    code = (
        "import atexit, sys; from mastgp.cli.main import main; "
        "atexit.register(lambda: print(*sys.modules)); "
        f"sys.argv = ['mast', 'predict', 'wing.mast', {WING['queries']!r}, '-o', '-']; main()"
    )
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    *table, modules = run.stdout.splitlines()
    assert len(table) == 21
    unwanted = {
        *("sklearn", "matplotlib", "torch", "dask", "openpyxl", "rich.console", "rich.table"),
        *("scipy.optimize", "scipy.stats", "scipy.spatial", "scipy.sparse", "scipy.interpolate"),
        *("numpy.f2py.crackfortran", "unittest", "multiprocessing", "joblib", "xml.etree"),
    }
    assert unwanted & set(modules.split()) == set()


def test_garbage_is_collected_seldom_and_not_at_the_end():
    code = (
        "import atexit, gc; from mastgp.cli.main import main; "
        "atexit.register(lambda: print(gc.get_threshold()[0], gc.get_freeze_count() > 10_000)); "
        "import sys; sys.argv = ['mast', '--version']; main()"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "100000 True"
