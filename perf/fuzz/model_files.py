"""Model files that were changed by a stranger who knows how to repair their checksums."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from contextlib import suppress

import numpy as np
from cases import attempted, check_predictions, chosen, quiet

import mastgp
from mastgp.storage.archive import _content_hash, put_back_arrays, read_archive

SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308, 1e-308, 1e12)
VALUES = (None, True, -1, 0, 1, 10**9, 10**30, 1e308, -1e308, "", "x", "../../etc/passwd", [], {})
METHODS = ("mast", "hf-only", "ar1", "ar1-map", "shared-bias", "recursive", "fire", "miso")


def prepare(folder):
    """Small models of every kind, saved once; the contents of their files."""
    methods = (*METHODS, "auto", "mast-forest")
    return folder, {method: _original(method, folder) for method in methods}


def _original(method, folder):
    rng, path = np.random.default_rng(0), folder / f"{method}.mast"
    tables = {"lo": _table(rng, 14, 0), "hi": _table(rng, 7, 1)}
    with quiet():
        mastgp.fit(tables, {"lo": 1, "hi": 10}, method=method, random_state=0).save(path)
    return read_archive(path)


def _table(rng, n, level):
    X = rng.random((n, 2))
    return X, np.sin(4 * X[:, 0]) + X[:, 1] + 0.3 * level


def case(rng, context):
    folder, originals = context
    name = chosen(rng, sorted(originals))
    path = folder / "changed.mast"
    manifest, arrays = originals[name]
    manifest, arrays = json.loads(json.dumps(manifest)), dict(arrays)
    for _ in range(int(chosen(rng, (1, 1, 1, 2, 4)))):
        _change(rng, manifest, arrays)
    _write(path, manifest, arrays)
    if rng.random() < 0.15:
        _damage(rng, path)
    model, refused = attempted(lambda: mastgp.load(path))
    if refused:
        return f"refused, {refused}"
    d = len(model.training_data_.feature_names)
    Q = model.training_data_.box.low + 0.5 * model.training_data_.box.widths * np.ones((3, d))
    Q = Q if not hasattr(model, "feature_names_in_") else _framed(Q, model)
    _, refused = attempted(lambda: check_predictions(model, Q, 3, skewed=True))
    return f"loaded, but {refused} when predicting" if refused else "loaded, predictions finite"


def _framed(Q, model):
    import pandas as pd

    return pd.DataFrame(Q, columns=list(model.feature_names_in_))


def _change(rng, manifest, arrays):
    if rng.random() < 0.6:
        _change_array(rng, arrays)
    else:
        _change_value(rng, manifest)


def _change_array(rng, arrays):
    name = chosen(rng, sorted(arrays))
    array = arrays[name].copy()
    how = chosen(rng, ("value", "value", "cut", "more", "flat", "integer", "swap", "empty", "all"))
    if how == "value" and array.size:
        value = chosen(rng, SPECIAL)
        whole = array.dtype.kind == "i"
        array.flat[int(rng.integers(array.size))] = int(rng.integers(-5, 99)) if whole else value
    elif how == "cut":
        array = array[:-1]
    elif how == "more":
        array = np.concatenate([array, array])
    elif how == "flat":
        array = array.reshape(-1)
    elif how == "integer":
        with np.errstate(invalid="ignore"):
            array = array.astype("float64" if array.dtype.kind == "i" else "int64")
    elif how == "swap":
        array = arrays[chosen(rng, sorted(arrays))]
    elif how == "empty":
        array = array[:0]
    else:
        array = np.full_like(array, chosen(rng, SPECIAL[3:]) if array.dtype.kind == "f" else 7)
    arrays[name] = array


def _change_value(rng, manifest):
    """Put something else in the place of a random value."""
    node, steps = manifest, int(rng.integers(1, 8))
    for _ in range(steps):
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = chosen(rng, keys)
        inner = node[key]
        if not isinstance(inner, dict | list) or _ == steps - 1:
            how = chosen(rng, ("set", "set", "delete"))
            if how == "delete" and isinstance(node, dict):
                del node[key]
            else:
                node[key] = chosen(rng, VALUES)
            return
        node = inner


def _write(path, manifest, arrays):
    """Write an archive whose checksums fit, as far as there is something to sum."""
    with suppress(Exception):  # there may be nothing left that has a hash
        manifest["data_sha256"] = _data_hash(manifest, arrays)
    used = set(_references(manifest))
    arrays = {name: array for name, array in arrays.items() if name in used}
    manifest["sha256"] = _content_hash(manifest, arrays)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("model.json"), json.dumps(manifest))
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), buffer.getvalue())


def _references(value):
    if isinstance(value, dict):
        if set(value) == {"$array"}:
            yield str(value["$array"])
            return
        value = list(value.values())
    if isinstance(value, list):
        for entry in value:
            yield from _references(entry)


def _data_hash(manifest, arrays):
    """The hash of training data as the package computes it, for data that may be nonsense."""
    data = put_back_arrays(manifest["data"], arrays)
    digest = hashlib.sha256("\0".join(data["feature_names"]).encode())
    for fidelity in data["fidelities"]:
        digest.update(fidelity["name"].encode())
        for array in (fidelity["X"], fidelity["y"], fidelity["noise_var"]):
            if array is not None:
                digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()


def _damage(rng, path):
    """Change bytes of the file itself: cut, flip, or repeat a part."""
    content = bytearray(path.read_bytes())
    i, j = sorted(int(k) for k in rng.integers(0, len(content), 2))
    how = chosen(rng, ("flip", "cut", "repeat", "directory"))
    if how == "flip":
        content[i] ^= int(rng.integers(1, 256))
    elif how == "cut":
        del content[i:j]
    elif how == "repeat":
        content[i:i] = content[i:j]
    else:  # a number in the list of members
        at = content.rindex(b"PK\x01\x02") + int(rng.integers(4, 46))
        content[at : at + 4] = rng.bytes(4)
    path.write_bytes(bytes(content))
