"""The database of a study as such: its tables, and connections that are careful with it.

Tables (version 1 of the schema, the file's ``user_version``; its ``application_id`` is "mast"):

- ``study`` has one row: a random number that tells this study from others of the same name, and
  the definition, as JSON.
- ``trial`` has a row for every run that was ever asked for. Rows are added and changed, never
  removed, and ``id`` counts them from 1.
- ``candidate`` has the rows of a pool, as JSON, if the study chooses from one.

Every change is one transaction with SQLite's rollback journal, forced to the disk before it counts:
after a kill or on a full disk the file is as it was before the change. A second process waits until
the first is done with its change. Connections live for one operation, so that a fork or a thread
cannot share one. The file must be on a disk of this machine: network file systems lack the locks.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import FileError, ModelFileError

#: "mast" in ASCII.
APPLICATION = 0x6D617374
VERSION = 1
#: Seconds that a process waits for the change of another.
PATIENCE = 60.0
#: Largest text or number of bytes in a cell.
_LONGEST_CELL = 10_000_000
#: Largest file that is opened, in bytes: SQLite may hold a cell of it in memory twice.
MOST_BYTES = 2**28

TABLES = {
    "study": """CREATE TABLE study (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  identity TEXT NOT NULL,
  definition TEXT NOT NULL
)""",
    "trial": """CREATE TABLE trial (
  id INTEGER PRIMARY KEY,
  status TEXT NOT NULL CHECK (status IN ('asked', 'running', 'done', 'failed')),
  origin TEXT NOT NULL CHECK (origin IN ('design', 'suggestion', 'given')),
  fidelity TEXT NOT NULL,
  inputs TEXT NOT NULL,
  candidate INTEGER,
  cost REAL NOT NULL CHECK (cost > 0),
  reason TEXT NOT NULL,
  predicted TEXT NOT NULL,
  asked_by TEXT NOT NULL,
  asked_at REAL NOT NULL,
  started_at REAL,
  ended_at REAL,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  runner TEXT,
  measured TEXT,
  failure TEXT,
  CHECK ((status = 'done') = (measured IS NOT NULL)),
  CHECK ((status = 'failed') = (failure IS NOT NULL))
)""",
    "candidate": """CREATE TABLE candidate (
  number INTEGER PRIMARY KEY,
  cells TEXT NOT NULL
)""",
}


def is_empty(database: sqlite3.Connection) -> bool:
    """Whether a file has no tables at all."""
    return bool(database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0)


def connected(path: Path, read_only: bool = False) -> sqlite3.Connection:
    """Open a file carefully: no tricks of its schema, every change forced to the disk."""
    if path.exists() and path.stat().st_size > MOST_BYTES:
        raise ModelFileError(f"{path} has more than {MOST_BYTES // 2**20} MB; no study is so large")
    uri = f"{path.absolute().as_uri()}{'?mode=ro' if read_only else ''}"
    with naming(path):
        database = sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)
        try:
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_CELL)
            database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0",
                           "synchronous = EXTRA"):  # fmt: skip
                database.execute(f"PRAGMA {pragma}")
        except BaseException:
            database.close()
            raise
    return database


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """All changes or none."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    finally:
        if database.in_transaction:
            database.execute("ROLLBACK")


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say what is wrong with a file in words."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explained(path, error) from error
    except UnicodeDecodeError as error:  # SQLite repeats what it does not understand
        raise ModelFileError(f"{path} is no study of mast, or damaged: {error}") from error


def _explained(path: str | os.PathLike[str], error: sqlite3.Error) -> FileError:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return ModelFileError(f"{path} is no study of mast, or damaged: {error}")
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return FileError(
            f"cannot write {path}: {error}. Is the disk full? The study is as it was before; make "
            "room and try again"
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
        return FileError(
            f"cannot write {path}: it is read-only, or its folder is. The study can be shown; to "
            "ask and tell, make both writable, or copy the file elsewhere"
        )
    if name.startswith("SQLITE_BUSY"):
        return FileError(
            f"another process has been writing to {path} for {PATIENCE:.0f} s; try again"
        )
    return FileError(f"cannot use {path}: {error}")


def check_schema(database: sqlite3.Connection, path: str | os.PathLike[str]) -> None:
    """Refuse files that are no study, or have more in them than a study has."""
    if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise ModelFileError(f"{path} is no study of mast")
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise ModelFileError(
            f"{path} was written by a newer version of mastgp (format {version}, this one reads "
            f"up to {VERSION}); upgrade mastgp"
        )
    schema = database.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    if sorted(schema) != sorted(("table", name, sql) for name, sql in TABLES.items()):
        raise ModelFileError(f"{path} is damaged: its tables are not those of a study")
