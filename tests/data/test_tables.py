from __future__ import annotations

import builtins
import gzip

import numpy as np
import pandas as pd
import pytest

from mastgp import DataError, FileError, MissingExtraError
from mastgp.data.tables import numeric, query_table, read_table, training_table, write_table

COARSE = "mach,alpha,drag\n0.5,1,10\n0.6,2,20\n0.7,3,30\n"
FINE = "drag,alpha,mach\n11,1,0.5\n21,2,0.6\n"


@pytest.fixture
def files(tmp_path):
    paths = {name: tmp_path / f"{name}.csv" for name in ("coarse", "fine")}
    paths["coarse"].write_text(COARSE)
    paths["fine"].write_text(FINE)
    return paths


def read(files, **options):
    return training_table([str(path) for path in files.values()], "drag", **options)


def test_columns_are_matched_by_name_and_files_name_the_fidelities(files):
    table = read(files)
    assert list(table.X.columns) == ["mach", "alpha"]
    assert table.fidelity == ["coarse"] * 3 + ["fine"] * 2
    np.testing.assert_array_equal(table.X["mach"], [0.5, 0.6, 0.7, 0.5, 0.6])
    np.testing.assert_array_equal(table.y, [10, 20, 30, 11, 21])
    assert table.y.name == "drag"


def test_one_long_file(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("source,x,y\nlab,1,2\nold,3,4\nlab,5,6\n")
    table = training_table([str(path)], "y", fidelity_column="source")
    assert table.fidelity == ["lab", "old", "lab"]
    assert list(table.X.columns) == ["x"]
    path.write_text("source,x,y\n1,1,2\n0,3,4\n")
    assert training_table([str(path)], "y", fidelity_column="source").fidelity == ["1", "0"]


def test_names_can_be_given(files):
    table = training_table([f"lab={files['fine']}", f"old={files['coarse']}"], "drag")
    assert table.fidelity == ["lab"] * 2 + ["old"] * 3


def test_inputs_can_be_chosen_or_ignored(files):
    assert list(read(files, inputs=["alpha"]).X.columns) == ["alpha"]
    assert list(read(files, ignore=["mach"]).X.columns) == ["alpha"]


def test_noise_column(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y,e\n1,2,0.1\n2,3,0.2\n")
    table = training_table([str(path)], "y", noise_column="e")
    np.testing.assert_array_equal(table.noise_std, [0.1, 0.2])
    assert list(table.X.columns) == ["x"]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("\ufeffx,y\n1.5,2\n", ["x", "y"]),  # byte-order mark of a spreadsheet
        ("x;y\n1,5;2\n", ["x", "y"]),  # decimal comma
        ("x\ty\n1,5\t2\n", ["x", "y"]),
        ("x;y\n1.5;2\n", ["x", "y"]),
        ("x\ty\n1.5\t2\n", ["x", "y"]),
        (" x , y \n1.5, 2\n", ["x", "y"]),
        ("x,y,\n1.5,2,\n", ["x", "y"]),  # trailing separators
        ('"x","y"\r\n1.5,2\r\n\r\n', ["x", "y"]),  # Windows line ends, blank last line
    ],
)
def test_dialects(tmp_path, text, columns):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode())
    source = read_table(path)
    assert list(source.rows.columns) == columns
    assert numeric(source, ["x"])["x"].tolist() == [1.5]
    assert len(source.rows) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            ("0.6,2,20", "0.6,two,20"),
            r"line 3 of .*coarse.csv, column 'alpha': 'two' is not a number",
        ),
        (("0.6,2,20", "0.6,,20"), r"line 3 of .*, column 'alpha': the value is missing"),
        (("0.6,2,20", "0.6,inf,20"), r"line 3 of .*, column 'alpha': the value is infinite"),
        (("0.6,2,20", "0.6,2,NaN"), r"line 3 of .*, column 'drag': the value is missing"),
        (("mach,", "speed,"), r"fine.csv has no column 'speed', but .*'mach', but .*rename"),
        (("mach,alpha,drag", "mach,alpha,Drag"), r"did you mean 'Drag'\?"),
        (("mach,alpha,drag", "mach,alpha,lift"), r"coarse.csv has no column 'drag'"),
        (("mach,alpha,drag\n", ""), r"looks like numbers; is the header row missing\?"),
        (("mach,alpha", "mach,mach"), "has column 'mach' twice"),
        (("0.6,2,20", "0.6,2,20,99"), "cannot be read as a table"),
        (("0.5,1,10", "0,5,1,10"), r"more cells than the header .* decimal comma"),
        (("0.6,2,20", '0.6,"2,5",20'), r"'2,5' is not a number \(is it a decimal comma\?\)"),
        (("mach,alpha,drag", ",alpha,drag"), "column 1 has values but no name"),
    ],
)
def test_bad_files_are_named_with_line_and_column(files, change, words):
    files["coarse"].write_text(COARSE.replace(*change))
    with pytest.raises(DataError, match=words):
        read(files)


def test_line_numbers_count_blank_lines(files):
    files["coarse"].write_text("mach,alpha,drag\n\n0.5,1,10\n\n0.6,x,20\n")
    with pytest.raises(DataError, match="line 5"):
        read(files)


@pytest.mark.parametrize("text", ["", "\n", "mach,alpha,drag\n", "\n\n\n"])
def test_empty_files(files, text):
    files["coarse"].write_text(text)
    with pytest.raises(DataError, match=r"coarse.csv (is empty|has no rows)"):
        read(files)


def test_files_that_are_not_there(files, tmp_path):
    with pytest.raises(FileError, match="there is no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(FileError, match="is a folder"):
        read_table(tmp_path)


def test_binary_files(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"\x80\x81\xff\n\xfe")
    with pytest.raises(DataError, match="not a text file"):
        read_table(path)


def test_the_same_name_twice(files, tmp_path):
    other = tmp_path / "more"
    other.mkdir()
    (other / "fine.csv").write_text(FINE)
    with pytest.raises(DataError, match="two files are called 'fine'"):
        training_table([str(files["fine"]), str(other / "fine.csv")], "drag")


def test_missing_label(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("source,x,y\nlab,1,2\n,3,4\n")
    with pytest.raises(DataError, match=r"line 3 of .*, column 'source': the fidelity is missing"):
        training_table([str(path)], "y", fidelity_column="source")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"inputs": ["drag", "mach"]}, "'drag' cannot be both an input and something else"),
        ({"inputs": ["mach", "mach"]}, "input 'mach' is named twice"),
        ({"noise_column": "drag"}, "column 'drag' is named twice"),
        ({"ignore": ["drag"]}, "'drag' is needed and cannot be ignored"),
        ({"ignore": ["sweep"]}, "no column 'sweep' to ignore"),
    ],
)
def test_each_column_has_one_role(files, options, words):
    with pytest.raises(DataError, match=words):
        read(files, **options)


def test_a_column_of_text_may_be_left_out_or_name_the_fidelity(files):
    for path in files.values():
        lines = path.read_text().splitlines()
        path.write_text("\n".join([lines[0] + ",case", *(line + ",A" for line in lines[1:])]))
    with pytest.raises(DataError, match=r"leave the column out \(--ignore 'case'\), or is it the"):
        read(files)


def test_labels_stay_as_they_are_written(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("source,x,y\n0.50,1,2\nNA,3,4\nTrue,5,6\n01,7,8\n1,9,10\n")
    table = training_table([str(path)], "y", fidelity_column="source")
    assert table.fidelity == ["0.50", "NA", "True", "01", "1"]


def test_columns_with_any_name(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("noise,fidelity label,y,e\n1,2,3,0.5\n4,5,6,\n")
    table = training_table([str(path)], "y", noise_column="e")
    assert table.X.to_numpy().tolist() == [[1, 2], [4, 5]]
    np.testing.assert_array_equal(table.noise_std, [0.5, np.nan])


def test_files_of_the_same_name_with_a_fidelity_column(tmp_path):
    for folder, label in (("a", "lab"), ("b", "old")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "runs.csv").write_text(f"source,x,y\n{label},1,2\n")
    paths = [str(tmp_path / folder / "runs.csv") for folder in "ab"]
    assert training_table(paths, "y", fidelity_column="source").fidelity == ["lab", "old"]


def test_compressed_files(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(gzip.compress(b"x,y\n1,2\n"))
    with pytest.raises(DataError, match="compressed; decompress it first"):
        read_table(path)


def test_decimals_are_read_exactly(tmp_path, rng):
    values = rng.standard_normal(200) * 10.0 ** rng.integers(-12, 12, 200)
    path = tmp_path / "a.csv"
    path.write_text("x\n" + "\n".join(repr(float(v)) for v in values) + "\n")
    np.testing.assert_array_equal(numeric(read_table(path), ["x"])["x"], values)


def test_queries_keep_their_other_columns(tmp_path):
    path = tmp_path / "q.csv"
    path.write_text("case,alpha,mach\n007,1,0.5\nNA,2,0.6\n")
    whole, inputs = query_table(str(path), ["mach", "alpha"])
    assert list(whole.columns) == ["case", "alpha", "mach"]
    assert list(whole["case"]) == ["007", "NA"]
    assert list(inputs.columns) == ["mach", "alpha"]


def test_parquet_goes_both_ways(tmp_path):
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"x": [1.0, 2.0], "name": ["a", "b"]})
    write_table(table, tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(
        read_table(tmp_path / "a.parquet").rows, table, check_dtype=False, check_column_type=False
    )
    table.set_index("x").to_parquet(tmp_path / "indexed.parquet")
    assert list(read_table(tmp_path / "indexed.parquet").rows.columns) == ["x", "name"]
    dated = pd.DataFrame({"x": pd.to_datetime(["2026-01-01"])})
    dated.to_parquet(tmp_path / "dated.parquet")
    with pytest.raises(DataError, match=r"row 1 of .*'2026-01-01 00:00:00' is not a number"):
        numeric(read_table(tmp_path / "dated.parquet"), ["x"])
    (tmp_path / "bad.parquet").write_bytes(b"PAR1nonsense")
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        read_table(tmp_path / "bad.parquet")


def test_parquet_without_its_library_says_how_to_get_it(tmp_path, monkeypatch):
    real = builtins.__import__

    def no_pyarrow(name, *args, **options):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **options)

    (tmp_path / "a.parquet").write_bytes(b"")
    monkeypatch.setattr(builtins, "__import__", no_pyarrow)
    with pytest.raises(MissingExtraError, match=r'pip install "mastgp\[parquet\]"'):
        read_table(tmp_path / "a.parquet")
