from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from mastgp.errors import FileError, ModelFileError
from mastgp.next.database import (
    APPLICATION,
    MOST_BYTES,
    TABLES,
    VERSION,
    check_schema,
    connected,
    is_empty,
    naming,
    transaction,
)


@pytest.fixture
def database(tmp_path):
    made = connected(tmp_path / "a.study")
    with transaction(made):
        for statement in TABLES.values():
            made.execute(statement)
        made.execute(f"PRAGMA application_id = {APPLICATION}")
        made.execute(f"PRAGMA user_version = {VERSION}")
    yield made
    made.close()


def test_a_study_has_its_tables_and_nothing_else(database, tmp_path):
    check_schema(database, "a.study")
    assert not is_empty(database)
    empty = connected(tmp_path / "new")
    assert is_empty(empty)
    empty.close()


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("CREATE TRIGGER t AFTER INSERT ON trial BEGIN DELETE FROM trial; END", "tables"),
        ("CREATE VIEW v AS SELECT 1", "tables"),
        ("CREATE TABLE other (a)", "tables"),
        ("CREATE INDEX i ON trial (status)", "tables"),
        ("DROP TABLE candidate", "tables"),
        ("PRAGMA application_id = 1", "is no study"),
        ("PRAGMA user_version = 99", "newer version"),
    ],
)
def test_tricks_of_strangers_are_refused(database, statement, message):
    database.execute(statement)
    with pytest.raises(ModelFileError, match=message):
        check_schema(database, "a.study")


def test_changes_are_made_all_or_none(database):
    insert = "INSERT INTO study VALUES (1, 'a', 'b')"
    with pytest.raises(sqlite3.IntegrityError), transaction(database):
        database.executemany("INSERT INTO study VALUES (?, 'a', 'b')", [(1,), (1,)])
    assert database.execute("SELECT count(*) FROM study").fetchone() == (0,)
    with transaction(database):
        database.execute(insert)
    assert database.execute("SELECT count(*) FROM study").fetchone() == (1,)


def test_changes_are_forced_to_the_disk_without_other_files(database):
    assert database.execute("PRAGMA synchronous").fetchone() == (3,)
    assert database.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert database.execute("PRAGMA trusted_schema").fetchone() == (0,)


def test_errors_of_sqlite_are_explained(tmp_path):
    path = tmp_path / "text.study"
    path.write_text("no database at all, but long enough to be looked at" * 20)
    made = sqlite3.connect(path)
    with pytest.raises(ModelFileError, match=r"text\.study is no study"), naming(path):
        made.execute("SELECT 1 FROM sqlite_master")
    made.close()
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorname = "SQLITE_FULL"
    with pytest.raises(FileError, match="Is the disk full"), naming(path):
        raise full
    busy = sqlite3.OperationalError("locked")
    busy.sqlite_errorname = "SQLITE_BUSY"
    with pytest.raises(FileError, match="another process"), naming(path):
        raise busy


def test_a_schema_that_is_no_text_is_an_error_of_ours(tmp_path):
    """SQLite repeats in its message what it does not understand, byte by byte."""
    path = tmp_path / "a.study"
    with closing(connected(path)) as database, transaction(database):
        for sql in TABLES.values():
            database.execute(sql)
    content = path.read_bytes()
    broken = content.replace(b"CREATE TABLE trial", b"CREATE \xcbABLE trial", 1)
    assert broken != content
    path.write_bytes(broken)
    with pytest.raises(ModelFileError, match="is no study of mast, or damaged"):
        connected(path)


def test_a_file_that_is_too_large_is_not_opened(database, tmp_path):
    with open(tmp_path / "a.study", "r+b") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(ModelFileError, match="no study is so large"):
        connected(tmp_path / "a.study")


def test_a_read_only_file_is_named(database, tmp_path):
    path = tmp_path / "a.study"
    with (
        closing(connected(path, read_only=True)) as other,
        pytest.raises(FileError, match=r"a\.study: it is read-only, or its folder is.*shown"),
        naming(path),
        transaction(other),
    ):
        other.execute("DELETE FROM trial")
