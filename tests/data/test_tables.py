"""Files and frames as training data, and points to predict at."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest

from mastgp import DataError, Dataset, FewPointsWarning, MissingWarning
from mastgp.data.categories import Kinds
from mastgp.data.cells import numeric
from mastgp.data.columns import Roles
from mastgp.data.levels import Category
from mastgp.data.tables import frame_table, query_inputs, query_source, training_table

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


def test_the_same_name_twice(files, tmp_path):
    other = tmp_path / "more"
    other.mkdir()
    (other / "fine.csv").write_text(FINE)
    with pytest.raises(DataError, match="two files are called 'fine'"):
        training_table([str(files["fine"]), str(other / "fine.csv")], "drag")
    with pytest.raises(DataError, match=r"the file .*fine\.csv is given twice; leave one out"):
        training_table([str(files["fine"]), str(files["fine"])], "drag")


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


def add_column(files, cells):
    """Add a column 'case' to all files, of cells that are repeated."""
    for path, own in zip(files.values(), cells, strict=True):
        header, *lines = path.read_text().splitlines()
        rows = [f"{line},{own[i % len(own)]}" for i, line in enumerate(lines)]
        path.write_text("\n".join([f"{header},case", *rows]))


def test_columns_of_text_are_read_as_labels(files):
    add_column(files, [["A", "B"], ["B", "C"]])
    table = read(files)
    assert list(table.X["case"])[:2] == ["A", "B"]
    assert table.X["mach"].dtype == float


def test_columns_of_numbers_are_read_as_labels_on_request(files):
    table = read(files, kinds=Kinds(categorical=["alpha"]))
    assert table.X["alpha"].iloc[0] == "1"
    assert table.kinds.categorical == ["alpha"]


@pytest.mark.parametrize(
    ("cells", "kinds", "words"),
    [
        ([["A", "1"], ["B"]], Kinds(), "'A' is not a number .* remove the row"),
        ([["A", "B"], ["A"]], Kinds(numeric=["case"]), r"leave the column out \(--ignore 'case'"),
        ([["A", "B"], ["A"]], Kinds(integer=["case"]), "'A' is not a number"),
        ([["A", " "], ["A"]], Kinds(), "line 3 of .*, column 'case': the value is missing"),
        ([["A"], ["A"]], Kinds(categorical=["cases"]), "categorical names 'cases', but the inputs"),
    ],
)
def test_text_among_numbers_is_a_mistake(files, cells, kinds, words):
    add_column(files, cells)
    with pytest.raises(DataError, match=words):
        read(files, kinds=kinds)


def test_queries_with_an_unknown_level_are_named_with_their_line(tmp_path):
    path = tmp_path / "q.csv"
    path.write_text("material,mach\nal,0.5\ntin,0.6\n")
    names, category = ["mach", "material"], Category(1, "material", ("al", "steel"))
    with pytest.raises(DataError, match=r"'material' is 'tin' in line 3 of .*'al', 'steel'"):
        query_inputs(query_source(str(path), names), names, [category])
    path.write_text("material,mach\nal,0.5\nsteel,0.6\n")
    inputs = query_inputs(query_source(str(path), names), names, [category])
    assert list(inputs["material"]) == ["al", "steel"]


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


def test_queries_keep_their_other_columns(tmp_path):
    path = tmp_path / "q.csv"
    path.write_text("case,alpha,mach\n007,1,0.5\nNA,2,0.6\n")
    source = query_source(str(path), ["mach", "alpha"])
    whole, inputs = source.rows, numeric(source, ["mach", "alpha"])
    assert list(whole.columns) == ["case", "alpha", "mach"]
    assert list(whole["case"]) == ["007", "NA"]
    assert list(inputs.columns) == ["mach", "alpha"]


def test_rows_know_where_they_come_from(files):
    table = read(files)
    assert table.places[1] == f"line 3 of {files['coarse']}"
    assert table.places[4] == f"line 3 of {files['fine']}"
    assert table.target_name == "drag"


def test_files_are_a_list(files):
    with pytest.raises(DataError, match=r"a list of paths, as \["):
        training_table(str(files["fine"]), "drag")
    with pytest.raises(DataError, match="there are no files"):
        training_table([], "drag")


def test_paths_need_not_be_text(files):
    assert training_table([files["fine"]], "drag").fidelity == ["fine", "fine"]


def test_a_frame_is_divided_by_its_columns():
    frame = pd.DataFrame(
        {"source": ["a", "b"], "u": [1.0, 2.0], "case": ["A", "B"], "y": [3.0, 4.0], "e": 0.1},
        index=[7, 8],
    )
    table = frame_table(frame, Roles("y", "source", "e", ignore=["case"]))
    assert list(table.X.columns) == ["u"]
    assert list(table.fidelity) == ["a", "b"]
    np.testing.assert_array_equal(table.noise_std, [0.1, 0.1])
    assert (table.target_name, table.places[1]) == ("y", "row 8")
    assert list(frame_table(frame, Roles("y", inputs=["e", "u"])).X.columns) == ["e", "u"]


def test_a_frame_with_a_column_twice():
    frame = pd.DataFrame(np.zeros((2, 3)), columns=["u", "u", "y"])
    with pytest.raises(DataError, match="the frame has column 'u' twice"):
        frame_table(frame, Roles("y"))


def test_several_files_of_one_fidelity(files, tmp_path):
    (tmp_path / "more.csv").write_text("mach,alpha,drag\n0.8,4,40\n")
    for given in (
        [f"coarse={files['coarse']},{tmp_path / 'more.csv'}", str(files["fine"])],
        {"coarse": [files["coarse"], tmp_path / "more.csv"], "fine": files["fine"]},
    ):
        table = training_table(given, "drag")
        assert table.fidelity == ["coarse"] * 4 + ["fine"] * 2
        assert table.places[3] == f"line 2 of {tmp_path / 'more.csv'}"


RESULTS = "x,LF,HF\n1,10,11\n2,20,\n3,,33\n4,40,44\n"


def test_a_column_of_results_for_each_fidelity(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text(RESULTS)
    table = training_table([path], {"low": "LF", "high": "HF"})
    assert table.fidelity == ["low"] * 3 + ["high"] * 3
    assert table.y.tolist() == [10, 20, 40, 11, 33, 44]
    assert table.X["x"].tolist() == [1, 2, 4, 1, 3, 4]
    assert table.places[4] == f"line 4 of {path}"
    frame = pd.read_csv(path)
    with pytest.warns(FewPointsWarning):
        data = Dataset.from_frame(frame, {"low": "LF", "high": "HF"}, order=["low", "high"])
    assert repr(data) == "<Dataset: low 3 + high 3 points, 1 input, target 'HF'>"


def test_rows_with_empty_cells_are_left_out_on_request(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("x,note,y\n1,,2\n,a,3\n4,b,\n5,c,6\n6,d,7\n7,e,8\n8,f,9\n")
    options = {"ignore": ["note"]}
    with pytest.raises(DataError, match=r"line 3 .*--skip-missing"):
        training_table([path], "y", **options)
    words = r"2 of 7 rows of .*runs\.csv have an empty cell, first line 3, column 'x'"
    with pytest.warns(MissingWarning, match=words):
        table = training_table([path], "y", skip_missing=True, **options)
    assert table.y.tolist() == [2, 6, 7, 8, 9]
    frame = pd.read_csv(path, index_col="note")
    with pytest.warns(MissingWarning, match="2 of 7 rows of the frame .*first row 1, column 'x'"):
        data = Dataset.from_frame(frame, "y", skip_missing=True)
    assert data.top.y.tolist() == [2, 6, 7, 8, 9]


@pytest.mark.filterwarnings("ignore::mastgp.FewPointsWarning")
def test_rows_without_a_level_are_left_out_on_request(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("x,coating,y\n1,none,2\n2,n/a,3\n3,TiN,4\n4,,5\n")
    with pytest.raises(DataError, match=r"line 3 .*column 'coating': .*--skip-missing"):
        training_table([path], "y")
    with pytest.warns(MissingWarning, match=r"2 of 4 rows .*first line 3, column 'coating'"):
        table = training_table([path], "y", skip_missing=True)
    assert table.X["coating"].tolist() == ["none", "TiN"]
    frame = pd.DataFrame({"x": [1.0, 2, 3], "coating": ["none", None, "TiN"], "y": [1.0, 2, 3]})
    with pytest.warns(MissingWarning, match="1 of 3 rows"):
        data = Dataset.from_frame(frame, "y", skip_missing=True, categorical=["coating"])
    assert data.categories[0].levels == ("TiN", "none")
    path.write_text("x,coating\n1,none\n2,\n")
    with pytest.warns(MissingWarning, match="1 of 2 rows"):
        source = query_source(str(path), ["x", "coating"], True, data.categories)
    assert source.rows["coating"].tolist() == ["none"]


@pytest.mark.filterwarnings("ignore::mastgp.FewPointsWarning")
def test_a_column_of_results_for_each_fidelity_beside_labels():
    frame = pd.DataFrame(
        {"m": ["al", "ti", "al"], "x": [0.0, 1, 2], "LF": [1.0, 2, 3], "HF": [None, 5.0, 6.0]}
    )
    options = {"order": ["low", "high"], "categorical": ["m"]}
    with pytest.warns(FewPointsWarning):
        data = Dataset.from_frame(frame, {"low": "LF", "high": "HF"}, **options)
    assert data.values_of(data.top.X)[0].tolist() == ["al", "ti"]
    assert [len(fidelity.y) for fidelity in data.fidelities] == [3, 2]


def test_units_are_kept_and_must_agree(files):
    text = COARSE.replace("drag\n", "drag\n-,deg,N\n", 1)
    files["coarse"].write_text(text)
    assert read(files).units == {"alpha": "deg", "drag": "N"}
    files["fine"].write_text(FINE.replace("mach\n", "mach\nkN,deg,-\n", 1))
    with pytest.raises(DataError, match=r"'drag' is in 'N' in .*coarse.csv, but in 'kN' in .*fine"):
        read(files)


def test_the_same_pipe_is_not_read_twice(tmp_path):
    with pytest.raises(DataError, match="given twice"):
        training_table(["a=-,-"], "y")


def test_paths_that_are_no_unicode(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.csv")
    with open(path, "w") as file:
        file.write("x,y\n1,2\n2,3\n3,5\n4,6\n5,8\n")
    data = Dataset.from_files([f"cafe={path}"], "y")
    assert data.top.name == "cafe"
    with pytest.raises(DataError, match=r"the name 'caf\\udce9' is no text .* as name=path"):
        Dataset.from_files([path], "y")
    with open(path, "w") as file:
        file.write("x,y\n1,z\n")
    with pytest.raises(DataError, match=r"line 2 of .*caf\\xe9\.csv, column 'y'"):
        Dataset.from_files([f"cafe={path}"], "y")


@pytest.mark.parametrize("name", ["a.zip", "a.gz", "a.xz", "a.csv.bz2", "a.dat", "a"])
def test_plain_text_is_read_whatever_it_is_called(tmp_path, name):
    (tmp_path / name).write_text("x,y\n1,2\n")
    assert training_table([tmp_path / name], "y").y.tolist() == [2.0]


def test_errors_of_wide_tables_are_short(tmp_path):
    names = [f"c{i}" for i in range(1_000)]
    text = "\n".join([",".join(names), ",".join(["1"] * len(names))])
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(text if name == "a" else text.replace("c7,", "d7,"))
    with pytest.raises(DataError, match=r"has no column 'drag'.* and 950 more") as error:
        training_table([tmp_path / "a.csv"], "drag")
    assert len(str(error.value)) < 1000
    with pytest.raises(DataError, match="has no column 'c7'"):
        training_table([tmp_path / "a.csv", tmp_path / "b.csv"], "c0")
