"""``mast methods`` and ``mast icl download``."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from mastgp.cli.methods import _state_of


def test_every_method_is_listed(mast):
    code, out, _ = mast("methods")
    assert code == 0
    assert "ar1" in out
    assert "emukit" in out  # what nargp needs, or the command that gets it


def test_json_is_json(mast):
    code, out, _ = mast("methods", "--json")
    assert code == 0
    entries = {entry["name"]: entry for entry in json.loads(out)}
    assert set(entries) >= {"mast", "auto", "nargp"}
    assert entries["mast"]["installed"] is entries["mast"]["ready"] is True
    assert entries["mast"]["python_only"] is False


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        ({}, "-"),
        ({"needs": ("smt",)}, "smt: installed"),
        ({"python_only": True}, "-; in Python only"),
        ({"needs": ("smt",), "installed": False}, "pip install 'mastgp[smt]'"),
        ({"needs": ("tabpfn",), "ready": False}, "mast icl download tabpfn"),
    ],
)
def test_what_a_method_needs_or_how_to_get_it(facts, state):
    ready = {
        "needs": (), "installed": True, "ready": True, "python_only": False, "checkpoint": "tabpfn",
        "install_command": "pip install 'mastgp[smt]'",
    }  # fmt: skip
    assert _state_of(SimpleNamespace(**ready | facts)) == state


@pytest.mark.parametrize(("yes", "agreed"), [(["--yes"], True), ([], False)])
def test_a_checkpoint_is_fetched_only_under_its_licence(mast, monkeypatch, yes, agreed):
    answers = []

    def fetched(checkpoint, agree):
        answers.append((checkpoint.name, agree("Licence: do no harm.")))
        return Path("here.ckpt")

    monkeypatch.setattr("mastgp.surrogates.checkpoints.download", fetched)
    monkeypatch.setattr("typer.confirm", lambda question: False)
    code, out, _ = mast("icl", "download", "tabicl", *yes)
    assert code == 0
    assert answers == [("tabicl", agreed)]
    assert "Licence: do no harm." in out
    assert "The checkpoint is in here.ckpt." in out


def test_unknown_learners_are_named(mast):
    code, _, err = mast("icl", "download", "magic")
    assert code == 1
    assert "magic" in err
