"""Attempts on a Dask cluster: each is a task, run by whichever worker is free."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from .attempts import Job, Outcome, end, end_of, outcome, prepare, start
from .command import fill

#: Place of the folder in the words of a job that will be run elsewhere.
FOLDER = "{folder}"


def attempt(job: Job, values: Mapping[str, str]) -> tuple[Outcome, dict[str, str]]:
    """Make an attempt on this worker, in a folder that is removed afterwards.

    Returns
    -------
    outcome : Outcome
    files : mapping of name to text
        What the program said.
    """
    with tempfile.TemporaryDirectory(prefix="mast-run-") as name:
        folder = Path(name) / "run"
        own = located(job, folder)
        prepare(folder, own)
        process = start(folder, own, {**values, "MAST_FOLDER": str(folder)})
        try:
            process.wait()
        finally:
            end(process)
        found = outcome(folder, own)
        said = {path.name: end_of(path) for path in folder.glob("std*.txt")}
        return found, said


def located(job: Job, folder: Path) -> Job:
    """The job with its folder filled in."""
    values = {"folder": str(folder)}
    words = tuple(fill(word, values) if word == FOLDER else word for word in job.words)
    file = None if job.file is None else job.file.replace(FOLDER, str(folder))
    return replace(job, words=words, file=file)
