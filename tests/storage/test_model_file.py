from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import mastgp
from mastgp import MAST, FileError, MastError, ModelFileError
from mastgp.methods import WRAPPERS, stored_classes
from mastgp.models.cokriging import CoKriging
from mastgp.storage.archive import FORMAT_VERSION, read_archive
from mastgp.storage.dataset_state import data_hash
from mastgp.storage.model_file import check_can_be_saved, estimator_state, restored_estimator
from mastgp.surrogates import GP
from support import COSTS, numeric_gradient, three_levels


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


def test_names_and_three_fidelities_survive(tmp_path, rng):
    X, y, labels = three_levels(rng)
    frame = pd.DataFrame(X, columns=["span", "sweep"])
    model = MAST(order=["a", "b", "c"]).fit(frame, pd.Series(y, name="lift"), fidelity=labels)
    model.save(tmp_path / "a.mast")
    again = mastgp.load(tmp_path / "a.mast")
    assert list(again.feature_names_in_) == ["span", "sweep"]
    assert again.target_name_ == "lift"
    assert again.training_data_.ranking == model.training_data_.ranking
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))


def test_one_fidelity_survives(tmp_path, rng):
    X = rng.random((10, 2))
    model = MAST().fit(X, X[:, 0])
    model.save(tmp_path / "a.mast")
    np.testing.assert_array_equal(mastgp.load(tmp_path / "a.mast").predict(X), model.predict(X))


def test_the_same_model_gives_the_same_file(saved, tmp_path):
    model, path = saved
    model.save(tmp_path / "again.mast")
    assert (tmp_path / "again.mast").read_bytes() == path.read_bytes()


def test_changed_data_do_not_match_their_hash(saved, rewrite):
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


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.update(estimator="os.system"), "unknown to this version"),
        (lambda m: m.pop("state"), "not those that its description names"),
        (lambda m: m.update(status=m.pop("state")), "damaged: KeyError"),
        (lambda m: m["parameters"].update(evil=1), "damaged: TypeError"),
        (lambda m: m.update(state=None), "damaged"),
    ],
)
def test_files_that_hold_something_else_than_a_model(saved, rewrite, change, words):
    _, path = saved
    rewrite(path, change=change, reseal=True)
    with pytest.raises(ModelFileError, match=words):
        mastgp.load(path)


def test_saving_where_nothing_can_be_written(saved, tmp_path):
    model, _ = saved
    with pytest.raises(FileError, match="does not exist; create it first"):
        model.save(tmp_path / "nowhere" / "a.mast")
    with pytest.raises(FileError, match="is a folder"):
        model.save(tmp_path)


def test_the_file_says_what_it_holds(saved):
    model, path = saved
    manifest, _ = read_archive(path)
    assert manifest["estimator"] == "MAST"
    assert manifest["mastgp_version"] == mastgp.__version__
    assert manifest["data_sha256"] == data_hash(model.training_data_)
    assert set(manifest["parameters"]) == set(model.get_params(deep=False))


def test_a_class_reads_its_own_files_only(saved):
    _, path = saved
    assert isinstance(MAST.load(path), MAST)
    with pytest.raises(ModelFileError, match="holds a MAST, not a CoKriging"):
        CoKriging.load(path)


def test_only_fitted_models_are_written(tmp_path):
    with pytest.raises(NotFittedError):
        MAST().save(tmp_path / "a.mast")
    assert list(tmp_path.iterdir()) == []


class Impostor(MAST):
    """A class of the user's, which no file may name."""


@pytest.mark.parametrize("model", [Impostor(), type("MAST", (MAST,), {})()])
def test_classes_that_nobody_registered_are_not_written(model):
    with pytest.raises(MastError, match=f"a {type(model).__name__} cannot be written to a file"):
        check_can_be_saved(model)


def test_an_estimator_within_another_needs_no_file_of_its_own(saved):
    model, _ = saved
    entry = estimator_state(model)
    assert set(entry) == {"estimator", "calibration", "parameters", "state"}
    again = restored_estimator(entry, model.training_data_)
    np.testing.assert_array_equal(again.predict([[0.3, 0.4]]), model.predict([[0.3, 0.4]]))


FORMAT4 = Path(__file__).with_name("format4.tar.xz")


@pytest.fixture(scope="module")
def format4(tmp_path_factory):
    """Files of every estimator as format 4 had them, and what the models predicted."""
    folder = tmp_path_factory.mktemp("format4")
    with tarfile.open(FORMAT4) as archive:
        archive.extractall(folder, filter="data")
    return folder


NAMES = [
    "ar13",
    "auto",
    "cokriging",
    "fire",
    "fire3",
    "forest",
    "mast",
    "mast3",
    "miso",
    "recursive",
    "reification",
    "single",
]


@pytest.mark.parametrize("name", NAMES)
def test_files_of_format_4_predict_what_they_did(format4, tmp_path, name):
    with np.load(format4 / "expected.npz") as expected:
        queries = expected["Q3" if name.endswith("3") else "Q"]
        before = expected[name]
    path = format4 / f"{name}.mast"
    assert read_archive(path)[0]["format_version"] == 4
    model = mastgp.load(path)
    # Processors differ by up to 3e-10: their matrix routines add in another order.
    np.testing.assert_allclose(model.predict(queries, return_std=True), before, rtol=1e-9)
    model.save(tmp_path / "now.mast")
    assert read_archive(tmp_path / "now.mast")[0]["format_version"] == FORMAT_VERSION
    again = mastgp.load(tmp_path / "now.mast")
    np.testing.assert_array_equal(
        again.predict(queries, return_std=True), model.predict(queries, return_std=True)
    )


def test_every_file_of_format_4_is_tried(format4):
    assert sorted(path.stem for path in format4.glob("*.mast")) == NAMES
    stored = {read_archive(path)[0]["estimator"] for path in format4.glob("*.mast")}
    assert stored == set(stored_classes()) - set(WRAPPERS)


@pytest.mark.parametrize(("name", "n_inputs"), [("fire", 2), ("fire3", 1)])
def test_fire_of_format_4_keeps_its_variance_and_its_inputs(format4, name, n_inputs):
    """It left out the cheap model's variance, and knew its mean and standard deviation only."""
    model = mastgp.load(format4 / f"{name}.mast")
    Q = np.random.default_rng(0).uniform(0.2, 0.8, (4, n_inputs))
    mean, var = model.stages_[0].predict(model.training_data_.box.to_unit(Q))
    for stage, appended in zip(model.stages_[1:], model.appended_, strict=True):
        assert len(appended.low) == 2
        U = model.training_data_.box.to_unit(Q)
        correction, var = stage.predict(appended.append(U, mean, np.sqrt(var)))
        mean = mean + correction
    np.testing.assert_allclose(model.predict(Q, return_std=True), (mean, np.sqrt(var)))
    _, cov = model.predict(Q, return_cov=True)
    np.testing.assert_allclose(cov.diagonal(), var, rtol=1e-6)
    d_mean, d_var = model.predict_gradient(Q)
    np.testing.assert_allclose(d_mean, numeric_gradient(model.predict, Q), rtol=1e-5, atol=1e-6)
    numeric = numeric_gradient(lambda at: model.predict(at, return_std=True)[1] ** 2, Q)
    np.testing.assert_allclose(d_var, numeric, rtol=1e-3, atol=1e-4 * np.abs(numeric).max())
