"""``mast bench``: run the paper's experiments, and report on them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DataError, FileError
from ..files import check_is_no_input
from ..progress import progress
from . import terminal
from .files import check_output, files_of

if TYPE_CHECKING:
    from ..bench.draws import AnyProblem
    from ..bench.experiments import Experiment
    from ..bench.store import Store
    from ..bench.units import Unit

app = typer.Typer(
    help="The paper's experiments: run them, stop and continue at will, and report.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Folder = Annotated[str, typer.Option("--out", metavar="FOLDER", help="Folder of the results.")]
Data = Annotated[
    str | None,
    typer.Option(metavar="FOLDER", help="Folder of the real data sets (or set MASTGP_DATA)."),
]
ExperimentName = Annotated[
    str, typer.Argument(metavar="EXPERIMENT", help="Name of an experiment; see 'list'.")
]
Methods = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="Methods, as mast,hf-only; by default all installed."),
]
Problems = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="Problems, as branin,concrete; by default the paper's."),
]
Seeds = Annotated[
    str,
    typer.Option(
        metavar="NUMBER|RANGE",
        help="Number of seeds, counted from 0, or a range of them, as 25-49.",
    ),
]
TestSize = Annotated[int, typer.Option(help="Test points of synthetic problems.", min=2)]
Jobs = Annotated[int | None, typer.Option(help="Processes; by default one per core.", min=1)]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Address of a Dask scheduler to use instead."),
]
TimeLimit = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Seconds that one unit may take.")
]
Pool = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE", help="File of a fidelity of a problem of your own; once per fidelity."
    ),
]
Target = Annotated[str | None, typer.Option(metavar="COLUMN", help="Target column of --pool.")]
Cost = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="Costs of --pool, as fine=10.")
]
Continue = Annotated[
    str | None,
    typer.Option(
        "--continue",
        metavar="FILE",
        help="Record of earlier runs, of 'mast bench record'. Its units are taken over if the code "
        "of their method has not changed since.",
    ),
]
RetryFailed = Annotated[bool, typer.Option(help="Try failed units again.")]
Page = Annotated[
    str | None, typer.Option(metavar="FILE", help="Also write a page of documentation here.")
]
Comment = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="File whose text goes to the top of that page."),
]
Split = Annotated[
    bool,
    typer.Option(
        "--split", help="Tables of that page go to a page per experiment, in a folder of its name."
    ),
]
Recorded = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        help="Record of 'mast bench record', or CSV file of an earlier report, to be used instead "
        "of results in --out; with --page only pages are written. Of several files each adds the "
        "methods of an experiment that those before it do not have.",
    ),
]


@app.command()
def run(
    experiment: ExperimentName,
    methods: Methods = None,
    problems: Problems = None,
    seeds: Seeds = "25",
    test_size: TestSize = 1000,
    out: Folder = "bench-results",
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    time_limit: TimeLimit = None,
    data: Data = None,
    pool: Pool = None,
    target: Target = None,
    cost: Cost = None,
    retry_failed: RetryFailed = False,
    continue_from: Continue = None,
) -> None:
    """Run an experiment; what is in the results folder already is not computed again."""
    from ..bench.packed import unpack
    from ..bench.runner import run as run_units
    from ..bench.searches import SEARCHES
    from ..bench.store import Store

    own = _own_problem(pool, target, cost)
    what = (methods, problems, _seeds(seeds), test_size)
    if experiment in SEARCHES:
        units = _searches(experiment, *what)
    else:
        units = _units(experiment, *what, own, data)
    store = Store(out)
    check_output(str(store.path), inputs=files_of(pool) if pool else [])
    recorded = unpack(continue_from) if continue_from else []
    with progress():
        computed = run_units(
            units,
            store,
            jobs=jobs or os.cpu_count() or 1,
            scheduler=scheduler,
            time_limit=time_limit,
            own=own,
            data=data,
            retry_failed=retry_failed,
            recorded=recorded,
        )
    computed_units = f"{computed} units computed, {len(units)} in all"
    terminal.say(f"{computed_units} ({_compared(units)}); results are in {out}.")
    _say_failures(store, units)
    terminal.say(f"Tables and figures: mast bench report --out {out}")


@app.command()
def report(
    out: Folder = "bench-results",
    page: Page = None,
    comment: Comment = None,
    recorded: Recorded = None,
    split: Split = False,
) -> None:
    """Write tables and figures: Markdown, LaTeX, CSV and one HTML page."""
    from ..bench.report import Results, read_recorded, write_page, write_pages, write_report

    _check_outputs(out, page, comment, recorded or [], split)
    results = read_recorded(*recorded) if recorded else Results.of(_stored(out))
    paths = []
    with terminal.notes():
        if page is None or not recorded:
            Path(out).mkdir(parents=True, exist_ok=True)
            paths += write_report(results, out)
        if page is not None:
            text = _text_of(comment) if comment else ""
            paths += (write_pages if split else write_page)(results, page, text)
    for path in paths:
        terminal.say(str(path))


@app.command()
def record(
    stores: Annotated[
        list[str], typer.Argument(metavar="STORE...", help="Folders of results, or records.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="File to write.")
    ] = "runs.csv.gz",
) -> None:
    """Write the results of all units to one small table, the record.

    Of several results of a unit the last counts, in the order of the stores and of their lines, but
    a failure does not replace a success. 'report --recorded' makes tables of a record, and
    'run --continue' goes on from it.
    """
    from ..bench.packed import pack

    check_output(output, inputs=[_file_of(store) for store in stores])
    records = [record for store in stores for record in _stored(store)]
    terminal.say(f"{pack(records, output)} units are in {output}.")


@app.command()
def compare(
    before: Annotated[str, typer.Argument(help="Folder of results.")],
    after: Annotated[str, typer.Argument(help="Another folder, of the same units.")],
    most: Annotated[int, typer.Option(help="How many differences are listed.", min=0)] = 20,
) -> None:
    """Compare two folders of results; ends with 1 unless all scores are the same to the last bit.

    Times and versions of the code are left out.
    """
    from ..bench.compare import compare as compare_records

    found = compare_records(_stored(before), _stored(after))
    for folder, missing in ((after, found.only_before), (before, found.only_after)):
        for unit in missing[:most]:
            terminal.say(f"not in {folder}: {unit}")
    for difference in found.differences[:most]:
        terminal.say(str(difference))
    missing_ones = len(found.only_before) + len(found.only_after)
    largest = found.differences[0].relative if found.differences else 0.0
    terminal.say(
        f"{found.n_units} units in both, {found.n_differing} differ (largest relative difference "
        f"{largest:.1e}), {missing_ones} in one folder only"
    )
    if not found.identical:
        raise typer.Exit(1)


@app.command("list")
def list_all(data: Data = None) -> None:
    """List experiments, methods, problems and data sets."""
    from ..bench.datasets import DATA_SETS, is_available
    from ..bench.experiments import EXPERIMENTS
    from ..bench.problems import EXTRA, PROBLEMS
    from ..bench.searches import SEARCHES
    from ..bench.strategies import STRATEGIES
    from ..methods import METHODS

    sections = {
        "experiments": {name: e.about for name, e in (EXPERIMENTS | dict(SEARCHES)).items()},
        "methods": {
            name: m.about + ("" if m.installed else f" (needs mastgp[{m.extra}])")
            for name, m in METHODS.items()
        },
        "strategies of next-accuracy and next-optimum": {
            name: s.about + ("" if s.installed else f" (needs mastgp[{s.extra}])")
            for name, s in STRATEGIES.items()
        },
        "problems": {
            name: f"{make().n_inputs} inputs" for name, make in (PROBLEMS | EXTRA).items()
        },
        "data sets": {
            name: d.about + ("" if is_available(name, data) else " (not here)")
            for name, d in DATA_SETS.items()
        },
    }
    for title, entries in sections.items():
        terminal.say(f"{title}:")
        for name, about in entries.items():
            terminal.say(f"  {name:18s} {about}")


@app.command()
def download(
    name: Annotated[str, typer.Argument(help="Data set: hoip or drivaernet.")],
    data: Data = None,
) -> None:
    """Fetch a data set from its public source, checked against its hash."""
    from ..bench.datasets import DATA_SETS
    from ..bench.datasets import download as fetch

    if name in DATA_SETS:
        terminal.say(f"{DATA_SETS[name].about}. Licence: {DATA_SETS[name].licence}.")
    with terminal.notes(), progress():
        paths = fetch(name, data)
    for path in paths:
        terminal.say(str(path))


def _check_outputs(
    out: str, page: str | None, comment: str | None, recorded: list[str], split: bool
) -> None:
    """Refuse to write a page or a report over a file that it is made of."""
    from ..bench.report.pages import page_files
    from ..bench.report.write import REPORT_FILES

    outputs = [] if page and recorded else [str(Path(out) / name) for name in REPORT_FILES]
    if page:
        outputs += [page, *(map(str, page_files(page)) if split else [])]
    inputs = [*([comment] if comment else []), *(recorded or [_file_of(out)])]
    for output in outputs:
        check_is_no_input(output, inputs)


def _file_of(store: str) -> str:
    """The file of results in a folder, or the record itself."""
    from ..bench.store import FILE_NAME

    return str(Path(store) / FILE_NAME) if Path(store).is_dir() else store


def _text_of(path: str) -> str:
    """The text of a file of the user's."""
    from ..data.opening import place_of, read_bytes

    try:
        return read_bytes(place_of(path)).decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(f"{path} is not a text file in UTF-8") from None


def _available(problems: tuple[str, ...], data: str | None) -> list[str]:
    """The experiment's problems whose data are here; a note names the others."""
    from ..bench.datasets import DATA_SETS, is_available

    missing = [p for p in problems if p in DATA_SETS and not is_available(p, data)]
    for name in missing:
        terminal.note(
            f"{name} is left out, as its data are not here ('mast bench run ... --problems {name}' "
            "says how to get them)"
        )
    return [p for p in problems if p not in missing]


def _units(
    experiment: str,
    methods: str | None,
    problems: str | None,
    seeds: range,
    test_size: int,
    own: dict[str, AnyProblem],
    data: str | None,
) -> list[Unit]:
    """Units of an experiment in which methods are compared on the same data."""
    from ..bench.experiments import experiment as find
    from ..bench.units import units_of

    chosen = find(experiment)
    return units_of(
        chosen,
        methods=_methods(methods, chosen),
        problems=_problems(problems, chosen, own, data),
        seeds=seeds,
        test_size=test_size,
    )


def _searches(
    experiment: str, methods: str | None, problems: str | None, seeds: range, test_size: int
) -> list[Unit]:
    """Units of an experiment in which strategies search."""
    from ..bench.searches import SEARCHES
    from ..bench.sources import sources
    from ..bench.units import searches_of

    chosen = SEARCHES[experiment]
    wanted = terminal.names(methods) or chosen.strategies
    where = terminal.names(problems) or list(chosen.problems)
    for name in wanted:
        chosen.check_strategy(name)
    for name in where:
        sources(name)
    return searches_of(chosen, methods=wanted, problems=where, seeds=seeds, test_size=test_size)


def _stored(folder: str) -> list[dict[str, Any]]:
    """Results in a folder or a record, of which there must be some."""
    from ..bench.packed import read_results

    records = read_results(folder) if Path(folder).exists() else []
    if not records:
        raise DataError(f"there are no results in {folder}; run 'mast bench run' first")
    return records


def _seeds(text: str) -> range:
    """Seeds of an option: a number of them, counted from zero, or a range of both its ends."""
    first, dash, last = text.strip().partition("-")
    ends = ("0", first) if not dash else (first, last)
    if not all(end.strip().isdecimal() for end in ends):
        raise DataError(f"--seeds {text}: expected a number of seeds, as 25, or a range, as 25-49")
    start, stop = int(ends[0]), int(ends[1]) + bool(dash)
    if start >= stop:
        raise DataError(
            f"--seeds {text} has no seeds; "
            + ("its first seed is greater than its last" if dash else "give 1 or more")
        )
    return range(start, stop)


def _own_problem(
    pool: list[str] | None, target: str | None, cost: list[str] | None
) -> dict[str, AnyProblem]:
    """The problem that the user's own files make, if there are some."""
    from ..bench.real import pooled_problem

    if not pool:
        return {}
    if target is None:
        raise DataError("--pool needs --target, the column of the response")
    return {"pool": pooled_problem("pool", pool, target, terminal.numbers(cost, "--cost"))}


def _problems(
    text: str | None, chosen: Experiment, own: dict[str, AnyProblem], data: str | None
) -> list[str]:
    """Problems to run: those named, the user's own, or those of the experiment; all must exist."""
    from ..bench.experiments import find_problem

    names = terminal.names(text) or list(own) or _available(chosen.problems, data)
    for name in names:
        find_problem(name, own, data)
    return names


def _methods(text: str | None, chosen: Experiment) -> list[str]:
    """Methods to run: those named, or those of the experiment; all must be installed."""
    from ..bench.experiments import default_methods
    from ..methods import method

    names = terminal.names(text) or default_methods(chosen)
    for name in names:
        method(name)
    return names


def _compared(units: list[Unit]) -> str:
    """What the units are of: so many methods, and the yardstick that each is compared with."""
    from ..bench.experiments import BASELINE

    methods = {unit.method for unit in units}
    n = len(methods - {BASELINE})
    yardstick = " and the HF-only yardstick" if BASELINE in methods else ""
    return f"{n} method{'' if n == 1 else 's'}{yardstick}"


def _say_failures(store: Store, units: list[Unit]) -> None:
    """Print how many of some units failed, and how the first did."""
    from ..bench.units import latest

    records = latest(store.read())
    failed = [records[u] for u in units if u in records and records[u]["status"] != "ok"]
    if failed:
        terminal.say(f"{len(failed)} failed, the first: {failed[0]['error']}")
