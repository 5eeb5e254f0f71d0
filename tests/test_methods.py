from __future__ import annotations

import numpy as np
import pytest

from mastgp import DataError, FileError, MissingExtraError
from mastgp.bench import experiments
from mastgp.methods import METHODS, method
from support import COSTS

#: Methods that take long; their own test modules fit them.
SLOW = {"mf-dgp", "mfbnn", "nargp"}


@pytest.mark.parametrize("name", sorted(set(METHODS) - SLOW))
@pytest.mark.filterwarnings("ignore::mastgp.MastWarning")
def test_every_method_is_an_estimator(name, two_fidelities, rng):
    X, y, labels, _ = two_fidelities
    if not METHODS[name].ready:
        pytest.skip(f"{name} is not ready")
    model = method(name).build(costs=COSTS, bounds=[[0, 1], [0, 1]], random_state=0)
    assert model.get_params(deep=False)["random_state"] == 0
    mean, std = model.fit(X, y, fidelity=labels).predict(rng.random((6, 2)), return_std=True)
    assert mean.shape == std.shape == (6,)
    assert np.isfinite(mean).all()
    assert (std > 0).all()


@pytest.mark.parametrize("name", sorted(SLOW))
def test_the_slow_ones_are_built_with_the_papers_options(name):
    if not METHODS[name].installed:
        pytest.skip(f"{name} is not installed")
    options = method(name).build(costs=COSTS, random_state=0).get_params(deep=False)
    assert options["costs"] == COSTS
    expected = {
        "mf-dgp": {"iterations": 5000},
        "mfbnn": {"hidden": (20, 20, 20)},
        "nargp": {"restarts": 5, "n_samples": 100},
    }[name]
    assert expected.items() <= options.items()


def test_every_method_of_the_papers_table_is_here():
    paper = {"MAST", "AR1", "Recursive", "Reification", "BoTorch", "NARGP", "MF-DGP", "MISO"}
    assert paper | {"MFBNN"} <= {m.paper_name for m in METHODS.values()}
    assert set(experiments.default_methods(experiments.experiment("two-fidelity"))) <= set(METHODS)


def test_a_method_without_its_weights(monkeypatch, tmp_path):
    monkeypatch.setenv("TABPFN_MODEL_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("TABPFN_MODEL_PATH", raising=False)
    assert not METHODS["mast-icl"].ready
    chosen = experiments.default_methods(experiments.experiment("icl"))
    assert chosen == ["mast", "mast-forest"]
    if METHODS["mast-icl"].installed:
        with pytest.raises(FileError, match=r"tabpfn-v2-regressor\.ckpt"):
            method("mast-icl")


def test_a_method_that_does_not_exist_or_is_not_installed(monkeypatch):
    with pytest.raises(DataError, match="unknown method 'magic'"):
        method("magic")
    monkeypatch.setattr("mastgp.methods.find_spec", lambda name: None)
    assert not METHODS["nargp"].installed
    assert METHODS["mast"].installed
    with pytest.raises(MissingExtraError, match=r"pip install 'mastgp\[emukit\]'"):
        method("nargp")


def test_methods_without_files_are_marked():
    from mastgp.output.storage import ESTIMATORS

    for found in METHODS.values():
        if found.ready:
            assert (type(found.build()).__name__ in ESTIMATORS) != found.python_only
