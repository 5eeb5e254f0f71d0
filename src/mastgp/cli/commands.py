"""How commands read their options and print their help.

An option that takes one value is an error when it is given twice; elsewhere the last one would win
without a word. The help of a command with many options has them in groups, and ends with examples.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import Any

import typer
from typer.core import TyperCommand

from ..lazy import defer

#: Options of 'mast fit', by what they are about. Those not named here come last.
FIT_GROUPS: Mapping[str, tuple[str, ...]] = {
    "Data": (
        "target",
        "cost",
        "order",
        "fidelity_column",
        "inputs",
        "ignore",
        "categorical",
        "numeric",
        "integer",
        "log",
        "bounded",
        "log_input",
        "bounds",
        "noise_std",
        "noise_column",
        "skip_missing",
    ),
    "Model": ("method", "output", "check", "seed", "as_json", "help"),
    "Expert": (),
}
FIT_EXAMPLES = (
    "mast fit coarse.csv fine.csv --target drag --cost coarse=1,fine=10 -o wing.mast",
    "mast fit runs.xlsx:2026 --target low=LF,high=HF --order low,high --method auto --skip-missing",
)

#: Parts of NumPy that SciPy imports with all others, and that no command needs.
_SELDOM_USED = ("numpy.f2py", "numpy.testing")
#: Key of the command line in the context of a command.
_GIVEN = "mastgp.given"
_told: ContextVar[str | None] = ContextVar("told", default=None)


@contextmanager
def told_as(command: str) -> Iterator[None]:
    """Inside a ``with`` block a command is said to have been given as `command`."""
    token = _told.set(command)
    try:
        yield
    finally:
        _told.reset(token)


def command_line() -> str | None:
    """The command as it was given to the shell, without folders; None where there is none."""
    return _told.get()


def _words(ctx: Any) -> list[str]:
    """Names of a command and of those above it, without the program's."""
    return [] if ctx.parent is None else [*_words(ctx.parent), str(ctx.info_name)]


class Command(TyperCommand):
    """A command that refuses an option given twice, and shows its options in groups."""

    groups: Mapping[str, tuple[str, ...]] = {}
    examples: tuple[str, ...] = ()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; an option of one value that is given twice is refused."""
        from ..data.origin import without_folders  # NumPy comes with it; help texts need none

        self._check_values(args, ctx)
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for param, times in Counter(order).items():
            single = param.param_type_name == "option" and not getattr(param, "multiple", False)
            if single and times > 1 and not getattr(param, "is_flag", False):
                shown = max(param.opts, key=len)
                raise typer.BadParameter(f"{shown} is given {times} times; give it once", ctx=ctx)
        ctx.meta[_GIVEN] = shlex.join(["mast", *_words(ctx), *map(without_folders, args)])
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def _check_values(self, args: list[str], ctx: Any) -> None:
        """Refuse an option without its value, which would take the next option for it."""
        params: list[Any] = [p for p in self.get_params(ctx) if p.param_type_name == "option"]
        options = {name: param for param in params for name in param.opts}
        for given, value in pairwise(args):
            param = options.get(given)
            if param is not None and not getattr(param, "is_flag", False) and value in options:
                raise typer.BadParameter(f"{given} needs a value before {value}", ctx=ctx)

    def invoke(self, ctx: Any) -> Any:
        """Run the command, which can ask how it was given."""
        for module in _SELDOM_USED:
            defer(module)
        with told_as(ctx.meta[_GIVEN]):
            return super().invoke(ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options group by group."""
        if not self.groups:
            super().format_options(ctx, formatter)
            return
        records: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        records |= {f"{group} options": [] for group in self.groups}
        for param in self.get_params(ctx):
            if (record := param.get_help_record(ctx)) is not None:
                records[self._group_of(param)].append(record)
        for title, rows in records.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def _group_of(self, param: Any) -> str:
        if param.param_type_name == "argument":
            return "Arguments"
        *_, last = self.groups
        found = (group for group, names in self.groups.items() if param.name in names)
        return f"{next(found, last)} options"

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples, each on a line of its own."""
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")
        super().format_epilog(ctx, formatter)


class FitCommand(Command):
    """The command with the most options."""

    groups = FIT_GROUPS
    examples = FIT_EXAMPLES
