"""``mast study``: begin a study, ask, tell, let it run, and see where it stands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import DataError, listed
from ..progress import progress
from . import terminal
from .commands import Command
from .files import check_output
from .study_options import earlier_of, inputs_of, result_of, seconds_of
from .study_pages import serve, write_page
from .study_printing import print_event, print_standing
from .terminal import AsJson

if TYPE_CHECKING:
    import pandas as pd

    from ..next.study import Study

app = typer.Typer(
    help="Studies: which run to pay for next, at which fidelity, and when to stop.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

app.command(cls=Command)(serve)

StudyFile = Annotated[str, typer.Argument(metavar="STUDY", help="File of the study.")]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="NAME=LOW:HIGH",
        help="Input with its range, as mach=0.5:0.9, or its levels, as material=steel,alu; with "
        "--candidates the names of columns will do, as mach,material.",
    ),
]
Integers = Annotated[
    list[str] | None,
    typer.Option(
        "--integer", metavar="NAME=LOW:HIGH", help="Input of whole numbers, as blades=2:6."
    ),
]
Cost = Annotated[
    list[str],
    typer.Option(metavar="NAME=VALUE", help="Cost of one run of a fidelity, as panel=1,cfd=20."),
]
Target = Annotated[
    list[str],
    typer.Option(metavar="NAME", help="What a run measures; the goal is about the first."),
]
Goal = Annotated[
    str, typer.Option(metavar="GOAL", help="minimum, maximum, accuracy, or target=VALUE.")
]
Budget = Annotated[
    float | None, typer.Option(metavar="COST", help="What all runs together may cost.")
]
Constraints = Annotated[
    list[str] | None,
    typer.Option(
        "--constraint",
        metavar="TEXT",
        help="On inputs, as 'mach + 0.1*span <= 1.5', or a limit of a target, as 'stress<=250'.",
    ),
]
Candidates = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Table of the only places that can be run."),
]
Earlier = Annotated[
    list[str] | None,
    typer.Option(
        "--data",
        metavar="NAME=FILE",
        help="Earlier results of a fidelity; or a FILE with a column 'fidelity'.",
    ),
]
Method = Annotated[
    str, typer.Option(metavar="NAME", help="Method of the surrogate; ar1 is quicker than auto.")
]
Scouting = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        help="Share of the budget spent, at most, to find out whether cheap fidelities help.",
        min=0.0,
        max=1.0,
    ),
]
Seed = Annotated[int, typer.Option(help="Random state.", min=0, max=2**32 - 1)]
NewBudget = Annotated[
    float | None, typer.Option("--budget", metavar="COST", help="Another budget from now on.")
]
Number = Annotated[int, typer.Option("-n", "--number", help="How many trials.", min=1)]
Allow = Annotated[
    str | None, typer.Option(metavar="NAMES", help="Fidelities that may be asked for, as cfd.")
]
Output = Annotated[
    str | None,
    typer.Option("-o", "--output", metavar="FILE", help="Table to write; printed by default."),
]
Results = Annotated[
    str | None,
    typer.Argument(
        metavar="TABLE", help="Table with columns 'trial' and the targets, perhaps 'failure'."
    ),
]
TrialId = Annotated[int | None, typer.Option("--trial", help="One trial, instead of a table.")]
Values = Annotated[
    list[str] | None,
    typer.Option("--value", metavar="[TARGET=]VALUE", help="Result of that trial."),
]
Failed = Annotated[
    str | None, typer.Option("--failed", metavar="REASON", help="Why that trial failed.")
]
Replace = Annotated[
    bool, typer.Option("--replace", help="Change results that have been told before.")
]
CommandText = Annotated[
    str,
    typer.Option(
        "--command",
        metavar="TEXT",
        help="Command of a run, as 'python solver.py --mach {mach} --mesh {fidelity}'; also "
        "{trial} and {folder}. No shell is used.",
    ),
]
Jobs = Annotated[int, typer.Option(help="Runs at a time.", min=1)]
Rules = Annotated[
    list[str] | None,
    typer.Option(
        "--result",
        metavar="RULE",
        help="How the result is read: last (the last line), regex:PATTERN or json:KEY; "
        "TARGET=RULE where there are several.",
    ),
]
ResultFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="File to read instead of standard output, as '{folder}/out.json'."
    ),
]
TimeLimit = Annotated[
    list[str] | None,
    typer.Option(metavar="[NAME=]SECONDS", help="Time of one run, as 60 or panel=10,cfd=600."),
]
Plausible = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TARGET=LOW:HIGH",
        help="What a result can be, as drag=0:1; a run with another has failed.",
    ),
]
Retries = Annotated[
    int, typer.Option(help="How often a run that crashed or hung is tried again.", min=0)
]
Logs = Annotated[
    str | None,
    typer.Option(metavar="FOLDER", help="Where runs leave what they say; STUDY.runs by default."),
]
MostFailures = Annotated[
    int, typer.Option(help="Trials that may fail in a row before it gives up.", min=1)
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Address of a Dask scheduler whose workers make runs."),
]
Figure = Annotated[
    str | None,
    typer.Option("-o", "--output", metavar="FILE", help="Also draw it: png, pdf or svg."),
]
TrialsFile = Annotated[
    str | None, typer.Option("--table", metavar="FILE", help="Also write all trials to this table.")
]


PageFile = Annotated[
    str | None, typer.Option("--html", metavar="FILE", help="Also write its page to this file.")
]


class RunCommand(Command):
    """The command that runs the user's own."""

    examples = (
        "mast study run wing.study --command 'python solver.py --mach {mach} --mesh {fidelity}'",
        "mast study run wing.study --command './solve.sh {mach}' --result json:drag --jobs 2",
    )


class NewCommand(Command):
    """The command that begins a study."""

    examples = (
        "mast study new wing.study --input mach=0.5:0.9 --cost panel=1,cfd=20 --target drag "
        "--budget 200",
    )


@app.command(cls=NewCommand)
def new(
    study_file: StudyFile,
    cost: Cost,
    target: Target,
    inputs: Inputs = None,
    integers: Integers = None,
    goal: Goal = "minimum",
    budget: Budget = None,
    constraints: Constraints = None,
    candidates: Candidates = None,
    data: Earlier = None,
    method: Method = "auto",
    scouting: Scouting = 0.1,
    seed: Seed = 0,
) -> None:
    """Begin a study: inputs, fidelities with costs, a target, a goal and a budget."""
    from ..next.store import Store
    from ..next.study import Study

    if Store.exists(study_file):
        raise DataError(f"{study_file} exists; choose another name, or remove it first")
    tables = [earlier_of(text) for text in data or []]
    study = Study(
        study_file,
        inputs_of(inputs, integers, pool=candidates is not None),
        terminal.numbers(cost, "--cost"),
        terminal.all_names(target),
        goal,
        budget,
        constraints=constraints or [],
        candidates=candidates,
        method=method,
        scouting=scouting,
        random_state=seed,
    )
    given = _with_results(study, tables)
    terminal.say(f"Began {study_file}: {_about(study)}{given}.")
    if candidates is not None:
        others = f"; no inputs: {', '.join(study.note_columns)}" if study.note_columns else ""
        terminal.say(f"Inputs: {', '.join(study.definition.domain.names)}{others}.")
    terminal.say(
        f"Next: mast study ask {study_file} -n 4 -o runs.csv, or mast study run {study_file} "
        "--command '...'"
    )


def _with_results(study: Study, tables: list[tuple[str | None, str]]) -> str:
    """Add earlier results; a study whose results cannot be read is not begun."""
    try:
        for fidelity, path in tables:
            study.add_results(path, fidelity)
        count = len(study.trials())
    except BaseException:
        study.path.unlink(missing_ok=True)
        raise
    return f", {count} earlier results" if count else ""


@app.command(cls=Command)
def ask(
    study_file: StudyFile,
    number: Number = 1,
    output: Output = None,
    allow: Allow = None,
    budget: NewBudget = None,
    as_json: AsJson = False,
) -> None:
    """Ask which runs to make next: a table with a column for their results, to be told later."""
    from ..data.writing import check_ending
    from ..next.trial_tables import asked_table

    study = _opened(study_file, budget)
    if output is not None:
        check_output(output, inputs=[study_file])
        check_ending(output)
    with terminal.notes(), progress():
        trials = study.ask(number, allow=(allowed := terminal.names(allow)))
    if not trials:
        terminal.note(_why_nothing(study, allowed))
    _hand_out(asked_table(study.definition, trials), output, as_json)


@app.command(cls=Command)
def tell(
    study_file: StudyFile,
    table: Results = None,
    trial: TrialId = None,
    value: Values = None,
    failed: Failed = None,
    replace: Replace = False,
) -> None:
    """Tell what runs have found: by a table, or one trial by --trial and --value."""
    from ..next.trial_tables import told

    study = _opened(study_file)
    if (table is None) == (trial is None):
        raise DataError("give a table of results, or --trial with --value or --failed")
    if trial is not None:
        study.tell(trial, result_of(value), failed=failed, replace=replace)
        terminal.say(f"Trial {trial} is told.")
        return
    found = told(study.definition, study.trials(), table, study.store.candidates)
    count = study.tell_all(found.outcomes, replace=replace)
    new = study.add_new(found.new)
    known = len(found.outcomes) - count + len(found.new) - new
    terminal.say(_told(count, known, new, found.empty))


@app.command(cls=RunCommand)
def run(
    study_file: StudyFile,
    command: CommandText,
    jobs: Jobs = 1,
    result: Rules = None,
    result_file: ResultFile = None,
    plausible: Plausible = None,
    time_limit: TimeLimit = None,
    retries: Retries = 1,
    logs: Logs = None,
    stop_after: MostFailures = 10,
    budget: NewBudget = None,
    scheduler: Scheduler = None,
) -> None:
    """Run your own program for every trial, in parallel, until the budget is spent.

    Killed and started again it goes on where it was.
    """
    study = _opened(study_file, budget)
    if study.definition.budget is None:
        terminal.note("The study has no budget: it goes on until it is stopped, or has --budget.")
    with terminal.notes(), progress():
        study.run(
            command,
            results=result or (),
            result_file=result_file,
            plausible=terminal.ranges(plausible, "--plausible", "drag=0:1"),
            jobs=jobs,
            retries=retries,
            time_limits=seconds_of(time_limit),
            logs=logs,
            most_failures=stop_after,
            scheduler=scheduler,
            listener=lambda event: print_event(study, event),
        )
    terminal.say(_why_nothing(study))
    terminal.say(f"See mast study show {study_file}")


@app.command(cls=Command)
def show(
    study_file: StudyFile,
    output: Figure = None,
    table: TrialsFile = None,
    page: PageFile = None,
    as_json: AsJson = False,
) -> None:
    """Show where a study stands: spent, best, accuracy, and whether to go on."""
    from ..data.writing import write_table

    study = _opened(study_file)
    for path in (output, table, page):
        if path is not None:
            check_output(path, inputs=[study_file])
    with terminal.notes(), progress():
        standing = study.standing()
    if as_json:
        terminal.print_json(standing.facts())
    else:
        print_standing(standing, study_file)
    if table is not None:
        write_table(study.table(), table)
    if output is not None:
        _draw(study, output)
    if page is not None:
        write_page(study, page)


def _draw(study: Study, output: str) -> None:
    from ..output.figures import save_figure
    from ..output.studies import plot_study

    with terminal.notes():
        save_figure(plot_study(study), output)
    terminal.say(f"Drew {output}.")


def _opened(path: str, budget: float | None = None) -> Study:
    from ..next.store import Store
    from ..next.study import Study

    if not Store.exists(path):
        raise DataError(f"there is no study {path}; 'mast study new {path} ...' begins one")
    return Study(path, budget=budget)


def _about(study: Study) -> str:
    definition = study.definition
    budget = "no budget" if definition.budget is None else f"a budget of {definition.budget:g}"
    inputs = len(definition.domain.names)
    pool = f" among {len(study.store.candidates)} candidates" if study.store.candidates else ""
    return (
        f"{definition.goal} of {definition.target} over {inputs} "
        f"input{'' if inputs == 1 else 's'}{pool}, {' < '.join(definition.costs)}, {budget}"
    )


def _why_nothing(study: Study, allowed: list[str] | None = None) -> str:
    """Why there is nothing to ask for, of all fidelities or of those that are allowed."""
    open_ones = sum(trial.is_open for trial in study.trials())
    budget, top = study.definition.budget, study.definition.top
    if open_ones:
        one = "trial is" if open_ones == 1 else "trials are"
        return f"{open_ones} {one} open, and nothing is left for more until results are told."
    if budget is not None and study.left < study.definition.costs[top]:
        return f"{study.spent:g} of {budget:g} is spent; what is left pays for no other {top} run."
    what = "no candidate left" if study.store.candidates else "nothing more"
    return f"There is {what} to run at {listed(allowed or [top])}."


def _told(count: int, known: int, new: int, empty: int) -> str:
    parts = [f"{count} {'trial is' if count == 1 else 'trials are'} told"]
    parts += [f"{known} {'was' if known == 1 else 'were'} told before"] if known else []
    added = "result from elsewhere is" if new == 1 else "results from elsewhere are"
    parts += [f"{new} {added} added"] if new else []
    parts += [f"{empty} {'row has' if empty == 1 else 'rows have'} no result yet"] if empty else []
    return "; ".join(parts) + "."


def _hand_out(table: pd.DataFrame, output: str | None, as_json: bool) -> None:
    """Write a table to a file, or print it."""
    from ..data.writing import write_table

    if output is not None:
        write_table(table, output)
        terminal.say(f"Wrote {len(table)} trials to {Path(output)}.")
    elif as_json:
        terminal.print_json(table.astype(object).where(table.notna(), None).to_dict("records"))
    else:
        terminal.printable(table).to_csv(sys.stdout, index=False)
