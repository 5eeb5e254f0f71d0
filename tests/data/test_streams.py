"""Rows beyond memory as checked arrays."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp import DataError, Dataset
from mastgp.gp.responses import Logarithm
from mastgp.models.transformed import transformed_data
from streaming_support import SAMPLE, lower_limits, table, write_parts


@pytest.fixture(autouse=True)
def low_limits(monkeypatch, tmp_path):
    lower_limits(monkeypatch)
    monkeypatch.chdir(tmp_path)


def dataset(tmp_path, frame, target="y", parts=4, **options):
    write_parts(frame, tmp_path / "coarse", parts)
    table(20, seed=7, labels="m" in frame).assign(**options.pop("fine", {})).to_csv(
        "fine.csv", index=False
    )
    options = {"order": ["coarse", "fine"], **options}
    return Dataset.from_files(["coarse/", "fine.csv"], target, **options)


def all_rows(stream):
    blocks = [block for file in stream.files() for block in stream.blocks(file)]
    X, y = np.vstack([block.X for block in blocks]), np.concatenate([b.y for b in blocks])
    return X, y, [block.noise_var for block in blocks]


def test_a_stream_has_all_rows_and_its_fidelity_a_sample(tmp_path):
    frame = table(2000)
    data = dataset(tmp_path, frame)
    coarse, fine = data.fidelities
    assert (len(coarse.y), coarse.n_rows, len(fine.y), fine.n_rows) == (SAMPLE, 2000, 20, 20)
    assert fine.stream is None
    assert repr(data).startswith("<Dataset: coarse 2000 + fine 20 points")
    X, y, noise = all_rows(coarse.stream)
    np.testing.assert_array_equal(X, frame[["a", "b"]])
    np.testing.assert_array_equal(y, frame["y"])
    assert set(noise) == {None}
    assert {*map(tuple, np.column_stack([coarse.X, coarse.y]))} <= {*map(tuple, frame.to_numpy())}


def test_the_box_is_that_of_all_rows(tmp_path):
    frame = table(2000)
    frame.loc[[77, 1500], "a"] = [-3.0, 9.0]
    data = dataset(tmp_path, frame)
    assert (data.box.low[0], data.box.high[0]) == (-3.0, 9.0)


def test_levels_are_those_of_all_rows(tmp_path):
    frame = table(2000, labels=True)
    frame.loc[1234, "m"] = "unobtainium"
    data = dataset(tmp_path, frame, categorical=["m"])
    levels = data.categories[0].levels
    assert levels == ("al", "steel", "ti", "unobtainium")
    X, _, _ = all_rows(data.cheaper[0].stream)
    assert [levels[int(code)] for code in X[:, 1]] == frame["m"].tolist()


def test_known_noise_is_that_of_the_row_or_of_the_fidelity(tmp_path):
    frame = table(2000)
    data = dataset(tmp_path, frame, noise_std={"coarse": 0.3})
    _, _, noise = all_rows(data.cheaper[0].stream)
    np.testing.assert_allclose(np.concatenate(noise), 0.09)


def test_noise_that_some_rows_lack_is_named(tmp_path):
    frame = table(2000).assign(s=0.1)
    data = dataset(tmp_path, frame, noise_column="s", fine={"s": ""})
    np.testing.assert_allclose(np.concatenate(all_rows(data.cheaper[0].stream)[2]), 0.01)
    hidden = data.cheaper[0].stream.partitions.paths[-1]
    table(100).assign(s=np.nan).to_parquet(hidden)
    with pytest.raises(DataError, match=r"noise_std is nan in row 1 of coarse/p003.parquet"):
        all_rows(data.cheaper[0].stream)


def test_rows_outside_the_bounds_are_named(tmp_path):
    frame = table(2000)
    frame.loc[1234, "a"] = 5.0
    with pytest.raises(DataError, match=r"'a' is 5 in row 235 of coarse/p002.parquet of fidel"):
        dataset(tmp_path, frame, bounds={"a": (0.0, 1.0)})


def test_rows_without_a_logarithm_are_named(tmp_path):
    frame = table(2000)
    frame.loc[1234, "a"] = -1.0
    with pytest.raises(DataError, match=r"'a' is -1 in row 235 of coarse/p002.parquet; it is a l"):
        dataset(tmp_path, frame, log_inputs=["a"])


def test_broken_numbers_of_whole_inputs_are_named(tmp_path):
    frame = table(2000)
    frame["a"] = 1.0
    data = dataset(tmp_path, frame, fine={"a": 2.0}, integer=["a"])
    frame.loc[10, "a"] = 1.5
    frame[:500].to_parquet("coarse/p000.parquet")
    with pytest.raises(DataError, match=r"'a' is 1.5 in row 11 of coarse/p000.parquet; it is an"):
        all_rows(data.cheaper[0].stream)


def test_responses_are_transformed_with_the_data(tmp_path):
    frame = table(2000)
    frame["y"] += 2.0
    data = dataset(tmp_path, frame, noise_std={"coarse": 0.1}, fine={"y": np.arange(3.0, 23.0)})
    stream = transformed_data(data, Logarithm()).cheaper[0].stream
    _, y, noise = all_rows(stream)
    np.testing.assert_allclose(y, np.log(frame["y"]))
    np.testing.assert_allclose(np.concatenate(noise), (0.1 / frame["y"]) ** 2)
    frame.assign(y=-1.0)[:500].to_parquet("coarse/p000.parquet")
    with pytest.raises(DataError, match=r"needs positive values, and in coarse/p000.parquet"):
        all_rows(stream)


def test_parts_of_the_data_have_no_stream(tmp_path):
    coarse = dataset(tmp_path, table(2000)).cheaper[0]
    assert coarse.subset(coarse.y > 0).stream is None
