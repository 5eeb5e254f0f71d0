"""Random hostile tables: a right answer, or an error of ours that names the file.

Every table is drawn with its true values. It is then written in some dialect, and perhaps damaged.
An undamaged table must come back exactly. A damaged one must either come back exactly (the damage
did no harm) or be refused by an error of ours that names the file and, where one cell is wrong, the
row and the column. A wrong cell that leaves no number in its column makes labels of it, of which a
note is printed by every fit. Anything else is a defect, and is printed with its seed.

Some tables have several targets, of which a row may lack some but not all: every target must come
back with the rows that have it. In some tables a target or an input is to be modelled by its
logarithm: values that have none must be refused by line and column.

    python perf/fuzz_tables.py --tables 5000 --seed 0
"""

from __future__ import annotations

import argparse
import io
import random
import re
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from mastgp import MastError, MastWarning
from mastgp.data.arrays import Table, checked_rows
from mastgp.data.categories import Kinds
from mastgp.data.dataset import assemble
from mastgp.data.rows import Options
from mastgp.data.tables import training_table
from mastgp.data.targets import check_logarithms, has_several, split

SEPARATORS = (",", ";", "\t", "|", " ")
NAMES = ("mach", "alpha (deg)", "Länge", "x,y", "a;b", "t", "drag#2", 'say "hi"', "p=1", "β", "1st")
UNITS = ("m", "[deg]", "kg/m3", "-", "%", "m/s")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "cp1252", "utf-16-le")
#: Cells that are no numbers; blank ones among them.
WRONG = (
    "two",
    "",
    "n/a",
    "1.2.3",
    "0x1F",
    "1_000",
    "--",
    "1 2",
    "inf",
    "-Infinity",
    "nan",
    "1e999",
)
#: Those of them that are blank.
BLANK = ("", "n/a", "nan")
#: Digits of other scripts that Python takes for numbers.
DIGITS = ("١٢", "１２", "²")


@dataclass
class Case:
    """A table with its true values, how it is written, and what must be said of it.

    Attributes
    ----------
    names : list of str
        Of the columns; the last are the targets'.
    n_targets : int
    log_target, log_input : int or None
        Columns of which logarithms are taken.
    values : array
    cells : list of list of str
    wrong : (row, column) or None
        A cell that must be named.
    refused : bool
        Whether the table must be refused.
    """

    names: list[str]
    values: np.ndarray
    cells: list[list[str]]
    separator: str = ","
    comma: bool = False
    encoding: str = "utf-8"
    ending: str = ".csv"
    units: list[str] | None = None
    comments: bool = False
    line_end: str = "\n"
    blank_lines: bool = False
    n_targets: int = 1
    log_target: int | None = None
    log_input: int | None = None
    damage: str = "none"
    wrong: tuple[int, int] | None = None
    refused: bool = False
    data: bytes | None = None
    lines: list[int] = field(default_factory=list)


def draw(rng: random.Random) -> Case:
    """A table and the way it is written."""
    n, d = rng.randint(1, 8), rng.randint(1, 5)
    n_targets = rng.choice((1, 1, 2, 3))
    names = rng.sample(NAMES, d + n_targets)
    scale = 10.0 ** rng.randint(-8, 8)
    values = np.array([[number(rng, scale) for _ in names] for _ in range(n)])
    case = Case(names, values, [[written(rng, v) for v in row] for row in values])
    case.separator = rng.choice(SEPARATORS)
    case.comma = case.separator in ";\t|" and rng.random() < 0.4
    case.encoding = rng.choice(ENCODINGS)
    case.ending = rng.choice((".csv", ".txt", ".dat", "", ".zip"))
    case.units = [rng.choice(UNITS) for _ in names] if rng.random() < 0.2 else None
    case.comments, case.blank_lines = rng.random() < 0.2, rng.random() < 0.2
    case.line_end = rng.choice(("\n", "\r\n", "\r"))
    if case.encoding == "cp1252":
        case.names = [name.replace("β", "ß") for name in case.names]
    case.n_targets = n_targets
    if n_targets > 1 and rng.random() < 0.6:
        leave_gaps(case, rng)
    if rng.random() < 0.2:
        take_logarithm(case, rng, target=True)
    if rng.random() < 0.2:
        take_logarithm(case, rng, target=False)
    return case


def leave_gaps(case: Case, rng: random.Random) -> None:
    """Empty some cells of targets, but never all of a row."""
    for row in range(len(case.cells)):
        gaps = rng.sample(range(case.n_targets), rng.randrange(case.n_targets))
        for gap in gaps:
            empty(case, row, len(case.names) - 1 - gap, rng)


def empty(case: Case, row: int, column: int, rng: random.Random) -> None:
    """A cell without a value."""
    case.cells[row][column] = "NA" if case.separator == " " else rng.choice(("", "NA", "nan", " "))
    case.values[row, column] = np.nan


def take_logarithm(case: Case, rng: random.Random, target: bool) -> None:
    """Ask for the logarithm of a column; most often one in which all values have one."""
    d = len(case.names) - case.n_targets
    column = rng.randrange(d, len(case.names)) if target else rng.randrange(d)
    if target:
        case.log_target = column
    else:
        case.log_input = column
    if rng.random() < 0.8:
        for row, value in enumerate(case.values[:, column]):
            if not np.isnan(value):
                case.values[row, column] = abs(value) or 1.0
                case.cells[row][column] = written(rng, case.values[row, column])


def number(rng: random.Random, scale: float) -> float:
    kind = rng.random()
    if kind < 0.3:
        return float(rng.randint(-50, 50))
    return round(rng.gauss(0, 1) * scale, 12) if kind < 0.5 else rng.gauss(0, 1) * scale


def written(rng: random.Random, value: float) -> str:
    """A number in one of the ways in which programs write it, without a loss."""
    value = float(value)
    forms = [repr(value), f"{value:.17g}", f"{value:.17e}", f"{value:+.17g}", f"{value:.17E}"]
    if value == int(value) and abs(value) < 1e6:
        forms += [str(int(value)), f"{int(value)}."]
    return rng.choice(forms)


# Kinds of damage. Each changes a case and says what must be said of it.


def wrong_cell(case: Case, rng: random.Random) -> None:
    row, column = rng.randrange(len(case.cells)), rng.randrange(len(case.names))
    cell = rng.choice(WRONG)
    if case.separator == " " and len(cell.split()) != 1:
        cell = "two"
    case.cells[row][column] = cell
    if cell in BLANK and may_be_empty(case, row, column):
        return
    case.wrong, case.refused = (row, column), True


def may_be_empty(case: Case, row: int, column: int) -> bool:
    """Empty the value of one of several targets; whether the row still has one of another."""
    first = len(case.names) - case.n_targets
    if column < first or case.n_targets == 1:
        return False
    case.values[row, column] = np.nan
    if not np.isnan(case.values[row, first:]).all():
        return True
    case.wrong, case.refused = (row, first), True
    return True


def other_digits(case: Case, rng: random.Random) -> None:
    """Digits of other scripts: Python and we read some of them; never another number."""
    row, column = rng.randrange(len(case.cells)), rng.randrange(len(case.names))
    if case.encoding == "cp1252":
        case.encoding = "utf-8"
    cell = rng.choice(DIGITS)
    case.cells[row][column] = cell
    case.values[row, column] = 12.0
    if cell == "²":
        case.wrong, case.refused = (row, column), True


def two_marks(case: Case, rng: random.Random) -> None:
    case.separator, case.comma = ";", False
    column = rng.randrange(len(case.names))
    for row in range(len(case.cells)):
        for gap in np.flatnonzero(np.isnan(case.values[row])):
            case.cells[row][gap], case.values[row, gap] = "2.5", 2.5
    for row, cell in enumerate(("1.5", "1,234")):
        if row < len(case.cells):
            case.cells[row][column] = cell
            case.values[row, column] = 1.5
    case.refused = len(case.cells) > 1


def extra_cell(case: Case, rng: random.Random) -> None:
    case.cells[rng.randrange(len(case.cells))].append("7")
    case.refused = True


def short_row(case: Case, rng: random.Random) -> None:
    row = rng.randrange(len(case.cells))
    case.cells[row].pop()
    if case.separator != " " and may_be_empty(case, row, len(case.names) - 1):
        return
    case.refused = True
    if len(case.cells[row]) == 0 or case.separator == " ":
        return
    case.wrong = (row, len(case.names) - 1)


def same_name(case: Case, rng: random.Random) -> None:
    case.names[rng.randrange(len(case.names) - case.n_targets)] = case.names[-1]
    case.refused = True


def no_name(case: Case, rng: random.Random) -> None:
    case.separator = rng.choice(",;\t")
    case.names[rng.randrange(len(case.names) - case.n_targets)] = " "
    case.refused = True


def control(case: Case, rng: random.Random) -> None:
    column = rng.randrange(len(case.names) - case.n_targets)
    case.names[column] = f"x{rng.choice(chr(27) + chr(0) + chr(7))}[31m"
    case.refused = True


def long_name(case: Case, rng: random.Random) -> None:
    case.names[rng.randrange(len(case.names) - case.n_targets)] = "x" * rng.choice(
        (20_000, 150_000)
    )
    case.refused = True


def no_header(case: Case, rng: random.Random) -> None:
    case.names = [repr(float(i)) for i in range(len(case.names))]
    case.refused = True


def header_only(case: Case, rng: random.Random) -> None:
    case.cells, case.values, case.units = [], case.values[:0], None
    case.refused = True


def cut(case: Case, rng: random.Random) -> None:
    """A file that ends in the middle: whatever comes back are values of ours, as far as they go."""
    data = encoded(case)
    case.data = data[: rng.randrange(len(data))]
    case.refused = False


def noise(case: Case, rng: random.Random) -> None:
    case.data = rng.randbytes(rng.randint(0, 300))


def swapped_bytes(case: Case, rng: random.Random) -> None:
    data = bytearray(encoded(case))
    for _ in range(rng.randint(1, 5)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    case.data = bytes(data)


DAMAGES: dict[str, Callable[[Case, random.Random], None] | None] = {
    "none": None,
    "wrong cell": wrong_cell,
    "other digits": other_digits,
    "two decimal marks": two_marks,
    "extra cell": extra_cell,
    "short row": short_row,
    "same name twice": same_name,
    "no name": no_name,
    "control character": control,
    "long name": long_name,
    "no header": no_header,
    "header only": header_only,
    "cut": cut,
    "noise": noise,
    "swapped bytes": swapped_bytes,
}
#: Damage that changes bytes: it may make another table, whose values nobody knows.
UNKNOWN = {"cut", "noise", "swapped bytes"}


def encoded(case: Case) -> bytes:
    """The bytes of the file."""
    rows = [row_text(case.names, case)]
    if case.comments:
        rows = ["# written by a program, on a day; with; semicolons", *rows]
    if case.units is not None:
        rows.append(row_text(case.units, case))
    for number, row in enumerate(case.cells):
        if case.comments and number % 3 == 1:
            rows.append("  # a comment, in between")
        if case.blank_lines and number % 2 == 1:
            rows.append("")
        case.lines.append(len(rows) + 1)
        rows.append(row_text([c.replace(".", ",") if case.comma else c for c in row], case))
    text = case.line_end.join(rows) + case.line_end
    return text.encode(case.encoding, "replace")


def row_text(cells: list[str], case: Case) -> str:
    return case.separator.join(quoted(cell, case) for cell in cells)


def quoted(cell: str, case: Case) -> str:
    odd = set(cell) & {case.separator, '"', " ", "#", "\n", ","}
    if cell == "" and case.separator == " ":
        return '""'
    return '"' + cell.replace('"', '""') + '"' if odd else cell


def verdict(case: Case, path: Path) -> str:
    """What became of a table; a word that begins with BAD is a defect."""
    targets = [" ".join(name.split()) for name in case.names[-case.n_targets :]]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", MastWarning)
            table = training_table([str(path)], targets if case.n_targets > 1 else targets[0])
            tables = split(table) if has_several(table.y) else {targets[0]: table}
            logarithms(case, tables, str(path))
    except MastError as error:
        return of_error(case, str(error), path)
    except Exception as error:
        return f"BAD {type(error).__name__}: {error}"
    if case.damage in UNKNOWN:
        return "read"
    if case.refused:
        return "labels" if of_labels(case, table.X) else "BAD read, but wrong"
    return next((bad for t in tables if (bad := of_values(case, tables[t], t)) != "right"), "right")


def logarithms(case: Case, tables: dict[str, Table], path: str) -> None:
    """Ask for logarithms of a target and of an input, as a fit does."""
    named = [" ".join(name.split()) for name in case.names]
    if case.log_target is not None and named[case.log_target] in tables:
        check_logarithms(tables[named[case.log_target]])
    if case.log_input is not None:
        kinds = Kinds(log_inputs=(named[case.log_input],))
        for table in tables.values():
            options = Options()
            data = assemble(checked_rows(replace(table, kinds=kinds), options), options)
            assert len(data.box.logs) == 1


def without_logarithm(case: Case, message: str) -> bool:
    """Whether an error names a value of which a logarithm was wanted and is not there."""
    for column in (case.log_target, case.log_input):
        if column is None:
            continue
        wrong = np.flatnonzero(case.values[:, column] <= 0.0)
        name = " ".join(case.names[column].split())
        if any(f"line {case.lines[row]} of" in message for row in wrong) and name in message:
            return True
    return False


def of_labels(case: Case, X: pd.DataFrame) -> bool:
    """Whether the column of the wrong cell has no number left, and so is a category."""
    column = X.shape[1] if case.wrong is None else case.wrong[1]
    return column < X.shape[1] and all(isinstance(cell, str) for cell in X.iloc[:, column])


def of_error(case: Case, message: str, path: Path) -> str:
    if case.damage not in UNKNOWN and without_logarithm(case, message):
        return "refused"
    if is_without_target(case, message):
        return "refused"
    if not case.refused and case.damage not in UNKNOWN:
        return f"BAD refused: {message}"
    if case.damage in UNKNOWN and "but the inputs are" in message:
        return "refused"  # an option names a column whose name was damaged; the error lists all
    if str(path) not in message:
        return f"BAD does not name the file: {message}"
    if case.wrong is not None and not names_cell(case, message):
        return f"BAD does not name line and column: {message}"
    return "refused"


def is_without_target(case: Case, message: str) -> bool:
    """Whether a target has no value at all, and the error says so."""
    targets = range(len(case.names) - case.n_targets, len(case.names))
    return any(
        np.isnan(case.values[:, column]).all()
        and f"value of target {' '.join(case.names[column].split())!r}" in message
        for column in targets
    )


def names_cell(case: Case, message: str) -> bool:
    row, column = case.wrong or (0, 0)
    name = " ".join(case.names[column].split())
    return f"line {case.lines[row]} of" in message and f"column {name!r}" in message


def of_values(case: Case, table: Table, target: str) -> str:
    """Whether a target came back with the rows that have it."""
    names = [" ".join(name.split()) for name in case.names]
    d = len(names) - case.n_targets
    if list(table.X.columns) != names[:d]:
        return f"BAD columns {list(table.X.columns)}"
    got = np.column_stack([table.X.to_numpy(), np.asarray(table.y)])
    expected = case.values[:, [*range(d), names.index(target)]]
    expected = expected[~np.isnan(expected[:, -1])]
    return "right" if np.array_equal(got, expected) else "BAD other values"


def run(seed: int, folder: Path) -> tuple[str, str]:
    """Draw, write and read one table: the kind of damage, and what became of it."""
    rng = random.Random(seed)
    case = draw(rng)
    case.damage = rng.choice(["none"] * 5 + list(DAMAGES))
    damage = DAMAGES[case.damage]
    if damage is not None:
        damage(case, rng)
    data = case.data
    if data is None:
        case.lines.clear()
        data = encoded(case)
    path = folder / f"table{case.ending}"
    path.write_bytes(data)
    return case.damage, verdict(case, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    options = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    slowest, bad = 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.tables):
            started = time.process_time()
            damage, outcome = run(seed, Path(folder))
            slowest = max(slowest, time.process_time() - started)
            counts[damage, re.sub(r"BAD.*", "BAD", outcome, flags=re.DOTALL)] += 1
            if outcome.startswith("BAD"):
                bad += 1
                if bad <= 20:
                    print(f"seed {seed}, {damage}: {outcome[:300]}", file=sys.stderr)
    report(counts, options.tables, slowest)
    sys.exit(1 if bad else 0)


def report(counts: Counter[tuple[str, str]], tables: int, slowest: float) -> None:
    """Print the counts by outcome, and by damage."""
    out = io.StringIO()
    outcomes = ("right", "refused", "read", "labels", "BAD")
    print(f"{'':20s}" + "".join(f"{outcome:>9s}" for outcome in outcomes), file=out)
    for damage in DAMAGES:
        row = [counts[damage, outcome] for outcome in outcomes]
        print(f"{damage:20s}" + "".join(f"{count:9d}" for count in row), file=out)
    totals = [sum(counts[damage, outcome] for damage in DAMAGES) for outcome in outcomes]
    print(f"{'all ' + str(tables):20s}" + "".join(f"{count:9d}" for count in totals), file=out)
    print(f"slowest table: {slowest:.2f} s", file=out)
    print(out.getvalue(), end="")


if __name__ == "__main__":
    main()
