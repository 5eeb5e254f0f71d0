"""Models given all rows of files that do not fit in memory."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import numpy as np
import pytest

import mastgp
from mastgp import DataError, Dataset
from mastgp.clusters import scheduler
from mastgp.data import partitions
from mastgp.gp.inducing import InducingProcess
from mastgp.models.single import SingleFidelity
from mastgp.progress import listening
from mastgp.surrogates.many import choosing
from mastgp.surrogates.many.fitted import fit_many
from mastgp.surrogates.many.rows import LEAST_NOISE, Units
from mastgp.surrogates.many.streamed import Summing, given_all_rows
from streaming_support import lower_limits, table, write_parts

N, IN_SAMPLE = 6000, 2200


@pytest.fixture(autouse=True)
def low_limits(monkeypatch, tmp_path):
    """Little tables are beyond memory, and their sample is modelled by inducing points."""
    lower_limits(monkeypatch)
    monkeypatch.setattr(partitions, "SAMPLE_ROWS", IN_SAMPLE)
    monkeypatch.setattr(choosing, "MOST_EXACT", 0)
    monkeypatch.setattr(choosing.Trials, "_try", only_inducing(choosing.Trials._try))
    monkeypatch.chdir(tmp_path)


def only_inducing(try_):
    """Let other tools do badly on held-out rows, so that inducing points are chosen."""

    def tried(trials, kind, tool):
        entry = try_(trials, kind, tool)
        worse = 1.0 if kind == "inducing" else 10.0
        return replace(entry, squared=worse**2 * entry.squared, away=worse * entry.away)

    return tried


def rows(labels=False):
    frame = table(N, labels=labels)
    return frame.assign(y=frame["y"] + 0.05 * np.random.default_rng(5).standard_normal(N))


def read(folder, **options):
    return Dataset.from_files([f"coarse={folder}"], "y", **options)


def streamed(folder, **options):
    """The model of a folder: hyperparameters of the sample, sums of all rows."""
    data = read(folder, **options)
    (fidelity,) = data.fidelities
    assert (len(fidelity.y), fidelity.n_rows) == (IN_SAMPLE, N)
    fitted = fit_many(data.unit(fidelity), fidelity.y, fidelity.noise_var, data.categories)
    return given_all_rows(fitted, fidelity.stream, data.box), data


@pytest.mark.filterwarnings("ignore::mastgp.CategoriesWarning")
@pytest.mark.parametrize("labels", [False, True])
def test_the_model_is_that_of_all_rows_at_once(tmp_path, labels):
    frame = rows(labels)
    model, data = streamed(write_parts(frame, tmp_path / "c", 5))
    assert isinstance(model.tool, InducingProcess)
    assert (model.tool.n_points, model.report_of_choice.total) == (N, N)
    assert f"of {N} rows" in model.sentence()
    X = frame[["a", "m" if labels else "b"]].copy()
    if labels:
        X["m"] = data.categories[0].codes(X["m"], ["?"] * N)
    U = data.apart(data.box.to_unit(X.to_numpy(dtype=float)))
    y = (frame["y"].to_numpy() - model.units.mean) / model.units.scale
    whole = fit_rows(model.tool.basis, U, y)
    queries = U[:50]
    np.testing.assert_allclose(model.tool.predict(queries)[0], whole.predict(queries)[0], atol=1e-8)
    np.testing.assert_allclose(model.tool.predict(queries)[1], whole.predict(queries)[1], atol=1e-8)


def fit_rows(basis, U, y):
    from mastgp.surrogates.many.rows import Rows

    return InducingProcess.given(basis, Rows(U, y).observations)


def test_predictions_are_the_same_in_any_order_of_rows_and_partitions(tmp_path, rng):
    frame = rows()
    shuffled = frame.sample(frac=1.0, random_state=0)
    folders = [
        write_parts(frame, tmp_path / "one", 1),
        write_parts(shuffled, tmp_path / "many", 17),
        write_parts(shuffled, tmp_path / "text", 3, ".csv"),
    ]
    queries = rng.random((200, 2))
    first, *others = (streamed(folder)[0].predict(queries) for folder in folders)
    for other in others:
        np.testing.assert_allclose(other[0], first[0], rtol=0, atol=1e-8)
        np.testing.assert_allclose(other[1], first[1], rtol=0, atol=1e-8)


def test_known_noise_counts_for_every_row(tmp_path):
    folder = write_parts(rows(), tmp_path / "c", 3)
    model, data = streamed(folder, noise_std={"coarse": 0.05})
    known = (0.05 / model.units.scale) ** 2
    assert model.tool.sums.log_noise == pytest.approx(N * np.log(known), rel=1e-12)
    assert data.top.stream.noise_std == 0.05


def test_rows_of_files_that_are_said_to_be_exact_have_a_little_noise(tmp_path):
    data = read(write_parts(rows(), tmp_path / "c", 3), noise_std={"coarse": 0.0})
    stream = data.top.stream
    summing = Summing(stream, data.box, (), Units(0.0, 2.0), basis=None)
    blocks = [block for file in stream.files() for block in summing.rows(file)]
    assert sum(map(len, blocks)) == N
    assert all((block.noise_var == LEAST_NOISE).all() for block in blocks)


def test_files_that_change_while_they_are_read_are_noticed(tmp_path):
    folder = write_parts(rows(), tmp_path / "c", 3)
    data = read(folder)
    (fidelity,) = data.fidelities
    fitted = fit_many(data.unit(fidelity), fidelity.y)
    table(1500).to_parquet(folder / "p001.parquet")
    with pytest.raises(DataError, match="'coarse' have 5500 rows, but had 6000 when"):
        given_all_rows(fitted, fidelity.stream, data.box)


def test_methods_take_all_rows_and_files_keep_the_model(tmp_path):
    folder = write_parts(rows(), tmp_path / "c", 3)
    model = SingleFidelity().fit_data(read(folder))
    assert model.process_.tool.n_points == N
    assert f"of {N} rows" in str(model.facts())
    model.save("m.mast")
    again = mastgp.load("m.mast")
    queries = table(50, seed=9)[["a", "b"]]
    np.testing.assert_allclose(again.predict(queries), model.predict(queries), rtol=1e-12)
    assert again.training_data_.top.n_rows == N


@pytest.mark.filterwarnings("ignore")  # of the cluster
def test_a_cluster_gives_the_same_model_though_a_worker_is_killed(tmp_path, rng):
    distributed = pytest.importorskip("distributed")
    folder = write_parts(rows(), tmp_path / "c", 24)
    queries = rng.random((200, 2))
    here = streamed(folder)[0].predict(queries)
    killed = []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        pids = [worker.process.process.pid for worker in cluster.workers.values()]

        def kill(what, done, total):
            if what == "files summed" and done == 3 and not killed:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(done)

        with scheduler(cluster.scheduler_address), listening(kill):
            there = streamed(folder)[0].predict(queries)
    assert killed == [3]
    np.testing.assert_allclose(there[0], here[0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(there[1], here[1], rtol=0, atol=1e-9)
