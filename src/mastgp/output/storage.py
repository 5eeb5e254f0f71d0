"""Saved models: one file, JSON plus arrays, no pickle, written whole or not at all.

A ``.mast`` file is an uncompressed zip archive with ``model.json`` and one ``.npy`` per array.
Reading it never executes anything: arrays are loaded with ``allow_pickle=False``, and their size
is checked against the file before memory is taken.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Box, Dataset, Fidelity
from ..data.fidelities import Ranking, fidelity_name
from ..errors import FileError, MastError, ModelFileError
from ..files import atomic_write
from ..models.estimator import MultiFidelityRegressor
from ..surrogates import GP
from ..surrogates.description import build, describe

FORMAT = "mastgp model"
FORMAT_VERSION = 4
_MANIFEST = "model.json"
_DTYPES = ("float64", "int64")

#: Estimators that can be saved: name in the file, and the module that has the class.
ESTIMATORS = {
    "MAST": "mastgp.models.mast",
    "AutoSurrogate": "mastgp.auto.surrogate",
    "SingleFidelity": "mastgp.models.single",
    "CoKriging": "mastgp.models.cokriging",
    "Recursive": "mastgp.models.recursive",
    "Reification": "mastgp.models.fusion",
    "MISO": "mastgp.models.fusion",
    "FIRE": "mastgp.models.fire",
}


class CustomFunction:
    """Stands for a user's own function in a model that was read from a file.

    Code is not saved, so predictions work, but the model cannot be fitted again.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *_: Any) -> Any:
        """Say what is missing."""
        raise MastError(
            f"this model was fitted with the function {self.name}, which is not part of the file; "
            "set it again with set_params before fitting"
        )

    def __repr__(self) -> str:
        return f"<function {self.name}, not saved>"


def check_can_be_saved(model: MultiFidelityRegressor) -> None:
    """Refuse an estimator that has no file format, before time is spent on fitting it."""
    kind = type(model).__name__
    if kind not in ESTIMATORS or getattr(import_module(ESTIMATORS[kind]), kind) is not type(model):
        raise MastError(f"a {kind} cannot be written to a file; use it in Python")


def save_model(model: MultiFidelityRegressor, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file; an interrupted write leaves an old file untouched."""
    from .. import __version__

    arrays: dict[str, NDArray[Any]] = {}
    own = estimator_state(model)
    data = _training_state(model.training_data_)
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "mastgp_version": __version__,
        "estimator": own["estimator"],
        "target": getattr(model, "target_name_", None),
        "feature_names_given": hasattr(model, "feature_names_in_"),
        "data_sha256": _data_hash(model.training_data_),
        "parameters": _extract(own["parameters"], "parameters", arrays),
        "data": _extract(data, "data", arrays),
        "state": _extract(own["state"], "state", arrays),
    }
    manifest["sha256"] = _content_hash(manifest, arrays)
    with atomic_write(path) as file, zipfile.ZipFile(file, "w") as archive:
        _add(archive, _MANIFEST, json.dumps(manifest, indent=1, allow_nan=False).encode())
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
            _add(archive, f"{name}.npy", buffer.getvalue())


def load_model(path: str | os.PathLike[str]) -> MultiFidelityRegressor:
    """Read a model that :func:`save_model` wrote."""
    manifest, arrays = _read(Path(path))
    if _content_hash(manifest, arrays) != manifest.get("sha256"):
        raise ModelFileError(f"{path} is damaged: its content does not match its checksum")
    try:
        data = _training_data(_restore(manifest["data"], arrays))
        if _data_hash(data) != manifest["data_sha256"]:
            raise ModelFileError(f"{path} is damaged: its training data do not match their hash")
        entry = {
            "estimator": manifest["estimator"],
            "parameters": _restore(manifest["parameters"], arrays),
            "state": _restore(manifest["state"], arrays),
        }
        model = restored_estimator(entry, data, str(path))
        if manifest["feature_names_given"]:
            model.feature_names_in_ = np.array(data.feature_names, dtype=object)
        model.target_name_ = manifest["target"]
    except MastError:
        raise
    except Exception as error:
        raise ModelFileError(f"{path} is damaged: {type(error).__name__}: {error}") from error
    return model


def estimator_state(model: MultiFidelityRegressor) -> dict[str, Any]:
    """A fitted estimator without its data, as plain values and arrays."""
    check_can_be_saved(model)
    return {
        "estimator": type(model).__name__,
        "parameters": _encode_params(model.get_params(deep=False)),
        "state": model._get_state(),
    }


def restored_estimator(
    entry: Mapping[str, Any], data: Dataset, source: str = "the file"
) -> MultiFidelityRegressor:
    """Inverse of :func:`estimator_state`, for the data that it was fitted to."""
    kind = entry["estimator"]
    if kind not in ESTIMATORS:
        raise ModelFileError(f"{source} holds a model of kind {kind!r}, unknown to this version")
    estimator = getattr(import_module(ESTIMATORS[kind]), kind)
    model: MultiFidelityRegressor = estimator(**_decode_params(entry["parameters"]))
    model.training_data_ = data
    model.n_features_in_ = len(data.feature_names)
    model._set_state(entry["state"])
    return model


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name), content)  # a fixed date: same model, same bytes


def _read(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    if not path.exists():
        raise FileError(f"there is no file {path}")
    try:
        with zipfile.ZipFile(path) as archive:
            if _MANIFEST not in archive.namelist():
                raise ModelFileError(f"{path} is not a mastgp model: it has no {_MANIFEST}")
            manifest = json.loads(_content(archive, _MANIFEST))
            _check_format(manifest, path)
            arrays = {
                name.removesuffix(".npy"): _array(_content(archive, name))
                for name in archive.namelist()
                if name.endswith(".npy")
            }
    except MastError:
        raise
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error
    except Exception as error:  # a damaged archive fails in many ways, none of them ours
        raise ModelFileError(
            f"{path} is not a mastgp model, or it is damaged or incomplete ({error})"
        ) from error
    return manifest, arrays


def _check_format(manifest: Any, path: Path) -> None:
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ModelFileError(f"{path} is not a mastgp model")
    version = manifest.get("format_version")
    if not isinstance(version, int) or version < 1:
        raise ModelFileError(f"{path} is damaged: its format version is {version!r}")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"{path} was written by mastgp {manifest.get('mastgp_version')} in format {version}; "
            f"this version reads up to format {FORMAT_VERSION}: upgrade with "
            "'pip install --upgrade mastgp'"
        )


def _content(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{name} is compressed, which mastgp never does")
    return archive.read(name)


def _array(content: bytes) -> NDArray[Any]:
    """Read an array, after checking that its header promises what the file holds."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    if version != (1, 0):
        raise ValueError(f"array format {version} is not used by mastgp")
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    if str(dtype) not in _DTYPES or stream.tell() + math.prod(shape) * dtype.itemsize != len(
        content
    ):
        raise ValueError("an array's header does not fit its content")
    stream.seek(0)
    array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return array


def _extract(value: Any, name: str, arrays: dict[str, NDArray[Any]]) -> Any:
    """Replace the arrays inside plain data by references, collecting them in `arrays`."""
    if isinstance(value, np.ndarray):
        arrays[name] = value.astype("int64" if value.dtype.kind in "iu" else "float64")
        return {"$array": name}
    if isinstance(value, Mapping):
        return {
            str(k): _extract(v, f"{name}/{i}", arrays) for i, (k, v) in enumerate(value.items())
        }
    if isinstance(value, list | tuple):
        return [_extract(v, f"{name}/{i}", arrays) for i, v in enumerate(value)]
    if isinstance(value, np.generic):
        return value.item()
    return value


def _restore(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    if isinstance(value, dict):
        if set(value) == {"$array"}:
            return arrays[value["$array"]]
        return {k: _restore(v, arrays) for k, v in value.items()}
    if isinstance(value, list):
        return [_restore(v, arrays) for v in value]
    return value


def _encode_params(params: dict[str, Any]) -> dict[str, Any]:
    def encode(value: Any) -> Any:
        if isinstance(value, GP):
            return {"$gp": value.get_params()}
        if isinstance(value, CustomFunction):
            return {"$function": value.name}
        if callable(value):
            qualified = getattr(value, "__qualname__", type(value).__qualname__)
            return {"$function": f"{getattr(value, '__module__', '?')}.{qualified}"}
        if isinstance(value, np.random.RandomState | np.random.Generator):
            return None
        if isinstance(value, Mapping) and any(hasattr(v, "fit") for v in value.values()):
            return None  # estimators that were given as options; their fits are in the state
        if hasattr(value, "items") and not hasattr(value, "columns"):
            return {_plain_key(key): entry for key, entry in value.items()}
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, str | int | float | None):
            return value
        array = np.asarray(value)  # a table of numbers, or a sequence of names
        if array.ndim == 2:
            return array.astype(float)
        if array.ndim == 1:
            return [fidelity_name(label) for label in value]
        raise MastError(f"a {type(value).__name__} cannot be written to a file")

    return {
        key: {"$surrogate": describe(value)} if _is_surrogate(key, value) else encode(value)
        for key, value in params.items()
    }


def _is_surrogate(key: str, value: Any) -> bool:
    return key == "surrogate" and not isinstance(value, str | GP)


def _plain_key(key: Any) -> str:
    """Name of a fidelity or column, as it is compared everywhere else."""
    return key if isinstance(key, str) else fidelity_name(key)


def _decode_params(params: dict[str, Any]) -> dict[str, Any]:
    decoders: dict[str, Callable[[Any], Any]] = {
        "$gp": lambda options: GP(**options),
        "$surrogate": build,
        "$function": CustomFunction,
    }

    def decode(value: Any) -> Any:
        if isinstance(value, dict) and len(value) == 1:
            ((key, inner),) = value.items()
            if key in decoders:
                return decoders[key](inner)
        return value

    return {key: decode(value) for key, value in params.items()}


def _training_state(data: Dataset) -> dict[str, Any]:
    return {
        "fidelities": [
            {"name": f.name, "X": f.X, "y": f.y, "noise_var": f.noise_var, "rows": f.rows}
            for f in data.fidelities
        ],
        "hierarchy": asdict(data.ranking),
        "box": {"low": data.box.low, "high": data.box.high},
        "feature_names": list(data.feature_names),
    }


def _training_data(state: dict[str, Any]) -> Dataset:
    ranking = state["hierarchy"]  # what it was called in the first format
    return Dataset(
        fidelities=tuple(Fidelity(**entry) for entry in state["fidelities"]),
        ranking=Ranking(**{**ranking, "names": tuple(ranking["names"])}),
        box=Box(**state["box"]),
        feature_names=tuple(state["feature_names"]),
    )


def _content_hash(manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Checksum of everything in a file, so that no change goes unnoticed."""
    rest = {key: value for key, value in manifest.items() if key != "sha256"}
    digest = hashlib.sha256(json.dumps(rest, sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _data_hash(data: Dataset) -> str:
    digest = hashlib.sha256("\0".join(data.feature_names).encode())
    for fidelity in data.fidelities:
        digest.update(fidelity.name.encode())
        for array in (fidelity.X, fidelity.y, fidelity.noise_var):
            if array is not None:
                digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()
