"""The predictor in C: compiled without a warning, it predicts what the model predicts."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

from exported import BUILDERS, coded, fitted, predicted, queries
from mastgp import MAST
from mastgp.output.export.c_source import c_source, c_text

needs_compiler = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]


def compiled(model, folder, name="drag"):
    source, header = c_source(model, name)
    (folder / f"{name}.c").write_text(source)
    (folder / f"{name}.h").write_text(header)
    library = folder / f"{name}.so"
    subprocess.run(["gcc", *STRICT, folder / f"{name}.c", "-lm", "-o", library], check=True)
    return ctypes.CDLL(str(library))


def asked(library, x, name="drag"):
    out = [ctypes.c_double() for _ in range(4)]
    given = (ctypes.c_double * len(x))(*x)
    assert getattr(library, f"{name}_predict")(given, *map(ctypes.byref, out)) == 0
    return [value.value for value in out]


@needs_compiler
@pytest.mark.parametrize("name", BUILDERS)
def test_it_predicts_what_the_model_predicts(name, tmp_path):
    model, X = fitted(name), queries(name)
    library = compiled(model, tmp_path)
    assert library.drag_prepare() == 0
    found = np.array([asked(library, x) for x in coded(X)])
    library.drag_free()
    np.testing.assert_allclose(found, predicted(model, X), rtol=1e-6, atol=1e-8)


@needs_compiler
def test_nothing_is_predicted_before_it_is_prepared(tmp_path):
    library = compiled(fitted("mast"), tmp_path)
    point = (ctypes.c_double * 3)(5.0, 0.5, 0.5)
    assert library.drag_predict(point, None, None, None, None) == 1
    assert library.drag_prepare() == 0
    assert library.drag_predict(point, None, None, None, None) == 0


@needs_compiler
def test_names_cannot_end_a_string_or_a_comment(tmp_path):
    import pandas as pd

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((9, 2)), columns=['*/ "); int evil;', "??/ \\\n%s"])
    model = MAST().fit(X, pd.Series(X.iloc[:, 0], name='"*/'))
    library = compiled(model, tmp_path, "drag")
    assert library.drag_prepare() == 0


def test_text_is_plain_ascii():
    assert c_text("é?") == '"\\303\\251\\077"'
