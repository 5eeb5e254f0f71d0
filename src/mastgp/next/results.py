r"""What a run has found, read from its output by a stated rule.

Rules, for each target:

- ``last``, unless told otherwise for a study with one target: the last line that is not blank. It
  is a number, or a name and a number, as ``drag = 0.021`` or ``drag: 0.021 m``, or a row of
  numbers, of which the last counts. Among several names the target's counts, in large or small
  letters. The only name may also be a word for any result, as ``result = 0.021``; another name is
  another quantity, and no result.
- ``regex:PATTERN``: the last match of a regular expression. Its first group counts, if it has one.
- ``json:KEY``: the last line that is a JSON object, or the whole text. ``json:forces.drag`` is a
  key inside another. A study with several targets reads each by its name, unless told otherwise.

A number that is not finite, or beyond 1e150, is no value: such a run has failed, and says where not
to go.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import DataError, listed, unknown
from .trials import is_result

#: Text beyond this many characters, from the end, is not looked at.
MOST_CHARACTERS = 10_000_000
#: Digits are read in one way only, so that the time grows with the length of a line, and no faster.
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eEdD][+-]?\d+)?|[+-]?(?:nan|inf(?:inity)?)"
_ALONE = re.compile(rf"(?:{_NUMBER})", re.IGNORECASE)
_NAMED = re.compile(rf"(?:.*=|.*[^\d\s]\s*:)\s*({_NUMBER})(?:\s+\S{{1,20}})?", re.IGNORECASE)
_AFTER_WORD = re.compile(rf"(\S+)\s+({_NUMBER})", re.IGNORECASE)
_PAIR = re.compile(rf"([^\W\d][^=:,;]{{0,60}}?)\s*[=:]\s*({_NUMBER})(?![\w.])", re.IGNORECASE)
_UNIT = re.compile(r"[\[(].*?[\])]")
#: Words for a result of any name.
_ANY_RESULT = ("result", "value", "objective", "output", "answer")
_TROUBLE = re.compile(r"error|fail|diverg|abort|exception|warning|traceback", re.IGNORECASE)


class NoResultError(Exception):
    """An output has no result; the message says why."""


class NotFiniteError(NoResultError):
    """A result is there, and it is NaN, infinite or too large."""


@dataclass(frozen=True)
class Rule:
    """How one target is read.

    Attributes
    ----------
    kind : str
        ``last``, ``regex`` or ``json``.
    what : str
        The expression or the key.
    """

    kind: str
    what: str = ""

    @classmethod
    def of(cls, text: str) -> Rule:
        """Read a rule as ``last``, ``regex:PATTERN`` or ``json:KEY``."""
        kind, colon, what = text.partition(":")
        if kind == "last" and not colon:
            return cls("last")
        if kind == "regex" and what:
            try:
                re.compile(what)
            except re.error as error:
                raise DataError(f"the rule {text!r} is no regular expression: {error}") from None
            return cls(kind, what)
        if kind == "json" and what:
            return cls(kind, what)
        raise DataError(
            f"unknown rule {text!r}; choose one of 'last', 'regex:PATTERN' and 'json:KEY'"
        )

    def read(self, text: str, target: str = "") -> float:
        """The value in an output, or :class:`NoResultError`.

        Parameters
        ----------
        text : str
        target : str
            What is read; a last line with another name than this is no result. "" for any.
        """
        if self.kind == "last":
            found = _last(text, target)
        else:
            found = self._match(text) if self.kind == "regex" else self._entry(text)
        if not is_result(found):
            raise NotFiniteError(f"the result is {found}")
        return found

    def _match(self, text: str) -> float:
        matches = list(re.finditer(self.what, text, re.MULTILINE))
        if not matches:
            raise NoResultError(f"the output has no match of {self.what!r}")
        found = matches[-1]
        return _number(found[1] if found.re.groups else found[0])

    def _entry(self, text: str) -> float:
        value: Any = _last_object(text)
        for key in self.what.split("."):
            if not isinstance(value, dict) or key not in value:
                raise NoResultError(f"the output's JSON has no {self.what!r}")
            value = value[key]
        if isinstance(value, bool) or not isinstance(value, int | float | str | None):
            raise NoResultError(f"{self.what!r} is no number in the output's JSON")
        return math.nan if value is None else _number(str(value))


@dataclass(frozen=True)
class Reader:
    """How all targets of a study are read.

    Attributes
    ----------
    rules : mapping of target to Rule
    file : str or None
        Template of the file to read, as ``{folder}/out.json``; None for standard output.
    plausible : mapping of target to (low, high)
        Values outside are no results.
    """

    rules: Mapping[str, Rule]
    file: str | None = None
    plausible: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        targets: Sequence[str],
        texts: Sequence[str],
        file: str | None = None,
        plausible: Mapping[str, tuple[float, float]] | None = None,
    ) -> Reader:
        """Read the rules that a user gave: one for the only target, or ``target=rule`` for each.

        >>> Reader.of(["drag"], []).rules["drag"].kind
        'last'
        >>> Reader.of(["drag", "stress"], ["stress=regex:s = (.*)"]).rules["drag"]
        Rule(kind='json', what='drag')
        """
        rules = {name: Rule("last") if len(targets) == 1 else Rule("json", name)
                 for name in targets}  # fmt: skip
        for text in texts:
            name, equals, rule = text.partition("=")
            if equals and name.strip() in rules:
                rules[name.strip()] = Rule.of(rule.strip())
            elif len(targets) == 1:
                rules[targets[0]] = Rule.of(text)
            else:
                raise DataError(
                    f"the rule {text!r} is for no target; write TARGET=RULE, where the target is "
                    f"one of {listed(targets)}"
                )
        for name in plausible or {}:
            if name not in rules:
                raise unknown("target", name, targets)
        return cls(rules, file, dict(plausible or {}))

    def read(self, text: str) -> dict[str, float]:
        """Values of all targets, or :class:`NoResultError`."""
        found = {
            name: rule.read(text[-MOST_CHARACTERS:], name) for name, rule in self.rules.items()
        }
        for name, (low, high) in self.plausible.items():
            if not low <= found[name] <= high:
                raise NoResultError(
                    f"{name} = {found[name]:g} is not plausible: it is not between {low:g} and "
                    f"{high:g}"
                )
        return found


def _last(text: str, target: str) -> float:
    """The number of the last line that is not blank."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise NoResultError("there is no output")
    line = lines[-1]
    words = re.split(r"[\s,;]+", line)
    if all(_ALONE.fullmatch(word) for word in words):
        return _number(words[-1])
    after_word = _AFTER_WORD.fullmatch(line)
    if _TROUBLE.search(line) or not (_NAMED.fullmatch(line) or after_word):
        raise NoResultError(f"the last line is no result: {line[:200]!r}")
    pairs = _PAIR.findall(line)
    if not pairs:
        pairs = [after_word.groups()] if after_word else [("", words[-1])]
    return _number(_of_target(pairs, target))


def _of_target(pairs: Sequence[tuple[str, str]], target: str) -> str:
    """What a line of names and numbers says of a target."""
    named = [(_UNIT.sub("", name).strip().lower(), value) for name, value in pairs]
    wanted = target.lower()
    own = [value for name, value in named if name == wanted or name.endswith(f" {wanted}")]
    if own:
        return own[-1]
    name, value = named[-1]
    if not target or (len(named) == 1 and name.split(" ")[-1] in _ANY_RESULT):
        return value
    raise NoResultError(
        f"the last line has {listed([name for name, _ in pairs])} and not {target!r}; print "
        f"'{target} = ...', or say how the result is read (--result)"
    )


def _number(text: str) -> float:
    """A number as programs write it, Fortran's among them."""
    try:
        return float(text.strip().lower().replace("d", "e"))
    except ValueError:
        raise NoResultError(f"{text.strip()[:60]!r} is not a number") from None


def _last_object(text: str) -> Any:
    """The last line that is a JSON object, or the whole text."""
    for part in (*reversed(text.splitlines()), text):
        if part.lstrip().startswith("{"):
            try:
                return json.loads(part)
            except (ValueError, RecursionError):
                continue
    raise NoResultError("the output has no JSON object")
