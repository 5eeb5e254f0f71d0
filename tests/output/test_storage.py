from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp import MAST, FileError, MastError, ModelFileError
from mastgp.bench import problem, synthetic_draw
from mastgp.bench.protocol import THREE_FIDELITIES
from mastgp.files import atomic_write
from mastgp.output.storage import _content_hash
from mastgp.surrogates import GP
from support import COSTS


@pytest.fixture
def saved(two_fidelities, tmp_path):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS).fit(X, y, fidelity=labels)
    path = tmp_path / "model.mast"
    model.save(path)
    return model, path


def rewrite(path, change=None, replace=None, compression=zipfile.ZIP_STORED, reseal=False):
    """Write the archive anew with something changed; `reseal` makes the checksum fit again."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members |= replace or {}
    manifest = json.loads(members["model.json"])
    if change:
        change(manifest)
    if reseal:
        arrays = {
            name.removesuffix(".npy"): np.load(io.BytesIO(content))
            for name, content in members.items()
            if name.endswith(".npy")
        }
        manifest["sha256"] = _content_hash(manifest, arrays)
    members["model.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"warp": None, "surrogate": GP("matern52", priors=False)},
        {"bounds": {"x0": (0.0, 1.0)}, "metric": "mahalanobis", "random_state": 3},
        {"noise_std": {"coarse": 0.01}, "exponents": {"coarse": 0.4}},
    ],
)
def test_predictions_are_bit_equal_after_loading(two_fidelities, tmp_path, rng, options):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, **options).fit(X, y, fidelity=labels)
    model.save(tmp_path / "a.mast")
    again = MAST.load(tmp_path / "a.mast")
    Q = rng.random((300, 2))
    for a, b in zip(
        model.predict(Q, return_cov=True), again.predict(Q, return_cov=True), strict=True
    ):
        np.testing.assert_array_equal(a, b)
    pd.testing.assert_frame_equal(model.augmented_, again.augmented_)
    assert repr(again.get_params()["surrogate"]) == repr(model.get_params()["surrogate"])
    refitted = again.fit(X, y, fidelity=labels)
    np.testing.assert_array_equal(refitted.predict(Q), model.predict(Q))


def test_another_process_reads_the_same_bits(saved, tmp_path, rng):
    model, _ = saved
    Q = rng.random((50, 2))
    np.save(tmp_path / "Q.npy", Q)
    code = (
        "import sys, numpy, mastgp; folder = sys.argv[1]; Q = numpy.load(folder + '/Q.npy');"
        "numpy.save(folder + '/out.npy', mastgp.load(folder + '/model.mast')"
        ".predict(Q, return_std=True))"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", code, tmp_path], check=True, env=environment)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), model.predict(Q, return_std=True))


def test_names_and_three_fidelities_survive(tmp_path):
    trial = synthetic_draw(problem("park1"), 0, THREE_FIDELITIES)
    frame = pd.DataFrame(trial.X, columns=list("abcd"))
    model = MAST(trial.costs).fit(frame, pd.Series(trial.y, name="lift"), fidelity=trial.fidelity)
    model.save(tmp_path / "a.mast")
    again = mastgp.load(tmp_path / "a.mast")
    assert list(again.feature_names_in_) == list("abcd")
    assert again.target_name_ == "lift"
    assert again.training_data_.ranking == model.training_data_.ranking
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))


def test_one_fidelity_survives(tmp_path, rng):
    X = rng.random((10, 2))
    model = MAST().fit(X, X[:, 0])
    model.save(tmp_path / "a.mast")
    np.testing.assert_array_equal(mastgp.load(tmp_path / "a.mast").predict(X), model.predict(X))


def test_own_functions_are_not_saved_but_predictions_are(two_fidelities, tmp_path):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, radius=lambda d: d).fit(X, y, fidelity=labels)
    model.save(tmp_path / "a.mast")
    again = MAST.load(tmp_path / "a.mast")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    again.save(tmp_path / "b.mast")
    np.testing.assert_array_equal(MAST.load(tmp_path / "b.mast").predict(X), model.predict(X))
    with pytest.raises(MastError, match=r"lambda.*not part of the file"):
        again.fit(X, y, fidelity=labels)


def test_the_same_model_gives_the_same_file(saved, tmp_path):
    model, path = saved
    model.save(tmp_path / "again.mast")
    assert (tmp_path / "again.mast").read_bytes() == path.read_bytes()


def test_no_pickle_anywhere(saved):
    _, path = saved
    with zipfile.ZipFile(path) as archive:
        assert {name.rsplit(".")[-1] for name in archive.namelist()} == {"json", "npy"}
        for name in archive.namelist():
            if name.endswith(".npy"):
                np.load(io.BytesIO(archive.read(name)), allow_pickle=False)


def test_truncated_files(saved):
    _, path = saved
    content = path.read_bytes()
    for size in (0, 1, 100, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(ModelFileError, match=r"not a mastgp model|damaged"):
            mastgp.load(path)


def test_damaged_files_never_load_silently_wrong(saved, rng):
    model, path = saved
    content = path.read_bytes()
    Q = rng.random((5, 2))
    expected = model.predict(Q)
    for position in rng.integers(0, len(content), 150):
        damaged = bytearray(content)
        damaged[position] ^= 0xFF
        path.write_bytes(bytes(damaged))
        try:
            got = mastgp.load(path).predict(Q)
        except ModelFileError:
            continue
        np.testing.assert_array_equal(got, expected)  # a byte that means nothing, such as a date


def test_changed_data_do_not_match_their_hash(saved):
    _, path = saved
    with zipfile.ZipFile(path) as archive:
        name = next(n for n in archive.namelist() if n.startswith("data/"))
        array = np.load(io.BytesIO(archive.read(name)))
    buffer = io.BytesIO()
    np.save(buffer, array + 1.0)
    content = path.read_bytes()
    rewrite(path, replace={name: buffer.getvalue()})
    with pytest.raises(ModelFileError, match="does not match its checksum"):
        mastgp.load(path)
    path.write_bytes(content)
    rewrite(path, replace={name: buffer.getvalue()}, reseal=True)
    with pytest.raises(ModelFileError, match="training data do not match their hash"):
        mastgp.load(path)


def test_an_edited_number_does_not_go_unnoticed(saved):
    _, path = saved
    rewrite(path, change=lambda manifest: manifest["state"]["final"].update(y_mean=1.0))
    with pytest.raises(ModelFileError, match="does not match its checksum"):
        mastgp.load(path)


def _pickled():
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    return buffer.getvalue()


def _huge():
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    )
    return buffer.getvalue() + b"\0" * 8


@pytest.mark.parametrize("content", [_pickled(), _huge(), b"nonsense"])
def test_hostile_arrays_are_refused(saved, content):
    _, path = saved
    rewrite(path, replace={"evil.npy": content})
    with pytest.raises(ModelFileError, match="damaged"):
        mastgp.load(path)


def test_compressed_archives_are_refused(saved):
    _, path = saved
    rewrite(path, compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(ModelFileError, match="compressed"):
        mastgp.load(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.update(format_version=99, mastgp_version="9.0"), "9.0 in format 99.*upgrade"),
        (lambda m: m.update(format_version="1"), "format version is '1'"),
        (lambda m: m.update(format="other"), "not a mastgp model"),
        (lambda m: m.update(estimator="os.system"), "unknown to this version"),
        (lambda m: m.pop("state"), "damaged: KeyError"),
        (lambda m: m["parameters"].update(evil=1), "damaged: TypeError"),
        (lambda m: m.update(state=None), "damaged"),
    ],
)
def test_foreign_and_newer_files(saved, change, words):
    _, path = saved
    rewrite(path, change=change, reseal=True)
    with pytest.raises(ModelFileError, match=words):
        mastgp.load(path)


def test_files_that_are_something_else(tmp_path):
    (tmp_path / "a.mast").write_text("x,y\n1,2\n")
    with pytest.raises(ModelFileError, match="not a mastgp model"):
        mastgp.load(tmp_path / "a.mast")
    with zipfile.ZipFile(tmp_path / "b.mast", "w") as archive:
        archive.writestr("hello.txt", "hello")
    with pytest.raises(ModelFileError, match=r"no model\.json"):
        mastgp.load(tmp_path / "b.mast")
    with pytest.raises(FileError, match="there is no file"):
        mastgp.load(tmp_path / "c.mast")


def test_saving_where_nothing_can_be_written(saved, tmp_path):
    model, _ = saved
    with pytest.raises(FileError, match="does not exist; create it first"):
        model.save(tmp_path / "nowhere" / "a.mast")
    with pytest.raises(FileError, match="is a folder"):
        model.save(tmp_path)


def test_links_are_followed_and_modes_kept(saved, tmp_path):
    model, path = saved
    link = tmp_path / "link.mast"
    link.symlink_to(path)
    path.chmod(0o640)
    path.write_bytes(b"old")
    model.save(link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    np.testing.assert_array_equal(
        mastgp.load(path).predict([[0.5, 0.5]]), model.predict([[0.5, 0.5]])
    )


def test_only_ordinary_files_are_written(saved, tmp_path):
    model, _ = saved
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="not an ordinary file"):
        model.save(tmp_path / "pipe")
    with pytest.raises(FileError, match="too long"):
        model.save(tmp_path / ("a" * 300))


@pytest.mark.parametrize(
    "options",
    [
        {"order": np.array(["coarse", "fine"]), "costs": None},
        {"order": pd.Index(["coarse", "fine"]), "costs": None},
        {"bounds": pd.DataFrame([[0.0, 1.0], [0.0, 1.0]])},
        {"costs": pd.Series({"coarse": 1.0, "fine": 10.0})},
        {"costs": {"coarse": 1e-300, "fine": 1e300}},
        {"random_state": np.random.RandomState(0)},
        {"random_state": np.int64(3)},
    ],
    ids=["array", "index", "frame", "series", "extreme", "random", "number"],
)
def test_whatever_can_be_fitted_can_be_saved(two_fidelities, tmp_path, options):
    X, y, labels, _ = two_fidelities
    model = MAST(**{"costs": COSTS, **options}).fit(X, y, fidelity=labels)
    model.save(tmp_path / "a.mast")
    again = MAST.load(tmp_path / "a.mast")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.fit(X, y, fidelity=labels).predict(X), model.predict(X))


def test_numbers_as_fidelity_names_survive(two_fidelities, tmp_path):
    X, y, labels, _ = two_fidelities
    coded = np.where(labels == "coarse", 1.0, 2.0)
    MAST({1.0: 1, 2.0: 10}).fit(X, y, fidelity=coded).save(tmp_path / "a.mast")
    MAST.load(tmp_path / "a.mast").fit(X, y, fidelity=coded)


def test_interrupted_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with atomic_write(path) as file:
            file.write(b"half of the new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_killed_save_leaves_the_old_file(saved, tmp_path):
    """A process killed in the middle of writing."""
    _, path = saved
    before = path.read_bytes()
    code = (
        "import sys, os, mastgp, mastgp.output.storage as s; m = mastgp.load(sys.argv[1]);"
        "real = s._add; calls = [];\n"
        "def add(*a):\n"
        "    calls.append(1); real(*a)\n"
        "    if len(calls) == 5: os.kill(os.getpid(), 9)\n"
        "s._add = add; m.save(sys.argv[1])"
    )
    result = subprocess.run([sys.executable, "-c", code, path], check=False)
    assert result.returncode == -9
    assert path.read_bytes() == before
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mastgp.load(path)
