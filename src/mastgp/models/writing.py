"""A model as a file, or as plain numbers for other programs."""

from __future__ import annotations

from os import PathLike
from typing import Any, Self, cast

from ..errors import MastError, ModelFileError
from ..estimators import check_is_fitted
from ..storage.model_file import Storable, load_model, save_model


class Written:
    """The part of a model that says how it is written down."""

    calibration_: float

    def get_state(self) -> dict[str, Any]:
        """Return what a file must hold besides parameters and data: plain values and arrays."""
        raise self._lacks("file format")

    def set_state(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`get_state` returned, with parameters and data in place."""
        raise self._lacks("file format")

    def plain_predictor(self) -> dict[str, Any]:
        """What predicts, as plain values and arrays that any program can evaluate.

        A node as described in the guide ("A predictor for other programs"). It gives the
        distribution before calibration at unit-cube inputs.
        """
        raise self._lacks("form that other programs can evaluate")

    def plain_calibrated(self) -> dict[str, Any]:
        """The same, calibrated: as it is a part of another model."""
        node = self.plain_predictor()
        if self.calibration_ == 1.0:
            return node
        return {"kind": "dilated", "factor": float(self.calibration_), "of": node}

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to one file, without pickle; see :func:`mastgp.load`."""
        check_is_fitted(self)
        save_model(cast(Storable, self), path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model written by :meth:`save`."""
        model = load_model(path)
        if not isinstance(model, cls):
            raise ModelFileError(f"{path} holds a {type(model).__name__}, not a {cls.__name__}")
        return model

    def _lacks(self, what: str) -> MastError:
        return MastError(f"{type(self).__name__} has no {what}")
