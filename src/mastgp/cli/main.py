"""The ``mast`` command as a whole: its commands, its version, and how failures end."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
from typing import Annotated, NoReturn

import typer

from .. import __version__
from ..errors import MastError
from ..estimators import start_fast
from ..processes import EndedError, ending_in_order
from . import terminal
from .bench import app as bench
from .commands import Command, FitCommand
from .compare import compare
from .demo import demo
from .export import export
from .fit import fit
from .methods import icl, methods
from .next import optimum, suggest_next
from .plot import plot
from .predict import predict
from .report import report
from .show import show
from .study import app as study
from .update import update

#: New objects after which unreachable ones are looked for; Python's own default is 700.
_OBJECTS_BETWEEN_COLLECTIONS = 100_000
#: Exit code of a command that was interrupted from the keyboard.
INTERRUPTED = 130

app = typer.Typer(
    help="One surrogate from a few expensive and many cheap results.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command(cls=FitCommand)(fit)
for command in (predict, show, plot, report, export, compare, optimum, update, methods, demo):
    app.command(cls=Command)(command)
app.command(name="next", cls=Command)(suggest_next)
app.add_typer(study, name="study")
app.add_typer(bench, name="bench")
app.add_typer(icl, name="icl")


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        terminal.out().print(f"mastgp {__version__}", highlight=False)
        raise typer.Exit


def main() -> None:
    """Run the command line; every failure ends in one clear message and a non-zero exit code."""
    start_fast()
    _collect_seldom()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        with ending_in_order():
            app()
    except BrokenPipeError:
        _discard_output()
        sys.exit(1)
    except MastError as error:
        _fail(str(error))
    except KeyboardInterrupt:
        _fail("interrupted", code=INTERRUPTED)
    except SystemExit as end:
        if end.code == INTERRUPTED:  # typer ends so, without a word
            _fail("interrupted", code=INTERRUPTED)
        raise
    except EndedError as ended:
        _fail(str(ended), code=ended.exit_code)
    except MemoryError:
        _fail("this needs more memory than there is; use fewer rows or columns")
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


def _collect_seldom() -> None:
    """Look for unreachable objects after many new ones only, and not at the end of the process.

    Half a million objects of libraries stay until the end. To look through them while modules are
    loaded, and again on the way out, takes a third of the time of a short command.
    """
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)


def _fail(message: str, code: int = 1) -> NoReturn:
    terminal.err().print("Error:", style="bold red", end=" ")
    terminal.err().print(terminal.plain(message), markup=False, soft_wrap=True)
    sys.exit(code)


def _discard_output() -> None:
    """Keep Python from complaining at exit about output that nobody takes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
