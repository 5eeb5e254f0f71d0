"""``mast next`` and ``mast optimum``: the runs to pay for, and the best predicted point."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DataError, listed
from ..progress import progress
from . import terminal
from .files import ModelFile, check_output, load_model
from .terminal import AsJson

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from ..data.source import Source
    from ..next.optimum import Optimum
    from ..next.suggestions import Suggestion

GoalOption = Annotated[
    str,
    typer.Option(
        metavar="GOAL",
        help="What the runs are for: accuracy, minimum, maximum, or target=VALUE.",
    ),
]
Number = Annotated[int, typer.Option("-n", "--number", min=1, help="How many runs.")]
Output = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Where to write the runs as a table: .csv, .tsv, .xlsx, .parquet or .feather.",
    ),
]
PendingFile = Annotated[
    str | None,
    typer.Option(
        "--pending",
        metavar="FILE",
        help="Runs under way: a file with the inputs and a column fidelity.",
    ),
]
Constraint = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="Linear constraint on inputs, as 'mach + 0.1*sweep <= 3', or limit on a target, as "
        "'stress <= 250'; may be repeated.",
    ),
]
Cost = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="Cost of one run, as fine=10; the model's by default."),
]
Bounds = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=LOW:HIGH", help="Range of an input, as mach=0.5:0.9."),
]
Allow = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Fidelities that may be run, as panel,cfd; by default all that do not hurt.",
    ),
]
CandidatesFile = Annotated[
    str | None,
    typer.Option(
        "--candidates",
        metavar="FILE",
        help="The only points to choose from, instead of bounds: a file with the inputs.",
    ),
]
TargetName = Annotated[
    str | None,
    typer.Option("--target", metavar="NAME", help="Which target, for a model of several."),
]
Seed = Annotated[int | None, typer.Option(help="Random state of the search.", min=0)]
Minimize = Annotated[bool, typer.Option("--minimize", help="Find the smallest response.")]
Maximize = Annotated[bool, typer.Option("--maximize", help="Find the largest response.")]

#: Columns that are added to the inputs.
ADDED = ("fidelity", "cost", "gain", "mean", "lower95", "upper95", "reason")


def suggest_next(
    model_file: ModelFile,
    goal: GoalOption = "accuracy",
    number: Number = 1,
    output: Output = None,
    pending: PendingFile = None,
    constraint: Constraint = None,
    cost: Cost = None,
    bounds: Bounds = None,
    allow: Allow = None,
    candidates: CandidatesFile = None,
    target: TargetName = None,
    seed: Seed = None,
    as_json: AsJson = False,
) -> None:
    """Say which runs to do next, at which fidelity, and why."""
    from ..next.suggestions import primary_model, suggest

    wanted = goal_of(goal)
    if output is not None:
        _check_table(output, [model_file, *(path for path in (pending, candidates) if path)])
    model = load_model(model_file)
    _, primary = primary_model(model, target)
    where = Where.of(model, primary, constraint, bounds, candidates)
    running = None if pending is None else _pending(primary, pending)
    with terminal.notes(), progress():
        found = suggest(
            model,
            number,
            wanted,
            pending=running,
            costs=terminal.numbers(cost, "--cost"),
            allow=terminal.names(allow),
            random_state=seed,
            target=target,
            **where.options,
        )
    if allow is None:
        _note_useless(primary)
    if len(found) < number:
        terminal.note(f"the candidates have only {len(found)} runs left")
    _hand_out(_table(found, where.pool), found, output, as_json)


def goal_of(text: str) -> str | tuple[str, float]:
    """The goal that a user typed."""
    kind, equals, value = text.partition("=")
    if not equals:
        return text
    try:
        return kind.strip(), float(value)
    except ValueError:
        raise DataError(f"--goal {text}: {value!r} is not a number") from None


@dataclass(frozen=True)
class Where:
    """Where points may be, as options of the functions behind the commands.

    Attributes
    ----------
    options : dict
    pool : Source or None
        The file of candidates.
    """

    options: dict[str, Any]
    pool: Source | None

    @classmethod
    def of(
        cls,
        model: Any,
        primary: Any,
        constraint: list[str] | None,
        bounds: list[str] | None,
        candidates: str | None,
    ) -> Where:
        """Read what the user typed."""
        from ..models.targets import models_of
        from ..next.constraints import divided

        inputs = primary.training_data_.feature_names
        linear, limits = divided(constraint or [], inputs, list(models_of(model)))
        options: dict[str, Any] = {"constraints": linear, "limits": limits}
        ranges = terminal.ranges(bounds)
        options["bounds"] = ranges or None
        if candidates is None:
            return cls(options, None)
        source, table = _points(primary, candidates)
        return cls({**options, "candidates": table}, source)


def _points(model: Any, path: str) -> tuple[Source, pd.DataFrame]:
    """A file of points, and its inputs as the model knows them."""
    from ..data.tables import query_inputs, query_source

    data = model.training_data_
    with terminal.notes():
        source = query_source(path, data.feature_names, False, data.categories)
    return source, query_inputs(source, data.feature_names, data.categories)


def _pending(model: Any, path: str) -> pd.DataFrame:
    """Runs under way, from a file; one without rows has none."""
    from ..next.runs import FIDELITY

    source, table = _points(model, path)
    if FIDELITY in source.rows.columns:
        return table.assign(**{FIDELITY: source.rows[FIDELITY].str.strip()})
    return table


def _note_useless(model: Any) -> None:
    from ..next.money import useless_fidelities

    useless = useless_fidelities(model)
    if useless:
        terminal.note(
            f"no money goes to {listed(sorted(useless))}: by the model's verdict it does not help "
            "(--allow overrides)"
        )


def _check_table(output: str, inputs: list[str]) -> None:
    from ..data.writing import check_ending

    check_output(output, inputs)
    check_ending(output)


def _table(found: Sequence[Suggestion], pool: Source | None) -> pd.DataFrame:
    """One row for each run: its inputs, then what is known of it."""
    import pandas as pd

    rows = []
    for one in found:
        low, high = one.interval
        values = (one.fidelity, one.cost, one.gain, one.mean, low, high, one.reason)
        taken = [f"suggested_{name}" if name in one.inputs else name for name in ADDED]
        others: dict[str, Any] = {}
        if pool is not None:
            row = pool.rows.loc[one.candidate].to_dict()
            others = {name: cell for name, cell in row.items() if name not in one.inputs}
        rows.append({**others, **one.inputs, **dict(zip(taken, values, strict=True))})
    return pd.DataFrame(rows)


def _hand_out(
    table: pd.DataFrame, found: Sequence[Suggestion], output: str | None, as_json: bool
) -> None:
    """Write the runs to a file, and print them."""
    from ..data.writing import write_table

    if output is not None:
        write_table(table, output)
    if as_json:
        terminal.print_json([asdict(one) for one in found])
        return
    for number, one in enumerate(found, start=1):
        terminal.say(f"{number}. {one.fidelity}, cost {one.cost:g}: {_shown(one.inputs)}")
        terminal.say(f"   {one.reason}")
    if output is not None:
        terminal.say(f"Wrote {len(table)} {'run' if len(table) == 1 else 'runs'} to {output}.")


def _shown(inputs: dict[str, Any]) -> str:
    """Inputs in one line."""
    texts = (f"{v:.6g}" if isinstance(v, float) else str(v) for v in inputs.values())
    return ", ".join(f"{name} = {text}" for name, text in zip(inputs, texts, strict=True))


def optimum(
    model_file: ModelFile,
    minimize: Minimize = False,
    maximize: Maximize = False,
    constraint: Constraint = None,
    bounds: Bounds = None,
    candidates: CandidatesFile = None,
    target: TargetName = None,
    seed: Seed = None,
    as_json: AsJson = False,
) -> None:
    """Find the best predicted response, inside the data unless bounds say otherwise."""
    from ..next.optimum import optimum as find
    from ..next.suggestions import primary_model

    if minimize == maximize:
        raise DataError("say --minimize or --maximize")
    model = load_model(model_file)
    models, primary = primary_model(model, target)
    if target is None and len(models) > 1:
        raise DataError(f"the model is of {listed(models)}; say which with --target")
    where = Where.of(model, primary, constraint, bounds, candidates)
    goal = "minimum" if minimize else "maximum"
    with terminal.notes(), progress():
        found = find(model, goal, target=target, random_state=seed, **where.options)
    if as_json:
        terminal.print_json(asdict(found))
    else:
        _print_optimum(primary, found, goal, where.pool)


def _print_optimum(model: Any, found: Optimum, goal: str, pool: Source | None) -> None:
    """Say where the optimum is and what is predicted there."""
    data = model.training_data_
    name = model.target_name_ or "the response"
    low, high = found.interval
    if pool is not None:
        row = pool.rows.loc[found.candidate].to_dict()
        terminal.say(_shown({n: cell for n, cell in row.items() if n not in found.inputs}))
    terminal.say(_shown(found.inputs))
    terminal.say(
        f"The {goal} of {name} is predicted to be {found.mean:.6g} (95 % interval {low:.6g} to "
        f"{high:.6g}); the best {data.top.name} result so far is {found.best_observed:.6g}."
    )
    if found.feasible < 1.0:
        terminal.say(f"The limits hold there with a probability of {found.feasible:.0%}.")
    if found.beyond:
        terminal.note(
            f"the point is outside the range of the {data.top.name} results in "
            f"{listed(found.beyond)}: a {data.top.name} run there would confirm it"
        )
