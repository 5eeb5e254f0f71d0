from __future__ import annotations

import subprocess
import sys

import pytest

from mastgp.errors import DataError
from mastgp.next.command import Command, fill

NASTY = [
    "; touch owned",
    "$(touch owned)",
    "`touch owned`",
    "a b",
    "'",
    '"',
    "-rf",
    "{x}",
    "\\",
    "|",
]


@pytest.mark.parametrize("value", NASTY)
@pytest.mark.parametrize("word", ["{m}", "'{m}'", '"a {m}"', "--mesh={m}"])
def test_values_arrive_as_one_argument_whatever_they_are(tmp_path, value, word):
    code = "import sys; print(len(sys.argv)); print(sys.argv[1], end='')"
    words = Command.of(f"python -c '' {word}", ["m"]).filled({"m": value})
    run = subprocess.run([sys.executable, "-c", code, words[-1]], cwd=tmp_path,
                         capture_output=True, text=True, check=True)  # fmt: skip
    assert run.stdout.splitlines()[0] == "2"
    assert value in run.stdout
    assert not list(tmp_path.iterdir())
    assert len(words) == 4


def test_numbers_have_all_their_digits():
    command = Command.of("a {x} {n} {{x}}", ["x", "n"])
    assert command.filled({"x": 0.1 + 0.2, "n": 3}) == ["a", "0.30000000000000004", "3", "{x}"]
    assert command.uses("x")
    assert not command.uses("trial")
    assert fill("{folder}/a", {"folder": "/b"}) == "/b/a"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("", "empty"),
        ("a {y}", "unknown name in the command 'y'"),
        ("a {mac}", "did you mean 'mach'"),
        ("a 'b", "cannot be split"),
        ("a {mach} | tail", "only a shell"),
        ("a {mach} > out.txt", "only a shell"),
        ("cd x && a {mach}", "only a shell"),
        ("sh -c 'a {mach}'", "taken for commands"),
        ("/bin/bash -c 'a {mach} | b'", "taken for commands"),
        ("bash -lc 'a {mach}'", "taken for commands"),
        ("timeout 9 env A=1 /bin/sh -e -c 'a {mach}'", "taken for commands"),
    ],
)
def test_what_cannot_be_run_safely_is_refused(template, message):
    with pytest.raises(DataError, match=message):
        Command.of(template, ["mach"])


def test_a_shell_may_get_values_as_arguments():
    command = Command.of("""sh -c 'echo "$1" | tail -n 1' sh {mach}""", ["mach"])
    words = command.filled({"mach": "$(echo owned)"})
    assert subprocess.run(words, capture_output=True, text=True).stdout == "$(echo owned)\n"


def test_an_option_of_another_program_may_be_called_like_that_of_a_shell():
    assert Command.of("solve -c {mach}", ["mach"]).filled({"mach": 1}) == ["solve", "-c", "1"]


def test_a_value_that_no_command_can_have_is_named():
    command = Command.of("a {mach}", ["mach"])
    with pytest.raises(DataError, match=r"'b\\x00c' of the command has a NUL"):
        command.filled({"mach": "b\0c"})
