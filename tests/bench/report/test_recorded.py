from __future__ import annotations

import gzip
import math

import pytest

from mastgp import FileError
from mastgp.bench.report.cells import Key
from mastgp.bench.report.recorded import long_csv, read_recorded
from mastgp.bench.report.summaries import GEOMETRIC_MEAN, Results

KEY = Key("two-fidelity", "branin", "mast", "", "rmse")


@pytest.fixture
def results(runs):
    return Results.of(runs(mast=[0.5, 0.25, 1.0], auto=[1.0]))


def test_a_report_can_be_read_again(results, tmp_path):
    path = tmp_path / "report.csv"
    path.write_text(long_csv(results))
    again = read_recorded(path)
    assert set(again.cells) == set(results.cells)
    for key, cell in again.cells.items():
        before = results.cells[key]
        assert (cell.mean, cell.n, cell.paper) == (before.mean, before.n, before.paper)
        assert (cell.differs, cell.versions) == (before.differs, before.versions)
        assert cell.std == before.std or (math.isnan(cell.std) and math.isnan(before.std))
        assert not cell.by_seed
    mean = again.summaries[Key("two-fidelity", GEOMETRIC_MEAN, "mast", "", "rmse")]
    assert mean.mean == pytest.approx(results.cells[KEY].mean)
    assert long_csv(again) == long_csv(results)


def test_a_further_file_adds_methods_that_are_missing(results, runs, tmp_path):
    (tmp_path / "first.csv").write_text(long_csv(results))
    more = Results.of(runs(mast=[9.0], fire=[2.0]))
    (tmp_path / "more.csv").write_text(long_csv(more))
    both = read_recorded(tmp_path / "first.csv", tmp_path / "more.csv")
    assert both.cells[KEY].mean == results.cells[KEY].mean
    assert both.cells[Key("two-fidelity", "branin", "fire", "", "rmse")].mean == 2.0
    assert {key.method for key in both.summaries} == {"mast", "auto", "fire"}


def test_compressed(results, tmp_path):
    path = tmp_path / "report.csv.gz"
    path.write_bytes(gzip.compress(long_csv(results).encode()))
    assert read_recorded(path).cells[KEY].mean == results.cells[KEY].mean


def test_columns(results):
    lines = long_csv(results).splitlines()
    assert lines[0] == (
        "experiment,problem,method,setting,metric,mean,std,seeds,paper,paper_std,differs,version"
    )
    assert "two-fidelity,branin,auto,,rmse,1.0,,1,,,," in lines


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "no column 'experiment'"),
        ("", "no column 'experiment'"),
        ("experiment,problem,method,setting,metric,mean,std,seeds\na,b,c,,rmse,x,,3\n", "line 2"),
    ],
)
def test_files_that_are_no_record(tmp_path, text, words):
    path = tmp_path / "odd.csv"
    path.write_text(text)
    with pytest.raises(FileError, match=words):
        read_recorded(path)
    with pytest.raises(FileError, match="there is no file"):
        read_recorded(tmp_path / "none.csv")


def test_a_line_with_too_few_cells_is_named(results, tmp_path):
    lines = long_csv(results).splitlines()
    (tmp_path / "a.csv").write_text("\n".join([*lines[:2], "a,b"]))
    with pytest.raises(FileError, match=r"a\.csv, line 3: could not convert"):
        read_recorded(tmp_path / "a.csv")
