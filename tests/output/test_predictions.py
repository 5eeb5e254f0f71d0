"""Predictions of files in blocks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mastgp import DataError, MissingWarning
from mastgp.data import blockwise, columnar
from mastgp.models import SingleFidelity
from mastgp.output import predictions
from mastgp.output.predictions import Extrapolation, predict_blocks, query_blocks
from mastgp.progress import listening


@pytest.fixture
def model(rng):
    X = pd.DataFrame(rng.random((12, 2)), columns=["a", "b"])
    return SingleFidelity().fit(X, (X["a"] + X["b"] ** 2).rename("y"))


@pytest.fixture
def queries(rng, tmp_path, monkeypatch):
    """A table of 300 queries, in files that have many blocks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(blockwise, "TEXT_BLOCK", 1000)
    monkeypatch.setattr(columnar, "BLOCK_CELLS", 100)
    table = pd.DataFrame(rng.random((300, 2)), columns=["a", "b"]).assign(case=range(300))
    table.to_csv("q.csv", index=False)
    table.to_parquet("q.parquet")
    Path("q").mkdir()
    for i in range(3):
        table[100 * i : 100 * i + 100].to_csv(f"q/part{i}.csv", index=False)
    return table


def blocks_of(model, word, **options):
    return list(predict_blocks(model, query_blocks(word, model, **options), False, "m.mast"))


@pytest.mark.parametrize("word", ["q.csv", "q.parquet", "q", "q/*.csv"])
def test_blocks_are_the_predictions_of_the_whole(model, queries, word):
    blocks = blocks_of(model, word)
    assert len(blocks) > 5
    table = pd.concat([block.table for block in blocks], ignore_index=True)
    assert table["case"].astype(int).tolist() == queries["case"].tolist()
    mean, std = model.predict(queries[["a", "b"]], return_std=True)
    np.testing.assert_allclose(table["mean"], mean, rtol=1e-12)
    np.testing.assert_allclose(table["std"], std, rtol=1e-9)
    np.testing.assert_allclose(table["upper95"] - table["mean"], 1.959964 * std, rtol=1e-6)


@pytest.mark.parametrize("output", ["p.csv", "p.parquet", "p.feather", "p.xlsx"])
@pytest.mark.parametrize("word", ["q.csv", "q.parquet", "q"])
def test_the_command_writes_one_table(model, queries, word, output, monkeypatch):
    from mastgp.cli.predict import predict

    model.save("m.mast")
    predict("m.mast", word, output)
    ending = Path(output).suffix[1:]
    read = getattr(pd, f"read_{'excel' if ending == 'xlsx' else ending}")
    table = read(output)
    assert table["case"].astype(int).tolist() == queries["case"].tolist()
    np.testing.assert_allclose(table["mean"], model.predict(queries[["a", "b"]]), rtol=1e-9)


def test_the_standard_output_has_one_header(model, queries, capsys):
    from mastgp.cli.predict import predict

    model.save("m.mast")
    predict("m.mast", "q.csv")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 301
    assert [line for line in lines if "mean" in line] == lines[:1]


def test_an_error_in_a_later_block_leaves_no_file_behind(model, queries):
    from mastgp.cli.predict import predict

    model.save("m.mast")
    text = Path("q/part1.csv").read_text().splitlines()
    text[50] = "bad,0.5,0"
    Path("q/part1.csv").write_text("\n".join(text))
    before = sorted(os.listdir())
    with pytest.raises(DataError, match=r"line 51 of q/part1.csv, column 'a': 'bad' is not a"):
        predict("m.mast", "q", "p.csv")
    assert sorted(os.listdir()) == before


def test_an_interrupt_leaves_an_older_file_as_it_was(model, queries, monkeypatch):
    from mastgp.cli.predict import predict

    model.save("m.mast")
    Path("p.parquet").write_text("older")
    before, calls = sorted(os.listdir()), []
    original = predictions.predicted

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(predictions, "predicted", interrupted)
    with pytest.raises(KeyboardInterrupt):
        predict("m.mast", "q.csv", "p.parquet")
    assert sorted(os.listdir()) == before
    assert Path("p.parquet").read_text() == "older"


@pytest.mark.parametrize("output", ["p.csv", "p.parquet", "p.feather"])
def test_a_full_disk_is_named_and_leaves_no_file_behind(model, queries, output):
    model.save("m.mast")
    before = sorted(os.listdir())
    code = (
        "import resource, sys; from mastgp.cli.main import main;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000));"
        f"sys.argv = ['mast', 'predict', 'm.mast', 'q.csv', '-o', {output!r}]; main()"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert f"Error: cannot write {output}: File too large" in run.stderr
    assert sorted(os.listdir()) == before


def test_files_of_queries_have_the_same_columns(model, queries):
    pd.read_csv("q/part2.csv")[["b", "a", "case"]].to_csv("q/part2.csv", index=False)
    with pytest.raises(DataError, match=r"q/part2.csv and q/part0.csv have not the same columns"):
        blocks_of(model, "q")


def test_rows_with_empty_cells_are_counted_over_all_blocks(model, queries):
    queries.loc[[3, 250], "a"] = np.nan
    queries.to_csv("q.csv", index=False)
    with pytest.warns(MissingWarning, match=r"2 of 300 rows of q.csv .* first line 5, column 'a'"):
        blocks = blocks_of(model, "q.csv", skip_missing=True)
    assert sum(len(block.table) for block in blocks) == 298


def test_queries_beyond_the_expensive_points_are_counted_over_all_blocks(queries, rng):
    cheap, fine = pd.DataFrame(rng.random((30, 2))), pd.DataFrame(0.5 * rng.random((8, 2)))
    X = pd.concat([cheap, fine], ignore_index=True).set_axis(["a", "b"], axis=1)
    labels = ["cheap"] * 30 + ["fine"] * 8
    model = SingleFidelity(order=["cheap", "fine"]).fit(X, X["a"], fidelity=labels)
    found = Extrapolation()
    for block in blocks_of(model, "q.csv"):
        found.add(block)
    least, most = fine[0].min(), fine[0].max()
    beyond = ((queries["a"] < least - 0.05) | (queries["a"] > most + 0.05)).sum()
    assert abs(found.beyond["a"] - beyond) < 10
    sentence = found.sentences(model.training_data_)[0]
    assert sentence.startswith(f"{found.beyond['a']} of 300 queries are outside the range of the")


def test_progress_knows_how_many_rows_there_are(model, queries):
    reports = []
    with listening(lambda what, done, total: reports.append((what, done, total))):
        blocks_of(model, "q.csv")
    assert reports[-1][:2] == ("rows predicted", 300)
    assert reports[0][2] == pytest.approx(300, rel=0.05)


@pytest.mark.filterwarnings("ignore")  # of the cluster
def test_a_cluster_predicts_the_same(model, queries):
    distributed = pytest.importorskip("distributed")
    from mastgp.cli.predict import predict

    model.save("m.mast")
    predict("m.mast", "q.csv", "here.csv")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        predict("m.mast", "q.csv", "there.csv", scheduler=cluster.scheduler_address)
    assert Path("there.csv").read_text() == Path("here.csv").read_text()
