"""``mast compare``: models side by side, on a file of points or on what each held out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DataError
from ..progress import progress
from . import printing, terminal
from .files import load_model
from .terminal import AsJson

if TYPE_CHECKING:
    from ..check.comparison import Compared
    from ..models.estimator import MultiFidelityRegressor

    #: Models by target, of each file.
    Loaded = dict[str, dict[str, MultiFidelityRegressor]]

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL... [TEST]",
        help="Model files, and perhaps a file of observations that none of them has seen.",
    ),
]


def compare(files: Files, as_json: AsJson = False) -> None:
    """Compare models, on observations in a file or on the points that each of them held out."""
    paths, test = _models_and_test(files)
    from ..check.comparison import common_targets
    from ..models.targets import models_of

    models = {path: models_of(load_model(path)) for path in paths}
    targets = common_targets(models)
    with terminal.notes(), progress():
        found = _on_held_out(models, targets) if test is None else _on_file(models, targets, test)
    if as_json:
        terminal.print_json({target: _facts(entries) for target, entries in found.items()})
        return
    for target, entries in found.items():
        _print(target, entries, test)


def _models_and_test(files: list[str]) -> tuple[list[str], str | None]:
    """Which of the files are models, and which is the test; the test comes last."""
    from ..storage.archive import is_archive

    *first, last = files
    is_test = not (last.endswith(".mast") or is_archive(Path(last)))
    paths, test = (first, last) if is_test else (files, None)
    if len(paths) < (2 if test is None else 1):
        raise DataError("name two models or more, or a model and a file of observations")
    repeated = [path for path in paths if paths.count(path) > 1]
    if repeated:
        raise DataError(f"the model {repeated[0]} is named twice")
    return paths, test


def _on_held_out(models: Loaded, targets: list[str]) -> dict[str, list[Compared]]:
    from ..check.comparison import on_held_out

    return {
        target: [on_held_out(name, own[target]) for name, own in models.items()]
        for target in targets
    }


def _on_file(models: Loaded, targets: list[str], path: str) -> dict[str, list[Compared]]:
    """Scores on the rows of a file that have a value of the target."""
    from ..data.reading import read_table
    from ..data.tables import target_values

    source = read_table(path)
    values = target_values(source, targets)
    return {
        target: [_score(name, own[target], source, values[target]) for name, own in models.items()]
        for target in targets
    }


def _score(name: str, model: MultiFidelityRegressor, source: Any, values: Any) -> Compared:
    from ..check.comparison import on_points
    from ..data.columns import Header
    from ..data.tables import query_inputs

    data = model.training_data_
    Header(source.path, list(source.rows.columns)).check_has(data.feature_names)
    there = values.notna().to_numpy()
    rows = source if there.all() else source.with_rows(source.rows[there])
    inputs = query_inputs(rows, data.feature_names, data.categories)
    X = inputs if hasattr(model, "feature_names_in_") else inputs.to_numpy()
    return on_points(name, model, X, values.to_numpy()[there])


def _facts(entries: list[Compared]) -> dict[str, Any]:
    from ..check.comparison import same_points, verdicts

    same = same_points(entries)
    return {
        "models": [printing.finite(entry.row()) for entry in entries],
        "same_points": same,
        "verdicts": verdicts(entries) if same else [],
    }


def _print(target: str, entries: list[Compared], test: str | None) -> None:
    """Print the table of one target, and which model is better."""
    from ..check.comparison import same_points, verdicts

    where = "held-out points" if test is None else f"the observations in {test}"
    rows = [entry.row() for entry in entries]
    terminal.out().print(printing.comparison_table(rows, f"{target} on {where}"))
    if same_points(entries):
        for sentence in verdicts(entries):
            terminal.say(sentence)
        return
    terminal.note(
        "the models held out different points, so that the numbers cannot be compared one by one; "
        f"name a file of observations last: mast compare {' '.join(e.model for e in entries)} "
        "test.csv"
    )
