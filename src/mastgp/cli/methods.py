"""``mast methods`` and ``mast icl download``: what there is, and how to get what it needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..progress import progress
from . import terminal
from .terminal import AsJson

if TYPE_CHECKING:
    from rich.table import Table

    from ..methods import Method

icl = typer.Typer(
    help="Checkpoints of in-context learners (TabPFN, TabICL).",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Learner = Annotated[str, typer.Argument(metavar="NAME", help="Learner: tabpfn or tabicl.")]
Yes = Annotated[bool, typer.Option("--yes", help="Accept the licence without asking.")]


def methods(as_json: AsJson = False) -> None:
    """List every method: what it is, when to use it, what it needs and whether that is here."""
    from ..methods import METHODS

    if as_json:
        terminal.print_json([_facts(method) for method in METHODS.values()])
    else:
        terminal.out().print(_table(METHODS.values()))


def _facts(method: Method) -> dict[str, Any]:
    return {
        "name": method.name,
        "about": method.about,
        "use_when": method.use_when,
        "needs": list(method.needs),
        "extra": method.extra,
        "installed": method.installed,
        "ready": method.ready,
        "python_only": method.python_only,
        "recommended": method.recommended,
    }


def _table(methods: Iterable[Method]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for column in ("method", "what it is", "use it when", "needs"):
        table.add_column(column, overflow="fold")
    for method in methods:
        texts = (method.about, method.use_when, _state_of(method))
        name = f"{method.name} (recommended)" if method.recommended else method.name
        table.add_row(Text(name), *map(Text, texts))
    return table


def _state_of(method: Method) -> str:
    """Whether what a method needs is here, or else the command that gets it."""
    if not method.installed:
        return method.install_command
    if not method.ready:
        return f"mast icl download {method.checkpoint}"
    state = f"{', '.join(method.needs)}: installed" if method.needs else "-"
    return f"{state}; in Python only" if method.python_only else state


@icl.command()
def download(name: Learner = "tabpfn", yes: Yes = False) -> None:
    """Fetch a learner's checkpoint, after showing where from, where to, and its licence."""
    from ..surrogates.checkpoints import checkpoint_of
    from ..surrogates.checkpoints import download as fetch

    def agree(notice: str) -> bool:
        terminal.say(notice)
        return yes or typer.confirm("Download this checkpoint under its licence?")

    with terminal.notes(), progress():
        path = fetch(checkpoint_of(name), agree)
    terminal.say(f"The checkpoint is in {path}.")
