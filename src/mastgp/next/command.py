"""The user's command: a template of words, in which values take the places of names.

The command is split into words as a shell does it, and then the values are filled in. No shell ever
sees them, so a value cannot be read as another command, whatever characters it has.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from ..errors import DataError, unknown

#: Names of what every run has besides its inputs.
EVERY = ("trial", "fidelity", "folder")
_PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "cmd", "cmd.exe", "powershell"})
#: Options behind which a shell finds commands.
_RUNS_CODE = re.compile(r"-[a-z]*c|/c|-command", re.IGNORECASE)
#: Words that only a shell understands.
_SHELL_WORDS = frozenset({"|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1", "<<", "|&"})


@dataclass(frozen=True)
class Command:
    """A command with places for values.

    Attributes
    ----------
    words : tuple of str
        As ``("python", "solver.py", "--mach", "{mach}")``.
    """

    words: tuple[str, ...]

    @classmethod
    def of(cls, template: str, names: Collection[str]) -> Command:
        """Read what a user typed.

        Parameters
        ----------
        template : str
        names : collection of str
            Inputs that can be filled in, besides ``trial``, ``fidelity`` and ``folder``.

        Examples
        --------
        >>> Command.of("./solve -m {mach} '{fidelity} mesh'", ["mach"]).filled(
        ...     {"mach": 0.7, "fidelity": "fine; rm -r /"}
        ... )
        ['./solve', '-m', '0.7', 'fine; rm -r / mesh']
        """
        try:
            words = shlex.split(template)
        except ValueError as error:
            raise DataError(f"the command {template!r} cannot be split: {error}") from None
        if not words:
            raise DataError("the command is empty; give one, as 'python solver.py {mach}'")
        _check_no_shell(words)
        for word in words:
            check_places(word, names, "the command")
        return cls(tuple(words))

    def filled(self, values: Mapping[str, Any]) -> list[str]:
        """Words with the values in their places."""
        words = [fill(word, values) for word in self.words]
        if broken := [word for word in words if "\0" in word]:
            raise DataError(f"the word {broken[0]!r} of the command has a NUL, which none can have")
        return words

    def uses(self, name: str) -> bool:
        """Whether a value has a place in it."""
        return any(match[1] == name for word in self.words for match in _PLACE.finditer(word))


def check_places(word: str, names: Collection[str], what: str) -> None:
    """Refuse places for values that do not exist."""
    for match in _PLACE.finditer(word):
        name = match[1]
        if name is not None and name not in names and name not in EVERY:
            known = [*names, *EVERY]
            raise unknown(f"name in {what}", name, known, "; braces as such are {{ and }}")


def fill(word: str, values: Mapping[str, Any]) -> str:
    """A text with values in the places of their names."""
    doubled = {"{{": "{", "}}": "}"}
    return _PLACE.sub(lambda match: doubled.get(match[0]) or _written(values[match[1]]), word)


def _written(value: Any) -> str:
    """A value with all of its digits."""
    return repr(value) if isinstance(value, float) else str(value)


def _check_no_shell(words: list[str]) -> None:
    """Refuse what would need a shell, or would hand values to one."""
    if found := [word for word in words if word in _SHELL_WORDS]:
        raise DataError(
            f"the command has {found[0]!r}, which only a shell understands, and none is used; put "
            "the command into a script, and give the script its values: './run.sh {mach}'"
        )
    if any(match[1] is not None for code in _code(words) for match in _PLACE.finditer(code)):
        raise DataError(
            'values inside of what a shell reads could be taken for commands; write "$1" '
            "there, and the values behind it: sh -c 'solve \"$1\" | tail -n 1' sh {mach}"
        )


def _code(words: Sequence[str]) -> Iterator[str]:
    """Words that a shell reads as commands, behind ``-c`` or ``-lc``; also ``timeout 9 sh -c``."""
    for first, word in enumerate(words):
        if PurePath(word).name.lower() in _SHELLS:
            options = words[first + 1 : -1]
            behind = [i for i, option in enumerate(options) if _RUNS_CODE.fullmatch(option)]
            yield from (words[first + 2 + i] for i in behind[:1])
