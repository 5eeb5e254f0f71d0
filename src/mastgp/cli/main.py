"""The ``mast`` command: thin, each command little more than one call into the library."""

from __future__ import annotations

import io
import os
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from .. import __version__
from ..errors import DataError, FileError, MastError, MastWarning
from ..progress import QUIET_SECONDS, progress
from . import terminal
from .bench import app as bench

if TYPE_CHECKING:
    import pandas as pd

    from ..data.dataset import Dataset
    from ..methods import Method
    from ..models.estimator import MultiFidelityRegressor

app = typer.Typer(
    help="One surrogate from a few expensive and many cheap results.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.add_typer(bench, name="bench")

icl = typer.Typer(
    help="Weights of in-context learners (TabPFN, TabICL).",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(icl, name="icl")

ModelFile = Annotated[str, typer.Argument(help="Model file, as written by 'mast fit'.")]
#: Rows of the table that `mast fit` prints; the rest is in the model.
MOST_CANDIDATES_SHOWN = 8
#: A held-out error this many times that of the expensive points alone is worth a word.
LOSING = 1.1
#: Errors of this share of the target's spread are rounding.
ROUNDING = 1e-6

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        terminal.out.print(f"mastgp {__version__}", highlight=False)
        raise typer.Exit


@app.command()
def fit(
    files: Annotated[
        list[str],
        typer.Argument(help="CSV or Parquet files, one per fidelity (or name=file)."),
    ],
    target: Annotated[str, typer.Option(help="Column of the response.")],
    cost: Annotated[
        list[str] | None,
        typer.Option(help="Cost of one evaluation, as fine=10; once per fidelity."),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(help="Fidelities from cheap to expensive, as coarse,fine, instead of costs."),
    ] = None,
    output: Annotated[
        str, typer.Option("-o", "--output", help="Where to write the model.")
    ] = "model.mast",
    fidelity_column: Annotated[
        str | None, typer.Option(help="Column that names each row's fidelity, for one long file.")
    ] = None,
    inputs: Annotated[
        str | None, typer.Option(help="Input columns, as mach,alpha; all others by default.")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(help="Column to leave out; may be repeated.")
    ] = None,
    bounds: Annotated[
        list[str] | None,
        typer.Option(help="Range of an input, as mach=0.5:0.9; the data's by default."),
    ] = None,
    exponent: Annotated[
        list[str] | None, typer.Option(help="Trust exponent of a fidelity, as coarse=0.5.")
    ] = None,
    noise_std: Annotated[
        list[str] | None,
        typer.Option(help="Known noise standard deviation of a fidelity, as fine=0.1."),
    ] = None,
    noise_column: Annotated[
        str | None, typer.Option(help="Column of known noise standard deviations.")
    ] = None,
    method: Annotated[
        str, typer.Option(help="Name of a method; 'mast methods' lists them.")
    ] = "mast",
    metric: Annotated[
        str | None, typer.Option(help="Distance of the trust weights; euclidean by default.")
    ] = None,
    radius: Annotated[
        str | None, typer.Option(help="Radius of the trust region; sqrt by default.")
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="Weight of expensive neighbours; power by default.")
    ] = None,
    kernel: Annotated[
        str | None, typer.Option(help="Kernel of the GPs: rbf (default) or matern52.")
    ] = None,
    surrogate: Annotated[
        str | None,
        typer.Option(help="What MAST's stages are made of: gp (default), extra-trees, tabpfn ..."),
    ] = None,
    warp: Annotated[
        bool | None, typer.Option(help="Warp the inputs (default of the methods that can).")
    ] = None,
    drop: Annotated[
        bool | None,
        typer.Option("--drop", help="With auto: leave out cheap fidelities that hurt."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Random state, for methods that draw random numbers.", min=0, max=2**32 - 1
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option(help="Check the model on held-out points and print a table.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Fit a surrogate to files of several fidelities and save it."""
    from ..files import check_can_write
    from ..surrogates.checkpoints import WEIGHTS, check_ready

    check_can_write(output)
    if surrogate in WEIGHTS:
        check_ready(WEIGHTS[surrogate])  # before anything that takes a second to load

    from ..data.tables import training_table
    from ..output.storage import check_can_be_saved
    from ..output.summary import summarise

    _check_output_is_no_input(output, [name.rpartition("=")[2] for name in files])
    table = training_table(
        files,
        target,
        fidelity_column=fidelity_column,
        inputs=terminal.names(inputs),
        ignore=[name for text in ignore or [] for name in terminal.names(text) or []],
        noise_column=noise_column,
    )
    model = _estimator(
        method,
        {
            "exponents": terminal.numbers(exponent, "--exponent") or None,
            "metric": metric,
            "radius": radius,
            "weight": weight,
            "kernel": kernel,
            "surrogate": surrogate,
            "warp": warp,
            "drop": drop,
        },
        costs=terminal.numbers(cost, "--cost") or None,
        order=terminal.names(order),
        noise_std=terminal.numbers(noise_std, "--noise-std") or None,
        bounds=terminal.ranges(bounds) or None,
        random_state=seed,
    )
    check_can_be_saved(model)
    started = time.perf_counter()
    with terminal.notes(), progress():
        model.fit(table.X, table.y, fidelity=table.fidelity, noise_std=table.noise_std)
    seconds = time.perf_counter() - started
    model.save(output)
    if as_json:
        facts = {**summarise(model), "output": output, "seconds": seconds}
        if check and "validation" not in facts:
            facts["validation"] = _validated(model)
        terminal.print_json(facts)
        return
    _print_summary(model)
    fitted = f"Fitted in {seconds:.2f} s"
    if check:
        started = time.perf_counter()
        _print_validation(model)
        if (checking := time.perf_counter() - started) > QUIET_SECONDS:
            fitted += f", checked in {checking:.2f} s"
    terminal.say(f"{fitted} and saved to {output}.")


@app.command()
def predict(
    model_file: ModelFile,
    queries: Annotated[str, typer.Argument(help="CSV or Parquet file of points.")],
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="Where to write; standard output by default."),
    ] = None,
    include_noise: Annotated[
        bool, typer.Option(help="Interval of a new observation, not of the function.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Predict at the points of a file: adds mean, std, lower95 and upper95."""
    from ..data.tables import query_table, write_table
    from ..files import check_can_write

    if output is not None:
        check_can_write(output)
        _check_output_is_no_input(output, [model_file, queries])
    if queries.endswith(".mast") and not model_file.endswith(".mast"):
        raise DataError("the model comes first, then the queries: did you swap the two files?")
    model = _load(model_file)
    table, inputs = query_table(queries, model.training_data_.feature_names)
    _note_extrapolation(model, inputs)
    predictions = _add_predictions(model, table, inputs, include_noise)
    if output is not None:
        write_table(predictions, output)
        if as_json:
            terminal.print_json({"rows": len(predictions), "output": output})
        else:
            terminal.say(f"Wrote {len(predictions)} predictions to {output}.")
    elif as_json:
        terminal.print_json(predictions.assign(**inputs).to_dict(orient="records"))
    else:
        predictions.to_csv(sys.stdout, index=False)


@app.command()
def show(
    model_file: ModelFile,
    table: Annotated[
        str | None,
        typer.Option(help="Also write what became of every training point to this file."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a model was fitted to and what it learned."""
    from ..data.tables import write_table
    from ..output.summary import summarise

    model = _load(model_file)
    if table is not None:
        from ..models.mast import MAST

        if not isinstance(model, MAST):
            raise DataError(f"--table is of MAST models only; {model_file} is another one")
        _check_output_is_no_input(table, [model_file])
        write_table(model.augmented_, table)
    if as_json:
        terminal.print_json(summarise(model))
    else:
        _print_summary(model)


@app.command()
def plot(
    model_file: ModelFile,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="Figure file: png, pdf or svg; after the model."),
    ] = None,
    kind: Annotated[
        str, typer.Option(help="all, parity (held-out check), slices or trust.")
    ] = "all",
) -> None:
    """Draw a figure of a model: held-out check, trust weights, slices."""
    from ..files import check_can_write
    from ..output.figures import draw, save_figure

    output = output or f"{Path(model_file).stem}.png"
    check_can_write(output)
    _check_output_is_no_input(output, [model_file])
    model = _load(model_file)
    with terminal.notes(), progress():
        save_figure(draw(model, kind), output)
    terminal.say(f"Drew {output}.")


@app.command()
def methods(as_json: AsJson = False) -> None:
    """List every method: what it is, when to use it, what it needs and whether that is here."""
    from ..methods import METHODS

    if as_json:
        terminal.print_json(
            [
                {
                    "name": m.name,
                    "about": m.about,
                    "use_when": m.use_when,
                    "needs": list(m.needs),
                    "extra": m.extra,
                    "installed": m.installed,
                    "ready": m.ready,
                    "python_only": m.python_only,
                }
                for m in METHODS.values()
            ]
        )
        return
    table = Table()
    for column in ("method", "what it is", "use it when", "needs"):
        table.add_column(column, overflow="fold")
    for m in METHODS.values():
        table.add_row(m.name, Text(m.about), Text(m.use_when), Text(_state_of(m)))
    terminal.out.print(table)


@icl.command()
def download(
    name: Annotated[str, typer.Argument(help="Learner: tabpfn or tabicl.")] = "tabpfn",
    yes: Annotated[bool, typer.Option("--yes", help="Accept the licence without asking.")] = False,
) -> None:
    """Fetch a learner's weights, after showing where from, where to, and their licence."""
    from ..surrogates.checkpoints import download as fetch
    from ..surrogates.checkpoints import weights_of

    def agree(notice: str) -> bool:
        terminal.say(notice)
        return yes or typer.confirm("Download these weights under this licence?")

    with progress():
        path = fetch(weights_of(name), agree)
    terminal.say(f"The weights are in {path}.")


@app.command()
def demo(
    folder: Annotated[str, typer.Argument(help="Folder for the example's files.")] = "mast-demo",
) -> None:
    """Run the main job on a bundled example: fit, predict, draw."""
    from .. import examples

    place = Path(folder)
    at = _copy_example(place)
    ratio = examples.COSTS["cfd"] / examples.COSTS["panel"]
    terminal.say(
        f"The drag of a wing: {examples.RUNS['panel']} panel-method runs and "
        f"{examples.RUNS['cfd']} CFD runs, {ratio:g} times as expensive.\n"
        f"Files are in {folder}/."
    )
    model_file, figure = str(place / "wing.mast"), str(place / "wing.png")
    costs = [f"{name}={value:g}" for name, value in examples.COSTS.items()]
    options = f"--target {examples.TARGET} " + " ".join(f"--cost {cost}" for cost in costs)
    _echo(f"mast fit {at['panel.csv']} {at['cfd.csv']} {options} -o {model_file}")
    fit([at["panel.csv"], at["cfd.csv"]], examples.TARGET, cost=costs, output=model_file)
    predictions = str(place / "predictions.csv")
    _echo(f"mast predict {model_file} {at['queries.csv']} -o {predictions}")
    predict(model_file, at["queries.csv"], output=predictions)
    _echo(f"mast plot {model_file} -o {figure}")
    plot(model_file, output=figure)
    _print_demo_errors(model_file, at["cfd.csv"])
    terminal.say(f"\nNow look at {figure}. For files of your own, see 'mast fit --help'.")


def main() -> None:
    """Run the command line; every failure ends in one clear message and a non-zero exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app()
    except BrokenPipeError:
        _discard_output()
        sys.exit(1)
    except MastError as error:
        _fail(str(error))
    except KeyboardInterrupt:
        _fail("interrupted", code=130)
    except OSError as error:
        _discard_output()
        _fail(f"cannot read or write: {error.strerror or error}")
    except Exception as error:
        if os.environ.get("MAST_DEBUG"):
            raise
        _fail(
            f"something unexpected happened ({type(error).__name__}: {error}). "
            "Set MAST_DEBUG=1 and run it again for the details of a bug report",
            code=70,
        )


def _fail(message: str, code: int = 1) -> None:
    terminal.err.print("Error:", style="bold red", end=" ")
    terminal.err.print(message, markup=False, soft_wrap=True)
    sys.exit(code)


def _discard_output() -> None:
    """Keep Python from complaining at exit about output that nobody takes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _check_output_is_no_input(output: str, inputs: list[str]) -> None:
    for name in inputs:
        if os.path.exists(name) and os.path.exists(output) and os.path.samefile(name, output):
            raise FileError(f"{output} is one of the files to read; write to another one")


def _copy_example(place: Path) -> dict[str, str]:
    """Put the example's files in a folder, without touching files of the user's."""
    from ..examples import FOLDER

    if place.exists() and not place.is_dir():
        raise FileError(f"{place} is a file; name a folder for the example")
    place.mkdir(parents=True, exist_ok=True)
    for source in sorted(FOLDER.glob("*.csv")):
        target = place / source.name
        if target.exists() and target.read_bytes() != source.read_bytes():
            raise FileError(f"{target} exists and is not the example's; name another folder")
        target.write_bytes(source.read_bytes())
    return {source.name: str(place / source.name) for source in FOLDER.glob("*.csv")}


def _load(path: str) -> Any:
    """Read a model; what that needs is loaded now, so that the command itself starts at once."""
    from ..api import load

    return load(path)


def _state_of(method: Method) -> str:
    """Whether what a method needs is here, or else the command that gets it."""
    if not method.installed:
        return method.install_command
    if not method.ready:
        return f"mast icl download {method.weights}"
    state = f"{', '.join(method.needs)}: installed" if method.needs else "-"
    return f"{state}; in Python only" if method.python_only else state


def _estimator(name: str, options: dict[str, Any], **described: Any) -> MultiFidelityRegressor:
    """An estimator of the named method; options that it does not know are refused by name."""
    from ..methods import method
    from ..surrogates import GP

    model = method(name).build(**described)
    known = model.get_params(deep=False)
    given = {option: value for option, value in options.items() if value is not None}
    if "kernel" in given and "kernel" not in known and "surrogate" in known:
        if (chosen := given.get("surrogate", known["surrogate"])) != "gp":
            raise DataError(f"--kernel is of GPs; surrogate {chosen!r} has none")
        given["surrogate"] = GP(kernel=given.pop("kernel"))
    if "warp" in given:
        given["warp"] = "kumaraswamy" if given["warp"] else None
    for option in given:
        if option not in known:
            shown = {"exponents": "exponent", "warp": "warp or --no-warp"}.get(option, option)
            raise DataError(f"method {name!r} has no option --{shown}")
    model.set_params(**given)
    return model


def _note_extrapolation(model: MultiFidelityRegressor, inputs: pd.DataFrame) -> None:
    """Say where queries leave the range of the expensive points, if cheap ones go further."""
    data = model.training_data_
    if not data.cheaper:
        return
    for i, name in enumerate(data.feature_names):
        low, high = data.top.X[:, i].min(), data.top.X[:, i].max()
        slack = 0.05 * data.box.widths[i]
        beyond = int(((inputs[name] < low - slack) | (inputs[name] > high + slack)).sum())
        if beyond:
            terminal.note(
                f"{beyond} of {len(inputs)} queries are outside the range of the {data.top.name} "
                f"points in {name!r} ({low:g} to {high:g}): there the correction of the cheap data "
                "is a guess"
            )


def _add_predictions(
    model: MultiFidelityRegressor, table: pd.DataFrame, inputs: pd.DataFrame, include_noise: bool
) -> pd.DataFrame:
    columns = ["mean", "std", "lower95", "upper95"]
    if set(columns) & set(table.columns):
        columns = [f"{model.target_name_ or 'predicted'}_{name}" for name in columns]
    taken = sorted(set(columns) & set(table.columns))
    if taken:
        raise DataError(f"the file of queries has a column {taken[0]!r} already; rename it")
    with terminal.notes(), progress():
        X = inputs if hasattr(model, "feature_names_in_") else inputs.to_numpy()
        mean, std = model.predict(X, return_std=True, include_noise=include_noise)
        values = (mean, std, *model.predict_interval(X, include_noise=include_noise))
    return table.assign(**dict(zip(columns, values, strict=True)))


def _print_summary(model: MultiFidelityRegressor) -> None:
    from ..output.summary import summarise

    facts = summarise(model)
    what = facts["target"] or "y"
    terminal.say(f"{facts['label']} surrogate of {what} as {facts['predicts']} sees it")
    table = Table(title_justify="left")
    has_trust = any("trust" in row for row in facts["fidelities"])
    columns = ("fidelity", "points", "cost", "noise (std, learned)", *(["trust"] * has_trust))
    for column in columns:
        table.add_column(column, justify="left" if column == "fidelity" else "right")
    for row in reversed(facts["fidelities"]):
        trust = row.get("trust")
        table.add_row(
            Text(row["name"]),
            str(row["points"]),
            "-" if row["cost"] is None else f"{row['cost']:g}",
            "-"
            if row["noise_std"] is None
            else f"{row['noise_std']:.3g}" + (" given" if row["noise_known"] else ""),
            *([_range_of(trust)] * has_trust),
        )
    terminal.out.print(table)
    inputs = Table()
    scaled = "lengthscale" in facts["inputs"][0]
    columns = ("input", "from", "to", f"{facts['predicts']} points", *(["lengthscale"] * scaled))
    for column in columns:
        inputs.add_column(Text(column), justify="left" if column == "input" else "right")
    for row in facts["inputs"]:
        low, high = row["expensive_points"]
        inputs.add_row(
            Text(row["name"]),
            f"{row['low']:g}",
            f"{row['high']:g}",
            f"{low:g} to {high:g}",
            *([f"{row['lengthscale']:.2f}"] if scaled else []),
        )
    terminal.out.print(inputs)
    if facts.get("factors"):
        factors = ", ".join(f"{factor:.3g}" for factor in facts["factors"])
        terminal.say(f"Factor between fidelities: {factors}")
    if facts.get("weights"):
        heaviest = list(facts["weights"].items())[:MOST_CANDIDATES_SHOWN]
        shown = "; ".join(f"{name} {weight:.2f}" for name, weight in heaviest if weight >= 0.01)
        terminal.say(f"Blend of {shown}")
    for entry in facts.get("verdict", []):
        terminal.say(entry["sentence"])
    if facts["costs_assumed"]:
        terminal.out.print("Costs were not given: a ratio of 10 per step of the order is assumed.")


def _range_of(trust: dict[str, float] | None) -> str:
    if trust is None:
        return "-"
    return f"{trust['mean']:.2f} ({trust['min']:.2f} to {trust['max']:.2f})"


def _validated(model: MultiFidelityRegressor) -> list[dict[str, Any]]:
    """Rows of the held-out check; none, and a note, where the data allow none."""
    from ..check.validation import validate
    from ..output.summary import records

    rows, reason = [], "there are too few expensive points"
    try:
        with terminal.notes(), progress():
            rows = records(validate(model))
    except DataError as error:
        reason = str(error)
    if not rows:
        terminal.note(f"no held-out check: {reason}")
    return rows


def _print_validation(model: MultiFidelityRegressor) -> None:
    """The held-out check as a small table, and what the cheap data are worth."""
    rows = _validated(model)
    if not rows:
        return
    top = model.training_data_.top.name
    table = Table(title=f"Held-out check on the {top} points", title_justify="left")
    weighted = "weight" in rows[0]
    for column in ("model", *(["weight"] if weighted else []), "RMSE", "NLPD", "95 % covers"):
        table.add_column(column, justify="left" if column == "model" else "right")
    shown = rows[:MOST_CANDIDATES_SHOWN]
    shown += [r for r in rows[MOST_CANDIDATES_SHOWN:] if r["model"] == "expensive alone"]
    for row in shown:
        table.add_row(
            Text(row["model"]),
            *([f"{row['weight']:.2f}"] if weighted else []),
            *("-" if row[k] is None else f"{row[k]:.4g}" for k in ("rmse", "nlpd")),
            "-" if row["coverage95"] is None else f"{row['coverage95']:.0%}",
        )
    terminal.out.print(table)
    terminal.say("NLPD: mean negative log density of the held-out values; smaller is better.")
    if weighted:
        terminal.say(
            "Co-kriging rows (ar1, general, ...-bias) and the blend look somewhat too good: their "
            "hyperparameters have seen the points."
        )
    _note_a_loss(rows, model.training_data_)


def _note_a_loss(rows: list[dict[str, Any]], data: Dataset) -> None:
    """Say so where the cheap data made things worse."""
    name, fused = rows[0]["model"], rows[0]["rmse"]
    alone = {row["model"]: row["rmse"] for row in rows}.get("expensive alone")
    if fused is None or alone is None:
        return
    if fused > LOSING * alone and fused > ROUNDING * data.scale_of(data.top.y):
        advice = "" if "weight" in rows[0] else " --method auto weighs both"
        terminal.note(
            f"{name} does worse on held-out points than the expensive points alone "
            f"(RMSE {fused:.4g} against {alone:.4g}). Do the cheap data belong to these "
            f"points, and is every input column one?{advice}"
        )


def _echo(command: str) -> None:
    terminal.out.print(
        f"\n$ {command}", style="bold", markup=False, highlight=False, soft_wrap=True
    )


def _print_demo_errors(model_file: str, cfd_file: str) -> None:
    """Compare with what the expensive runs alone would have given: here the truth is known."""
    import numpy as np
    import pandas as pd

    from .. import examples
    from ..models.mast import MAST

    columns = list(examples.INPUTS)
    X = pd.DataFrame(examples.design(1000, seed=4), columns=columns)
    truth = examples.cfd_drag(X.to_numpy())
    runs = pd.read_csv(cfd_file)
    alone = MAST().fit(runs[columns], runs[examples.TARGET])

    def error(values: Any) -> float:
        return float(np.sqrt(np.mean((values - truth) ** 2)))

    fused = _load(model_file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MastWarning)
        terminal.say(
            f"\nRMSE on {len(X)} flight conditions that no run has seen, in drag counts (the\n"
            f"truth is known here; the figure's held-out check has only the CFD runs to go by):\n"
            f"  the panel method itself  {error(examples.panel_drag(X.to_numpy())):6.1f}\n"
            f"  a GP of the {len(runs)} CFD runs  {error(alone.predict(X)):6.1f}\n"
            f"  both, fused by MAST      {error(fused.predict(X)):6.1f}"
        )
