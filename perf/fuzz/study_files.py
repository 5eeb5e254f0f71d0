"""Files of studies and results of benchmarks that were changed by a stranger."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing, suppress

from cases import Defect, attempted, chosen

from mastgp import Study
from mastgp.bench.compare import compare
from mastgp.bench.store import FILE_NAME, Store

VALUES = (None, 0, -1, 10**18, 1e308, float("inf"), -1e308, "", b"\x00\xff", "x", "done",
          '{"x": 1e999}', '{"x": NaN, "m": "al"}', "[]", "{}", "[" * 5000, "a" * 2_000_000,
          '{"y": "1"}', '{"y": 1e400}', "\x1b[31m")  # fmt: skip
PLAIN = (None, True, -1, 0, 10**30, 1e308, "", "x", [], {}, [1, 2], {"a": 1})
SCHEMA = (
    "CREATE TRIGGER z AFTER INSERT ON trial BEGIN DELETE FROM trial; END",
    "CREATE VIEW v AS SELECT 1",
    "DROP TABLE trial",
    "ALTER TABLE trial ADD COLUMN more",
    "PRAGMA user_version = 9",
)
RECORD = {"experiment": "two-fidelity", "problem": "branin", "method": "mast", "seed": 3,
          "setting": "", "test_size": 50, "status": "ok", "rmse": 0.5, "version": "1"}  # fmt: skip


def prepare(folder):
    """A study with some results, and its columns."""
    path = folder / "original.study"
    study = Study(path, inputs={"x": (0.0, 1.0), "m": ["al", "ti"]}, target="y",
                  costs={"lo": 1, "hi": 5}, budget=100)  # fmt: skip
    for trial in study.ask(6):
        study.tell(trial.id, float(trial.inputs["x"]))
    study.ask(2)
    with closing(sqlite3.connect(path)) as database:
        columns = [(table, row[1]) for table in ("study", "trial")
                   for row in database.execute(f"PRAGMA table_info({table})")]  # fmt: skip
    return folder, path, columns


def case(rng, context):
    return (_study if rng.random() < 0.7 else _records)(rng, context)


def _study(rng, context):
    folder, original, columns = context
    path = folder / "changed.study"
    shutil.copy(original, path)
    if rng.random() < 0.3:
        _flip(rng, path)
    else:
        with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as database:
            _change(rng, database, columns)
            database.commit()
    _, refused = attempted(lambda: (Study(path).trials(), Study(path).best()))
    return f"a study, refused, {refused}" if refused else "a study, opened"


def _flip(rng, path):
    content = bytearray(path.read_bytes())
    for _ in range(int(chosen(rng, (1, 5, 50)))):
        content[int(rng.integers(len(content)))] = int(rng.integers(256))
    path.write_bytes(bytes(content))


def _change(rng, database, columns):
    how = rng.random()
    if how < 0.1:
        database.execute(chosen(rng, SCHEMA))
    elif how < 0.5:
        (text,) = database.execute("SELECT definition FROM study").fetchone()
        definition = json.loads(text)
        _replace(rng, definition)
        database.execute("UPDATE study SET definition = ?", (json.dumps(definition),))
    else:
        table, column = chosen(rng, columns)
        database.execute("PRAGMA ignore_check_constraints = 1")
        database.execute(f"UPDATE {table} SET {column} = ?", (chosen(rng, VALUES),))


def _replace(rng, node):
    """Put something else in the place of a random value."""
    while True:
        key = chosen(rng, list(node) if isinstance(node, dict) else range(len(node)))
        inner = node[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.3:
            node[key] = chosen(rng, PLAIN)
            return
        node = inner


def _records(rng, context):
    """Lines of which one is changed; what is accepted can be compared."""
    folder = context[0] / "bench"
    folder.mkdir(exist_ok=True)
    record = dict(RECORD)
    record[chosen(rng, [*RECORD, "more"])] = chosen(rng, PLAIN)
    line = json.dumps(record).encode()
    if rng.random() < 0.3:
        line = bytearray(line)
        line[int(rng.integers(len(line)))] = int(rng.integers(256))
    (folder / FILE_NAME).write_bytes(json.dumps(RECORD).encode() + b"\n" + bytes(line) + b"\n")
    found, refused = attempted(lambda: Store(folder).read())
    if refused:
        return f"results, refused, {refused}"
    if not 1 <= len(found) <= 3:
        raise Defect(f"two lines became {len(found)} results")
    compare(found, found)
    return "results, read"
