"""``mast bench``: run the paper's experiments, and report on them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ..errors import DataError
from ..progress import progress
from . import terminal

app = typer.Typer(
    help="The paper's experiments: run them, stop and continue at will, and report.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Folder = Annotated[str, typer.Option("--out", help="Folder of the results.")]
Data = Annotated[
    str | None, typer.Option(help="Folder of the real data sets (or set MASTGP_DATA).")
]


@app.command()
def run(
    experiment: Annotated[str, typer.Argument(help="Name of an experiment; see 'list'.")],
    methods: Annotated[
        str | None, typer.Option(help="Methods, as mast,hf-only; by default all installed.")
    ] = None,
    problems: Annotated[
        str | None, typer.Option(help="Problems, as branin,concrete; by default the paper's.")
    ] = None,
    seeds: Annotated[int, typer.Option(help="Number of seeds.", min=1)] = 25,
    test_size: Annotated[
        int, typer.Option(help="Test points of synthetic problems.", min=2)
    ] = 1000,
    out: Folder = "bench-results",
    jobs: Annotated[
        int | None, typer.Option(help="Processes; by default one per core.", min=1)
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler to use instead.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds that one unit may take.")
    ] = None,
    data: Data = None,
    pool: Annotated[
        list[str] | None,
        typer.Option(help="File of a fidelity of a problem of your own; once per fidelity."),
    ] = None,
    target: Annotated[str | None, typer.Option(help="Target column of --pool.")] = None,
    cost: Annotated[list[str] | None, typer.Option(help="Costs of --pool, as fine=10.")] = None,
    retry_failed: Annotated[bool, typer.Option(help="Try failed units again.")] = False,
) -> None:
    """Run an experiment; what is in the results folder already is not computed again."""
    from ..bench import experiments
    from ..bench.real import pooled_problem
    from ..bench.runner import run as run_units
    from ..bench.store import Store
    from ..methods import method

    chosen = experiments.experiment(experiment)
    own: dict[str, experiments.AnyProblem] = {}
    if pool:
        if target is None:
            raise DataError("--pool needs --target, the column of the response")
        own["pool"] = pooled_problem("pool", pool, target, terminal.numbers(cost, "--cost"))
    names = terminal.names(problems) or (["pool"] if pool else _available(chosen.problems, data))
    for name in names:
        experiments.find_problem(name, own, data)
    wanted = terminal.names(methods) or experiments.default_methods(chosen)
    for name in wanted:
        method(name)
    units = experiments.units_of(
        chosen, methods=wanted, problems=names, seeds=seeds, test_size=test_size
    )
    store = Store(out)
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
        )
    asked = set(units)
    failed = [r for r in store.read() if r["status"] != "ok" and experiments.Unit.of(r) in asked]
    terminal.say(f"{computed} units computed, {len(units)} in all; results are in {out}.")
    if failed:
        terminal.say(f"{len(failed)} failed, the first: {failed[0]['error']}")
    terminal.say(f"Tables and figures: mast bench report --out {out}")


@app.command()
def report(
    out: Folder = "bench-results",
    page: Annotated[
        str | None, typer.Option(help="Also write a page of documentation here.")
    ] = None,
    comment: Annotated[
        str | None, typer.Option(help="File whose text goes to the top of that page.")
    ] = None,
) -> None:
    """Write tables and figures: Markdown, LaTeX, CSV and one HTML page."""
    from ..bench.report import write_page, write_report
    from ..bench.store import Store

    records = Store(out).read()
    if not records:
        raise DataError(f"there are no results in {out}; run 'mast bench run' first")
    paths = write_report(records, out)
    if page is not None:
        text = Path(comment).read_text(encoding="utf-8") if comment else ""
        paths += write_page(records, page, text)
    for path in paths:
        terminal.say(str(path))


@app.command("list")
def list_all(data: Data = None) -> None:
    """List experiments, methods, problems and data sets."""
    from ..bench.datasets import DATA_SETS, is_available
    from ..bench.experiments import EXPERIMENTS
    from ..bench.problems import EXTRA, PROBLEMS
    from ..methods import METHODS

    sections = {
        "experiments": {name: e.about for name, e in EXPERIMENTS.items()},
        "methods": {
            name: m.about + ("" if m.installed else f" (needs mastgp[{m.extra}])")
            for name, m in METHODS.items()
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
    for path in fetch(name, data):
        terminal.say(str(path))


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
