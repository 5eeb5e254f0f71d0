"""Fitted models to files and back.

A model says itself what a file must hold of it (``get_state``, ``set_state``). Which classes a file
may name is decided by the registry of methods, never by the file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .. import stored
from ..data.dataset import Dataset
from ..data.origin import Origin, origin_state, restored_origin
from ..errors import MastError, ModelFileError
from ..methods import container_class, stored_class
from ..stored import DamagedError
from ..surrogates.gp import GP
from ..threads import blas_threads
from .archive import Arrays, put_back_arrays, read_archive, take_out_arrays, write_archive
from .check_state import check_kept
from .dataset_state import data_hash, dataset_state, restored_dataset
from .parameters import decode_parameters, encode_parameters

#: What holds the models of several targets.
SEVERAL = "SeveralTargets"
#: Most models that a file may hold.
MOST_MODELS = 1_000
#: Fidelities at whose points a model is tried when it is read.
_MOST_TRIED = 5


class Storable(Protocol):
    """What a file needs of a model."""

    training_data_: Dataset
    target_name_: str | None
    calibration_: float
    check_: Any
    origin_: Origin

    @property
    def abilities(self) -> frozenset[str]:
        """Must contain "file"."""
        ...

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Constructor parameters."""
        ...

    def get_state(self) -> dict[str, Any]:
        """What was learned, as plain values and arrays."""
        ...


def check_can_be_saved(model: Storable) -> None:
    """Refuse an estimator that has no file format, before time is spent on fitting it."""
    kind = type(model)
    if "file" not in model.abilities or stored_class(kind.__name__) is not kind:
        made_of = getattr(model, "surrogate", None)
        of = "" if made_of is None or isinstance(made_of, str) else f" made of {made_of!r}"
        raise MastError(f"a {kind.__name__}{of} cannot be written to a file; use it in Python")


def save_model(model: Storable, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file; an interrupted write leaves an old file untouched."""
    arrays: Arrays = {}
    write_archive({**_version(), **_description(model, "", arrays)}, arrays, path)


def save_models(models: Mapping[str, Storable], path: str | os.PathLike[str]) -> None:
    """Write the models of several targets to one file."""
    arrays: Arrays = {}
    entries = [
        {"name": name, **_description(model, f"{i}/", arrays)}
        for i, (name, model) in enumerate(models.items())
    ]
    write_archive({**_version(), "container": SEVERAL, "models": entries}, arrays, path)


def _version() -> dict[str, str]:
    from .. import __version__

    return {"mastgp_version": __version__}


def _description(model: Storable, prefix: str, arrays: Arrays) -> dict[str, Any]:
    """A model as plain values; its arrays are collected under names with a prefix."""
    own, data = estimator_state(model), model.training_data_
    return {
        "estimator": own["estimator"],
        "calibration": own["calibration"],
        "target": model.target_name_,
        "feature_names_given": hasattr(model, "feature_names_in_"),
        "data_sha256": data_hash(data),
        "parameters": take_out_arrays(own["parameters"], f"{prefix}parameters", arrays),
        "data": take_out_arrays(dataset_state(data), f"{prefix}data", arrays),
        "state": take_out_arrays(own["state"], f"{prefix}state", arrays),
        "origin": origin_state(model.origin_),
        "check": take_out_arrays(model.check_, f"{prefix}check", arrays),
    }


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a model that :func:`save_model` or :func:`save_models` wrote."""
    manifest, arrays = read_archive(Path(path))
    try:
        if "container" in manifest:
            return _restored_models(manifest, arrays, str(path))
        return _restored(manifest, arrays, str(path))
    except DamagedError as error:
        raise ModelFileError(f"{path} is damaged: {error}") from error
    except MastError:
        raise
    except Exception as error:
        raise ModelFileError(f"{path} is damaged: {type(error).__name__}: {error}") from error


def _restored_models(manifest: Mapping[str, Any], arrays: Arrays, source: str) -> Any:
    container = container_class(manifest["container"])
    if container is None:
        raise ModelFileError(
            f"{source} holds models of kind {manifest['container']!r}, unknown to this version"
        )
    entries = stored.sequence(manifest["models"], "the models", most=MOST_MODELS)
    names = [stored.text(entry["name"], "the name of a model") for entry in entries]
    if not names or len(set(names)) < len(names):
        raise DamagedError("the names of its models are not distinct")
    restored = [_restored(entry, arrays, source) for entry in entries]
    return container.of(dict(zip(names, restored, strict=True)))


def _restored(manifest: Mapping[str, Any], arrays: Arrays, source: str) -> Any:
    state = stored.mapping(put_back_arrays(manifest["data"], arrays), "the data set")
    # Files of format 4 and before say these of the model only.
    state.setdefault("target_name", manifest["target"])
    state.setdefault("feature_names_given", manifest["feature_names_given"])
    data = restored_dataset(state)
    if data_hash(data) != manifest["data_sha256"]:
        raise ModelFileError(f"{source} is damaged: its training data do not match their hash")
    entry = {
        "estimator": manifest["estimator"],
        # Earlier files say it of blends only, in their state.
        "calibration": manifest.get("calibration"),
        "parameters": put_back_arrays(manifest["parameters"], arrays),
        "state": put_back_arrays(manifest["state"], arrays),
    }
    with blas_threads(data.n_points):
        model = restored_estimator(entry, data, source)
    if manifest["feature_names_given"]:
        model.feature_names_in_ = np.array(data.feature_names, dtype=object)
    if manifest.get("check") is not None:  # not in earlier files
        check = put_back_arrays(manifest["check"], arrays)
        model.check_ = check_kept(check, len(data.top.y))
    if "origin" in manifest:  # not in earlier files
        model.origin_ = restored_origin(manifest["origin"])
    target = manifest["target"]
    model.target_name_ = None if target is None else stored.text(target, "the target")
    return model


def estimator_state(model: Storable) -> dict[str, Any]:
    """A fitted estimator without its data, as plain values and arrays."""
    check_can_be_saved(model)
    return {
        "estimator": type(model).__name__,
        "calibration": model.calibration_,
        "parameters": encode_parameters(model.get_params(deep=False)),
        "state": model.get_state(),
    }


def restored_estimator(
    entry: Mapping[str, Any], data: Dataset, source: str = "the file", tried: bool = True
) -> Any:
    """Inverse of :func:`estimator_state`, for the data that it was fitted to.

    Parameters
    ----------
    entry : mapping
    data : Dataset
    source : str
        What the file is called in messages.
    tried : bool
        Whether it predicts at some training points, so that parts that do not fit together are
        found now. A part of a model that passes on all that it predicts is tried with the whole.
    """
    estimator = stored_class(entry["estimator"])
    if estimator is None:
        raise ModelFileError(
            f"{source} holds a model of kind {entry['estimator']!r}, unknown to this version"
        )
    model = estimator(**decode_parameters(entry["parameters"]))
    model.training_data_ = data
    model.n_features_in_ = len(data.feature_names)
    model.set_state(entry["state"])
    if entry.get("calibration") is not None:
        model.calibration_ = stored.number(
            entry["calibration"], "the calibration", low=1e-12, high=1e12
        )
    if tried and _is_made_of_gps(model):
        _check_predicts(model, data)
    return model


def _is_made_of_gps(model: Any) -> bool:
    """Whether it predicts at once; stages of other libraries are fitted again for that."""
    chosen = getattr(model, "surrogate", "gp")
    stages = chosen if isinstance(chosen, list | tuple) else [chosen]
    return all(isinstance(stage, GP) or stage == "gp" for stage in stages)


def _check_predicts(model: Any, data: Dataset) -> None:
    """Predict at some training points; what is no prediction is a damaged file."""
    U = np.vstack([data.unit(fidelity)[[0, -1]] for fidelity in data.fidelities[-_MOST_TRIED:]])
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        predicted = model.predictive_unit(U)
        low, high = predicted.interval(0.95)
    shape = (len(U),)
    stored.array(np.asarray(predicted.variance), "the variance at training points", shape, low=0.0)
    for what, values in (("mean", predicted.mean), ("lower end", low), ("upper end", high)):
        stored.array(np.asarray(values), f"the {what} at training points", shape)
    if (high < low).any():
        raise DamagedError("an interval at training points ends before it begins")
