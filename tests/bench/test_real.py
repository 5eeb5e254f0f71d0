from __future__ import annotations

import hashlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from mastgp import DataError, FileError
from mastgp.bench import datasets
from mastgp.bench.datasets import DATA_SETS, DataFile, DataSet, download, find_files, is_available
from mastgp.bench.experiments import experiment
from mastgp.bench.real import concrete_formula, pooled_problem, real_draw, real_problem

SHARED = Path(__file__).parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(
    not SHARED.is_dir(), reason=f"the real data sets are not in {SHARED}"
)


def counts(trial):
    return {str(name): int((trial.fidelity == name).sum()) for name in np.unique(trial.fidelity)}


@needs_data
@pytest.mark.parametrize("name", sorted(DATA_SETS))
def test_files_have_the_recorded_hashes(name):
    for file, path in zip(DATA_SETS[name].files, find_files(name, SHARED), strict=True):
        assert hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256


@needs_data
@pytest.mark.parametrize(
    ("name", "expected", "n_inputs", "n_only"),
    [
        ("concrete", {"high": 28, "low": 120}, 8, 40),
        ("hoip", {"high": 8, "mid": 18, "low": 120}, 3, 15),
        ("drivaernet", {"high": 81, "low": 345}, 23, 115),
    ],
)
def test_numbers_of_the_paper(name, expected, n_inputs, n_only):
    problem = real_problem(name, str(SHARED))
    trial = real_draw(problem, 0)
    assert problem.n_inputs == n_inputs
    assert counts(trial) == expected
    assert len(trial.y_only) == n_only
    again = real_draw(problem, 0)
    np.testing.assert_array_equal(trial.y, again.y)
    assert not np.array_equal(trial.y, real_draw(problem, 1).y)


@needs_data
@pytest.mark.parametrize("name", ["concrete", "hoip", "drivaernet"])
def test_no_test_row_shares_its_inputs_with_a_training_row(name):
    trial = real_draw(real_problem(name, str(SHARED)), 3)
    top = trial.X[trial.fidelity == "high"]
    trained = {row.tobytes() for row in np.vstack([top, trial.X_only])}
    assert not any(row.tobytes() in trained for row in np.ascontiguousarray(trial.X_test))


@needs_data
@pytest.mark.parametrize("name", ["hoip", "drivaernet"])
def test_collocated_rows_share_places(name):
    trial = real_draw(real_problem(name, str(SHARED)), 0, collocated=True)
    top = {row.tobytes() for row in trial.X[trial.fidelity == "high"]}
    low = {row.tobytes() for row in trial.X[trial.fidelity == "low"]}
    assert top <= low


@needs_data
def test_budget_sweep_caps_at_the_pool():
    trial = real_draw(real_problem("hoip", str(SHARED)), 0, budget_factor=3.0)
    assert counts(trial)["low"] == 240


@needs_data
def test_what_the_data_are():
    concrete = real_problem("concrete", str(SHARED)).pools["high"]
    for epsilon, expected in ((1.0, 0.71), (1e-6, 0.86)):
        cheap = concrete_formula(concrete.X, epsilon)
        assert np.corrcoef(cheap, concrete.y)[0, 1] == pytest.approx(expected, abs=0.01)
    cars = real_problem("drivaernet", str(SHARED)).pools
    assert np.corrcoef(cars["low"].y, cars["high"].y)[0, 1] == pytest.approx(0.59, abs=0.01)
    hoip = real_problem("hoip", str(SHARED))
    assert {name: len(pool.y) for name, pool in hoip.pools.items()} == {
        "low": 240, "mid": 179, "high": 480
    }  # fmt: skip
    assert hoip.options == {"metric": "hamming"}


@needs_data
def test_extra_noise_of_the_sweep():
    problem = real_problem("hoip", str(SHARED))
    plain, noisy = (real_draw(problem, 0, lf_cost_ratio=c) for c in (1.0, 50.0))
    low = plain.fidelity == "low"
    added = np.std((noisy.y - plain.y)[low])
    assert added == pytest.approx(0.1 * np.log(50) * np.std(plain.y[low]), rel=0.2)
    np.testing.assert_array_equal(
        noisy.y[plain.fidelity == "high"], plain.y[plain.fidelity == "high"]
    )


def test_missing_data_say_which_file_to_put_where(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("MASTGP_DATA", raising=False)
    with pytest.raises(FileError, match=r"Put data_car.csv at .*drivaernet/data_car.csv.*download"):
        find_files("drivaernet", tmp_path)
    with pytest.raises(FileError, match=r"UCI data set 165"):
        find_files("concrete", tmp_path)
    assert not is_available("hoip")
    with pytest.raises(DataError, match="unknown data set 'mnist'"):
        find_files("mnist")


def test_folders_are_searched_in_order(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    places = [tmp_path / "named", tmp_path / "variable", tmp_path / "cache" / "mastgp" / "data"]
    monkeypatch.setenv("MASTGP_DATA", str(places[1]))
    for place in reversed(places):
        (place / "concrete").mkdir(parents=True)
        (place / "concrete" / "concrete.csv").write_text("")
        assert find_files("concrete", places[0]) == [place / "concrete" / "concrete.csv"]


@pytest.fixture
def server(tmp_path):
    """A web server on this machine, with one file."""
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "a.csv").write_bytes(b"1,2,3\n")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "www"))
    handler.log_message = lambda *_: None
    running = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    running.server_close()


def one_file(url, content):
    file = DataFile("toy/a.csv", hashlib.sha256(content).hexdigest(), url)
    return DataSet("toy", "a toy", "none", (file,))


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_download(server, tmp_path, monkeypatch):
    monkeypatch.setitem(datasets.DATA_SETS, "toy", one_file(f"{server}/a.csv", b"1,2,3\n"))
    (path,) = download("toy", tmp_path / "data")
    assert path.read_bytes() == b"1,2,3\n"
    path.write_bytes(b"mine")
    download("toy", tmp_path / "data")
    assert path.read_bytes() == b"mine"  # what is there is kept


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_download_that_fails_leaves_nothing(server, tmp_path, monkeypatch):
    monkeypatch.setitem(datasets.DATA_SETS, "toy", one_file(f"{server}/a.csv", b"other"))
    with pytest.raises(DataError, match="has changed"):
        download("toy", tmp_path / "data")
    monkeypatch.setitem(datasets.DATA_SETS, "toy", one_file(f"{server}/none.csv", b""))
    with pytest.raises(FileError, match=r"cannot download .*File not found"):
        download("toy", tmp_path / "data")
    assert [path for path in (tmp_path / "data").rglob("*") if path.is_file()] == []
    with pytest.raises(FileError, match="UCI"):
        download("concrete", tmp_path / "data")


def test_a_problem_of_the_users_own(tmp_path, rng):
    for name, n in (("fine", 60), ("coarse", 90)):
        X = rng.random((n, 2))
        table = np.column_stack([X, X.sum(axis=1) + (name == "coarse")])
        np.savetxt(tmp_path / f"{name}.csv", table, delimiter=",", header="a,b,y", comments="")
    files = [str(tmp_path / f"{name}.csv") for name in ("coarse", "fine")]
    problem = pooled_problem("mine", files, "y", {"coarse": 1, "fine": 10})
    trial = real_draw(problem, 0)
    assert counts(trial) == {"coarse": 50, "fine": 5}
    assert len(trial.y_only) == 10
    assert trial.costs == {"coarse": 0.1, "fine": 1.0}
    mixed = experiment("sweep-ratio").draw(problem, 0, "0.8", 20)
    assert counts(mixed) == {"coarse": 20, "fine": 8}
