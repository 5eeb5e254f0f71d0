"""``mast demo``: the main job on an example that ships with the package."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import FileError, MastWarning
from . import terminal
from .commands import told_as
from .files import load_model
from .fit import fit
from .next import suggest_next
from .plot import plot
from .predict import predict
from .report import report

Folder = Annotated[str, typer.Argument(help="Folder for the example's files.")]


def demo(folder: Folder = "mast-demo") -> None:
    """Run the main job on a bundled example: fit, predict, draw, report, say what to run next."""
    place = Path(folder)
    at = _copy_example(place)
    _introduce(folder)
    model_file, figure = str(place / "wing.mast"), str(place / "wing.png")
    page = str(place / "wing.html")
    _fit(at["panel.csv"], at["cfd.csv"], model_file)
    _predict(model_file, at["queries.csv"], str(place / "predictions.csv"))
    _plot(model_file, figure)
    _report(model_file, page)
    _suggest(model_file, str(place / "runs.csv"))
    _print_errors(model_file, at["cfd.csv"])
    terminal.say(
        f"\nNow open {page} in a browser: the surrogate runs in it. The figure is {figure}. "
        "For files of your own, see 'mast fit --help'."
    )


def _copy_example(place: Path) -> dict[str, str]:
    """Put the example's files in a folder, without touching files of the user's."""
    from ..examples import FOLDER

    if place.exists() and not place.is_dir():
        raise FileError(f"{place} is a file; name a folder for the example")
    place.mkdir(parents=True, exist_ok=True)
    copies = {source.name: place / source.name for source in sorted(FOLDER.glob("*.csv"))}
    for name, copy in copies.items():
        content = (FOLDER / name).read_bytes()
        if copy.exists() and copy.read_bytes() != content:
            raise FileError(f"{copy} exists and is not the example's; name another folder")
        copy.write_bytes(content)
    return {name: str(copy) for name, copy in copies.items()}


def _introduce(folder: str) -> None:
    from .. import examples

    ratio = examples.COSTS["cfd"] / examples.COSTS["panel"]
    terminal.say(
        f"The drag of a wing: {examples.RUNS['panel']} panel-method runs and "
        f"{examples.RUNS['cfd']} CFD runs, {ratio:g} times as expensive.\n"
        f"Files are in {folder}/."
    )


def _fit(panel: str, cfd: str, model_file: str) -> None:
    from .. import examples

    costs = [f"{name}={value:g}" for name, value in examples.COSTS.items()]
    options = f"--target {examples.TARGET} " + " ".join(f"--cost {cost}" for cost in costs)
    command = f"mast fit {panel} {cfd} {options} -o {model_file}"
    _echo(command)
    with told_as(command):
        fit([panel, cfd], [examples.TARGET], cost=costs, output=model_file)


def _predict(model_file: str, queries: str, predictions: str) -> None:
    _echo(f"mast predict {model_file} {queries} -o {predictions}")
    predict(model_file, queries, output=predictions)


def _plot(model_file: str, figure: str) -> None:
    _echo(f"mast plot {model_file} -o {figure}")
    plot(model_file, output=figure)


def _report(model_file: str, page: str) -> None:
    command = f"mast report {model_file} -o {page}"
    _echo(command)
    with told_as(command):
        report([model_file], output=page)


def _suggest(model_file: str, runs: str) -> None:
    _echo(f"mast next {model_file} -n 3 -o {runs}")
    suggest_next(model_file, number=3, output=runs)


def _echo(command: str) -> None:
    terminal.out().print(
        f"\n$ {command}", style="bold", markup=False, highlight=False, soft_wrap=True
    )


def _print_errors(model_file: str, cfd_file: str) -> None:
    """Compare with what the expensive runs alone would have given: here the truth is known."""
    import numpy as np
    import pandas as pd

    from .. import examples
    from ..models.single import SingleFidelity

    columns = list(examples.INPUTS)
    X = pd.DataFrame(examples.design(1000, seed=4), columns=columns)
    truth = examples.cfd_drag(X.to_numpy())
    runs = pd.read_csv(cfd_file)
    alone = SingleFidelity().fit(runs[columns], runs[examples.TARGET])

    def error(values: Any) -> float:
        return float(np.sqrt(np.mean((values - truth) ** 2)))

    fused = load_model(model_file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MastWarning)
        terminal.say(
            f"\nRMSE on {len(X)} flight conditions that no run has seen, in drag counts (the\n"
            f"truth is known here; the figure's held-out check has only the CFD runs to go by):\n"
            f"  the panel method itself  {error(examples.panel_drag(X.to_numpy())):6.1f}\n"
            f"  a GP of the {len(runs)} CFD runs  {error(alone.predict(X)):6.1f}\n"
            f"  both, fused by auto      {error(fused.predict(X)):6.1f}"
        )
