"""Models of scikit-learn regressors in files: the same after reading, and nothing else built."""

from __future__ import annotations

import json
import os
import zipfile

import numpy as np
import pytest
from sklearn.ensemble import (
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mastgp
from mastgp import MAST, MastError, ModelFileError
from mastgp.storage.archive import _content_hash
from mastgp.storage.archive import read_archive as _read
from mastgp.storage.parameters import encode_parameters
from mastgp.surrogates import GP, FromQuantiles, FromSpread, FromStd, Surrogate, TabPFN
from mastgp.surrogates.description import build, describe
from support import COSTS


def gaussian_process(*lengthscales):
    kernel = ConstantKernel(2.0) * RBF(np.array(lengthscales), "fixed") + WhiteKernel(1e-3)
    return FromStd(GaussianProcessRegressor(kernel, normalize_y=True, optimizer=None))


@pytest.mark.parametrize(
    "surrogate",
    [
        "bayesian-ridge",
        BayesianRidge(),
        ExtraTreesRegressor(n_estimators=7, bootstrap=True),
        FromSpread(RandomForestRegressor(n_estimators=5, max_depth=3)),
        BaggingRegressor(BayesianRidge(), n_estimators=4),
        (gaussian_process(0.3, 0.8), gaussian_process(0.3, 0.8, 1.0, 2.0), "gp"),
        FromQuantiles(GradientBoostingRegressor(loss="quantile", n_estimators=5), (0.2, 0.8)),
        ("gp", GP("matern52"), BayesianRidge()),
    ],
    ids=lambda surrogate: type(surrogate).__name__,
)
@pytest.mark.filterwarnings("ignore::mastgp.errors.FitWarning")
def test_a_model_read_from_a_file_predicts_the_same(two_fidelities, tmp_path, surrogate):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, surrogate=surrogate, random_state=0).fit(X, y, fidelity=labels)
    model.save(tmp_path / "model.mast")
    again = mastgp.load(tmp_path / "model.mast")
    np.testing.assert_array_equal(again.predict(X, True), model.predict(X, True))
    assert repr(again.surrogate) == repr(model.surrogate)
    assert again.augmented_.equals(model.augmented_)
    again.save(tmp_path / "again.mast")
    assert (tmp_path / "again.mast").read_bytes() == (tmp_path / "model.mast").read_bytes()


class Own(Surrogate):
    noise_var = None

    def fit(self, X, y, noise_var=None):
        return self

    def predict(self, X):
        return np.zeros(len(X)), np.ones(len(X))


@pytest.mark.parametrize(
    ("surrogate", "name"),
    [
        (Own(), "Own"),
        (FromStd(make_pipeline(StandardScaler(), BayesianRidge())), "Pipeline"),
        (type("BayesianRidge", (BayesianRidge,), {})(), "BayesianRidge"),
    ],
)
def test_what_cannot_be_read_back_is_not_written(two_fidelities, tmp_path, surrogate, name):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, surrogate=surrogate).fit(X, y, fidelity=labels)
    with pytest.raises(MastError, match=f"{name}.* cannot be written to a file"):
        model.save(tmp_path / "model.mast")
    assert not (tmp_path / "model.mast").exists()


@pytest.mark.parametrize("name", ["Pipeline", "FunctionTransformer", "os.system", "MAST"])
def test_a_file_cannot_name_any_class(two_fidelities, tmp_path, name):
    X, y, labels, _ = two_fidelities
    path = tmp_path / "model.mast"
    MAST(COSTS, surrogate=BayesianRidge()).fit(X, y, fidelity=labels).save(path)
    manifest, arrays = _read(path)
    manifest["parameters"]["surrogate"]["$surrogate"]["class"] = name
    manifest["sha256"] = _content_hash(manifest, arrays)
    rewrite(path, manifest)
    with pytest.raises(ModelFileError, match=f"names a surrogate '{name}', unknown"):
        mastgp.load(path)


def rewrite(path, manifest, without=()):
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.removesuffix(".npy") not in without]
        contents = {name: archive.read(name) for name in names}
    contents["model.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


def test_files_of_format_1_are_read(two_fidelities, tmp_path):
    X, y, labels, _ = two_fidelities
    path = tmp_path / "model.mast"
    model = MAST(COSTS, surrogate=GP("matern52")).fit(X, y, fidelity=labels)
    model.save(path)
    manifest, arrays = _read(path)
    manifest["format_version"] = 1
    state = manifest["state"]
    names = [entry["$array"] for entry in state.pop("conditioning")["coarse"].values()]
    state["surrogate"] = {"kernel": "matern52", "priors": True}
    del state["blends"]
    kept = {name: array for name, array in arrays.items() if name not in names}
    manifest["sha256"] = _content_hash(manifest, kept)
    rewrite(path, manifest, without=names)
    np.testing.assert_array_equal(mastgp.load(path).predict(X, True), model.predict(X, True))


def test_descriptions_are_plain(tmp_path):
    surrogate = TabPFN(tmp_path / "file.ckpt", n_estimators=4)
    description = describe(surrogate)
    assert json.loads(json.dumps(description)) == description
    assert build(description).n_estimators == 4
    with pytest.raises(MastError, match="cannot be written"):
        describe(FromStd(BayesianRidge(tol=float("nan"))))


def test_the_path_of_a_checkpoint_is_neither_written_nor_believed(tmp_path):
    assert str(tmp_path) not in json.dumps(describe(TabPFN(tmp_path / "file.ckpt")))
    parameters = {"checkpoint": str(tmp_path / "file.ckpt"), "n_estimators": 2}
    assert build({"class": "TabPFN", "parameters": parameters}).checkpoint is None


def forest(**parameters):
    return {"class": "ExtraTreesRegressor", "parameters": parameters}


@pytest.mark.parametrize(
    ("description", "words"),
    [
        (forest(n_estimators=10**9), "n_estimators is 1000000000, and must be between 0 and 10000"),
        (forest(max_depth=10**7), "max_depth is 10000000"),
        (forest(n_estimators=10**5000), "n_estimators is a number of 1000 digits or more"),
        ([forest()] * 200, "200 entries, and at most 100"),
        ({"class": "GaussianProcessRegressor", "parameters": {"n_restarts_optimizer": 101}}, "100"),
        ({"class": "GP"}, "has no 'parameters'"),
        (
            {
                "class": "BaggingRegressor",
                "parameters": {"estimator": forest(n_estimators=101), "n_estimators": 100},
            },
            "n_estimators is 101, and must be between 0 and 100",
        ),
    ],
)
def test_what_costs_too_much_is_refused(description, words):
    with pytest.raises(ModelFileError, match=words):
        build(description)


def test_surrogates_within_surrogates_have_an_end():
    nested = forest()
    for _ in range(20):
        nested = {"class": "BaggingRegressor", "parameters": {"estimator": nested}}
    with pytest.raises(ModelFileError, match="nested too deeply"):
        build(nested)


def test_a_file_does_not_choose_how_many_processes_run_here():
    assert build(forest(n_jobs=5000)).n_jobs == os.cpu_count()
    assert build(forest(n_jobs=-1)).n_jobs == -1
    assert build(forest(n_jobs=None)).n_jobs is None
    assert build(forest(verbose=3)).verbose == 0


def test_what_could_not_be_read_is_not_written(two_fidelities, tmp_path):
    with pytest.raises(MastError, match="cannot be written to a file: n_estimators is 20000"):
        encode_parameters({"surrogate": ExtraTreesRegressor(n_estimators=20_000)})
