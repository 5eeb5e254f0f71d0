from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor

from mastgp import MastError, registry
from mastgp.bench import experiments
from mastgp.methods import METHODS, WRAPPERS, method, stored_classes
from mastgp.models.estimator import MultiFidelityRegressor
from mastgp.models.fire import FIRE
from mastgp.models.mast import MAST
from support import COSTS

#: Methods that take long; their own test modules fit them.
SLOW = {"mf-dgp", "mfbnn", "nargp"}
#: Methods of ours, whatever else is installed.
OURS = [name for name, entry in METHODS.items() if not entry.needs]


def test_the_registry_is_the_one_list():
    tree = ast.parse(Path(registry.__file__).read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    methods = [call.args[0] for call in calls if getattr(call.func, "id", "") == "register"]
    named = [ast.literal_eval(method.args[0]) for method in methods]
    assert named == list(METHODS)[: len(named)]
    assert len(named) > 15


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_entry_leads_to_an_estimator(name):
    entry = METHODS[name]
    if not entry.installed:
        pytest.skip(f"{name} is not installed")
    estimator = entry.load_class()
    assert issubclass(estimator, MultiFidelityRegressor)
    assert f"{estimator.__module__}:{estimator.__name__}" == entry.path
    assert set(entry.options) <= set(estimator().get_params(deep=False))
    assert entry.about
    assert entry.use_when


def test_a_name_in_files_means_one_class():
    paths = {}
    for entry in METHODS.values():
        assert paths.setdefault(entry.class_name, entry.path) == entry.path
    assert stored_classes().items() <= (paths | WRAPPERS).items()
    assert not set(paths) & set(WRAPPERS)


def test_listing_the_methods_imports_none_of_them():
    code = (
        "import sys, mastgp.methods, mastgp; print(len(mastgp.methods.METHODS));"
        "print(*(m for m in sys.modules if m.startswith(('mastgp.models', 'mastgp.auto',"
        " 'mastgp.baselines', 'sklearn', 'torch'))))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, loaded = run.stdout.split("\n")[:2]
    assert int(count) == len(METHODS)
    assert loaded == ""


def test_every_method_of_the_papers_table_is_here():
    paper = {"MAST", "AR1", "Recursive", "Reification", "BoTorch", "NARGP", "MF-DGP", "MISO"}
    assert paper | {"MFBNN"} <= {entry.paper_name for entry in METHODS.values()}
    assert set(experiments.default_methods(experiments.experiment("two-fidelity"))) <= set(METHODS)


def test_methods_whose_weights_are_missing_are_not_run(monkeypatch, tmp_path):
    monkeypatch.setenv("TABPFN_MODEL_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("TABPFN_MODEL_PATH", raising=False)
    chosen = experiments.default_methods(experiments.experiment("icl"))
    assert chosen == ["mast", "mast-forest"]


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


def test_methods_without_files_are_marked():
    for entry in METHODS.values():
        if entry.installed:
            assert ("file" in entry.build().abilities) != entry.python_only


def trees():
    return ExtraTreesRegressor(n_estimators=5, bootstrap=True)


#: Methods of ours, and variants whose abilities depend on their options.
ESTIMATORS = {
    **{name: METHODS[name].build for name in OURS if name != "mast-forest"},
    "mast, trees": lambda: MAST(surrogate=trees()),
    "mast, trees and a GP": lambda: MAST(surrogate=(trees(), trees(), "gp")),
    "mast, a GP and trees": lambda: MAST(surrogate=("gp", "gp", trees())),
    "fire, trees": lambda: FIRE(surrogate=trees()),
}


def succeeds(action) -> bool:
    try:
        action()
    except MastError:
        return False
    return True


def shown_by(model, Q, folder) -> set[str]:
    """What a fitted model can do when it is asked to."""
    actions = {
        "covariance": lambda: model.predict(Q, return_cov=True),
        "gradient": lambda: model.predict_gradient(Q),
        "samples": lambda: model.sample_y(Q, 2),
        "file": lambda: model.save(folder / "a.mast"),
        "export": model.plain_predictor,
    }
    return {what for what, action in actions.items() if succeeds(action)}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_abilities_are_what_a_model_can_do(name, two_fidelities, tmp_path):
    X, y, labels, _ = two_fidelities
    model = ESTIMATORS[name]()
    model.set_params(costs=COSTS, random_state=0)
    promised = model.abilities
    able = shown_by(model.fit(X, y, fidelity=labels), X[:3], tmp_path)
    assert model.abilities == able
    assert promised >= able if name.startswith("auto") else promised == able


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if "trees" in name])
def test_abilities_with_one_fidelity_are_those_of_its_model(name, rng, tmp_path):
    X = rng.random((9, 2))
    model = ESTIMATORS[name]().set_params(random_state=0).fit(X, X[:, 0])
    assert model.abilities == shown_by(model, X[:3], tmp_path)
