"""MAST-ICL on the real TabPFN and TabICL, with checkpoints of random weights built here."""

from __future__ import annotations

import dataclasses
import random
import shutil
import socket
import sys
import warnings
import zipfile
from importlib.util import find_spec

import numpy as np
import pytest

import mastgp
from mastgp import MAST, DataError, MastError
from mastgp.errors import FileError
from mastgp.models.trust import trust_in
from mastgp.surrogates import TabICL, TabPFN
from support import COSTS

pytestmark = pytest.mark.skipif(
    not (find_spec("tabpfn") and find_spec("tabicl")), reason="needs TabPFN and TabICL"
)

N_BUCKETS = 200


@pytest.fixture(scope="module", autouse=True)
def no_network():
    """Importing, loading and predicting included."""

    def refuse(*args, **kwargs):
        raise AssertionError("a network attempt")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        yield


@pytest.fixture(scope="module")
def folder(no_network, tmp_path_factory):
    """Small untrained networks in the real file formats."""
    folder = tmp_path_factory.mktemp("weights")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch

        with torch.random.fork_rng():
            torch.manual_seed(0)
            torch.save(tabpfn_checkpoint(), folder / TabPFN.published.filename)
            torch.save(tabicl_checkpoint(), folder / TabICL.published.filename)
    # TabPFN leaves an alias among the modules that warns whoever asks for its file, as Hypothesis
    # does of all modules in the tests that follow.
    sys.modules["tabpfn.model.loading"].__file__ = None
    return folder


def tabpfn_checkpoint():
    import torch
    from tabpfn.architectures import ARCHITECTURES

    architecture = ARCHITECTURES["tabpfn_v2"]
    config, unused = architecture.parse_config(
        {
            "max_num_classes": 0,
            "num_buckets": N_BUCKETS,
            "emsize": 48,
            "nlayers": 2,
            "nhead": 2,
            "features_per_group": 2,
        }
    )
    assert not unused
    network = architecture.get_architecture(config)
    state = {
        name: value if value.any() else 0.2 * torch.randn_like(value)
        for name, value in network.state_dict().items()
    }
    state["criterion.borders"] = torch.linspace(-4.0, 4.0, N_BUCKETS + 1)
    state["criterion.losses_per_bucket"] = torch.zeros(N_BUCKETS)
    return {"state_dict": state, "config": dataclasses.asdict(config)}


def tabicl_checkpoint():
    from tabicl._model.tabicl import TabICL as Network

    config = {
        "max_classes": 0,
        "num_quantiles": 99,
        "embed_dim": 16,
        "col_num_blocks": 1,
        "col_nhead": 2,
        "col_num_inds": 8,
        "row_num_blocks": 1,
        "row_nhead": 2,
        "row_num_cls": 2,
        "icl_num_blocks": 2,
        "icl_nhead": 2,
        "zero_init": False,
    }
    return {"config": config, "state_dict": Network(**config).state_dict()}


@pytest.fixture(params=[TabPFN, TabICL], ids=["tabpfn", "tabicl"])
def learner(request, folder, monkeypatch, tmp_path):
    """Each learner with its checkpoint, on a machine without any other."""
    for other in (TabPFN, TabICL):
        monkeypatch.delenv(other.published.variable, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("TABPFN_MODEL_CACHE_DIR", raising=False)
    return request.param(folder, n_estimators=2)


def moments_by_the_library(learner, X, y, seed, Q):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = str(learner.checkpoint / learner.published.filename)
        if isinstance(learner, TabPFN):
            from tabpfn import TabPFNRegressor

            regressor = TabPFNRegressor(
                model_path=path, device="cpu", n_estimators=2, random_state=seed
            )
            full = regressor.fit(X, y).predict(Q, output_type="full")
            p = full["logits"].double().softmax(dim=-1).numpy()
            return full["mean"], bar_variance(p, full["criterion"].borders.double().numpy())
        from tabicl import TabICLRegressor

        regressor = TabICLRegressor(
            model_path=path, device="cpu", n_estimators=2, random_state=seed
        ).fit(X, y)
        return regressor.predict(Q), regressor.predict(Q, output_type="raw_quantiles").var(axis=1)


def bar_variance(p, borders):
    """Second moment of a bar distribution whose outer bars are half-normal tails."""
    width = np.diff(borders)
    mean = (borders[:-1] + borders[1:]) / 2
    var = width**2 / 12
    scale = width[[0, -1]] / 0.6744897501960817  # half of a half-normal lies within its bar
    mean[[0, -1]] = (
        borders[1] - scale[0] * np.sqrt(2 / np.pi),
        borders[-2] + scale[1] * np.sqrt(2 / np.pi),
    )
    var[[0, -1]] = scale**2 * (1 - 2 / np.pi)
    return p @ (mean**2 + var) - (p @ mean) ** 2


def test_moments_are_exact(learner, rng):
    X, Q = rng.random((15, 2)), rng.random((6, 2))
    y = 100 + 30 * X[:, 0]
    fitted = learner.fit(X, y, random_state=3)
    mean, var = fitted.predict(Q)
    expected_mean, expected_var = moments_by_the_library(learner, X, y, fitted.recipe.seed, Q)
    np.testing.assert_allclose(mean, expected_mean, rtol=1e-5)
    np.testing.assert_allclose(var, expected_var, rtol=1e-4)
    assert mean.dtype == var.dtype == np.float64


def test_mast_icl_is_the_appendix(learner, two_fidelities, rng):
    """All stages from the fitted regressors and distances alone, computed here from scratch."""
    X, y, labels, _ = two_fidelities
    box = [(0, 1)] * 2
    model = MAST(COSTS, surrogate=learner, bounds=box, random_state=0).fit(X, y, fidelity=labels)
    cheap, top = model.training_data_.fidelities
    own, expensive = model.stage1_["coarse"], model.stage1_["fine"]
    delta, final = model.discrepancy_["coarse"], model.final_

    posterior = [np.column_stack(own.predict(points)) for points in (cheap.X, top.X)]
    low, span = np.vstack(posterior).min(axis=0), np.ptp(np.vstack(posterior), axis=0)

    def z(points):
        return np.hstack([points, (np.column_stack(own.predict(points)) - low) / span])

    np.testing.assert_allclose(delta.recipe.X, z(top.X), atol=1e-6)
    np.testing.assert_allclose(delta.recipe.y, top.y - own.predict(top.X)[0], rtol=1e-6)

    def parts(points):
        W = trust_in(points, top.X, 0.5).value
        spatial = W**2 * (own.predict(points)[1] + delta.predict(z(points))[1])
        return W, spatial + (1 - W) ** 2 * expensive.predict(points)[1]

    W, var = parts(cheap.X)
    y_blend = W * (cheap.y + delta.predict(z(cheap.X))[0])
    y_blend += (1 - W) * expensive.predict(cheap.X)[0]
    np.testing.assert_allclose(model.augmentations_[0].y, y_blend, rtol=1e-5)
    np.testing.assert_allclose(model.augmentations_[0].var, var, rtol=1e-5)
    np.testing.assert_allclose(final.recipe.y, [*y_blend, *top.y], rtol=1e-5)
    np.testing.assert_array_equal(final.recipe.X, np.vstack([cheap.X, top.X]))

    Q = rng.random((9, 2))
    mean, std = model.predict(Q, return_std=True)
    np.testing.assert_allclose(mean, final.predict(Q)[0], rtol=1e-6)
    np.testing.assert_allclose(std**2, final.predict(Q)[1] + parts(Q)[1], rtol=1e-5)


def test_nothing_of_the_process_changes(learner, rng):
    import torch

    X, y = rng.random((12, 2)), rng.random(12)

    def state():
        return (
            random.getstate(),
            str(np.random.mtrand._rand.get_state()),
            torch.random.get_rng_state().tolist(),
            torch.get_default_dtype(),
            torch.get_num_threads(),
            list(warnings.filters),
        )

    before = state()
    MAST(surrogate=learner, random_state=1).fit(X, y).predict(X, return_std=True)
    assert state() == before


def test_seeds_decide(learner, rng):
    X, y = rng.random((12, 3)), rng.random(12)
    first, again, other = (
        MAST(surrogate=learner, random_state=seed).fit(X, y).predict(X) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_file_has_data_name_and_hash_but_no_weights(learner, two_fidelities, tmp_path, monkeypatch):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, surrogate=learner, random_state=0).fit(X, y, fidelity=labels)
    path = tmp_path / "model.mast"
    model.save(path)
    checkpoint = learner.checkpoint / learner.published.filename
    with zipfile.ZipFile(path) as archive:
        manifest = archive.read("model.json").decode()
    assert learner.published.filename in manifest
    assert mastgp.surrogates.checkpoints.checksum(checkpoint) in manifest
    assert path.stat().st_size < 40_000 < checkpoint.stat().st_size

    assert str(learner.checkpoint) not in manifest
    with pytest.raises(FileError, match=f"set {learner.published.variable} to it"):
        mastgp.load(path)  # nobody but the user says which checkpoint may be opened
    monkeypatch.setenv(learner.published.variable, str(checkpoint))
    again = mastgp.load(path)
    np.testing.assert_array_equal(again.predict(X, True), model.predict(X, True))
    np.testing.assert_array_equal(again.augmented_["variance"], model.augmented_["variance"])


def test_weights_of_a_saved_model_may_move_but_not_change(
    learner, rng, tmp_path, monkeypatch, folder
):
    checkpoint = learner.published
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    shutil.copy(folder / checkpoint.filename, here)
    X, y = rng.random((12, 2)), rng.random(12)
    surrogate = type(learner)(here, n_estimators=1)
    model = MAST(surrogate=surrogate, random_state=0).fit(X, y)
    expected = model.predict(X)
    model.save(tmp_path / "model.mast")

    here.rename(there)
    with pytest.raises(FileError, match=f"put the file {checkpoint.filename} in "):
        mastgp.load(tmp_path / "model.mast")
    monkeypatch.setenv(checkpoint.variable, str(there))
    np.testing.assert_array_equal(mastgp.load(tmp_path / "model.mast").predict(X), expected)

    with open(there / checkpoint.filename, "ab") as file:
        file.write(b"x")
    with pytest.raises(FileError, match="not the file that this model was fitted with"):
        mastgp.load(tmp_path / "model.mast")


def test_equal_fidelities_leave_nothing_to_correct(learner, rng):
    """A discrepancy of one value everywhere is a target without scale."""
    X = rng.random((20, 2))
    labels = np.array(["coarse"] * 14 + ["fine"] * 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mastgp.MastWarning)
        model = MAST(COSTS, surrogate=learner, random_state=0).fit(X, np.ones(20), fidelity=labels)
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, 1.0, atol=0.2)
    assert (std > 0).all()


def test_a_damaged_checkpoint_is_named(learner, rng, tmp_path):
    path = tmp_path / learner.published.filename
    path.write_bytes(b"<html>not found</html>")
    surrogate = type(learner)(path)
    with pytest.raises(MastError, match=f"cannot be fitted with the checkpoint {path}: "):
        MAST(surrogate=surrogate).fit(rng.random((5, 2)), rng.random(5))


def test_our_idea_of_the_cache_folder_is_tabpfn_s(learner, monkeypatch):
    from tabpfn.model_loading import get_cache_dir

    for platform in ("linux", "darwin"):
        monkeypatch.setattr("sys.platform", platform)
        assert TabPFN.published.folders() == [get_cache_dir()]


def test_one_point_is_too_few(learner):
    with (
        pytest.warns(mastgp.MastWarning),
        pytest.raises(DataError, match="needs two points of every fidelity at least"),
    ):
        MAST(surrogate=learner).fit([[0.5]], [1.0])
