"""The FMU: valid, and its outputs are the model's predictions."""

from __future__ import annotations

import io
import shutil
import warnings
import zipfile
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from exported import coded, fitted, predicted, queries
from mastgp import MAST
from mastgp.errors import MastWarning
from mastgp.output.export import fmu
from mastgp.output.export.fmu import fmu_bytes

needs_compiler = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")


@pytest.fixture
def fmpy():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("fmpy", exc_type=ImportError)


@needs_compiler
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("name", ["auto", "levels", "levels, many rows"])
def test_a_simulation_gets_the_models_predictions(name, kind, fmpy, tmp_path):
    path = tmp_path / "drag.fmu"
    path.write_bytes(fmu_bytes(fitted(name), "drag"))
    X = queries(name, 3)
    outputs = ["drag", "drag std", "drag low95", "drag high95"]
    for x, expected in zip(coded(X), predicted(fitted(name), X), strict=True):
        start = {column: int(v) if column == "alloy" else v for column, v in zip(X, x, strict=True)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = fmpy.simulate_fmu(
                str(path), fmi_type=kind, start_values=start, output=outputs, stop_time=0.1
            )
        np.testing.assert_allclose(list(result[-1])[1:], expected, rtol=1e-6)


@needs_compiler
def test_its_description_is_valid(fmpy, tmp_path):
    path = tmp_path / "drag.fmu"
    path.write_bytes(fmu_bytes(fitted("levels"), "drag"))
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(path)) == []


def test_names_are_escaped_and_outputs_have_names_of_their_own():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((9, 2)), columns=['<a b="&">', "drag std"])
    model = MAST().fit(X, X.iloc[:, 0].rename("drag"))
    archive = zipfile.ZipFile(io.BytesIO(fmu_bytes(model, "a b")))
    root = ElementTree.fromstring(archive.read("modelDescription.xml"))
    names = [variable.get("name") for variable in root.iter("ScalarVariable")]
    assert names[:2] == ['<a b="&">', "drag std"]
    assert len(set(names)) == 6


def test_without_a_compiler_it_holds_the_sources_and_says_so(monkeypatch):
    monkeypatch.setattr(fmu.shutil, "which", lambda _: None)
    with pytest.warns(MastWarning, match="no C compiler"):
        content = fmu_bytes(fitted("hf-only"), "drag")
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert "sources/drag.c" in names
    assert not any(name.startswith("binaries") for name in names)
