"""Stages made of pretrained transformers that learn in context: TabPFN and TabICL.

Nothing is downloaded here: see :mod:`mastgp.surrogates.checkpoints`.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from contextlib import AbstractContextManager
from dataclasses import replace
from importlib import import_module
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MastError
from ..libraries import untouched
from ..threads import ALL_CORES_FROM
from .checkpoints import CHECKPOINTS, Checkpoint, check_installed, checksum, find_checkpoint
from .refitted import Recipe, Refittable, Refitted

Array = NDArray[np.float64]

#: Copies of the data that TabICL makes where the number is left to it.
_TABICL_COPIES = 8


class InContext(Refittable):
    """Base of the learners that need a checkpoint.

    Parameters
    ----------
    checkpoint : path, optional
        Checkpoint, or folder that has it.
    n_estimators : int or "auto"
        Number of differently prepared copies of the data. Their predictions are averaged.
    device : str
        Where the network runs, as in PyTorch: ``"cpu"`` or ``"cuda"``.
    """

    #: What the learner's authors published.
    published: ClassVar[Checkpoint]

    def __init__(
        self,
        checkpoint: str | PathLike[str] | None = None,
        n_estimators: int | str = "auto",
        device: str = "cpu",
    ) -> None:
        self.checkpoint = checkpoint
        self.n_estimators = n_estimators
        self.device = device

    @abstractmethod
    def _library_regressor(self, **options: Any) -> Any:
        """Build the library's regressor, not yet fitted, with options that both libraries have."""

    def check_ready(self) -> None:
        """Raise an error if package or checkpoint are missing. Neither of them is loaded."""
        check_installed(self.published)
        find_checkpoint(self.published, self.checkpoint)

    def restore(self, state: dict[str, Any]) -> Refitted:
        """Rebuild a stage with the checkpoint it was fitted with, wherever that is now."""
        check_installed(self.published)
        self._find(Recipe(**state))
        return super().restore(state)

    def _recipe(self, X: Array, y: Array, noise_var: Array | None, seed: int) -> Recipe:
        if len(y) < 2:
            raise DataError(f"{self.published.title} needs two points of every fidelity at least")
        path = find_checkpoint(self.published, self.checkpoint)
        plain = super()._recipe(X, y, noise_var, seed)
        return replace(plain, checkpoint=path.name, sha256=checksum(path))

    def _find(self, recipe: Recipe) -> str:
        return str(
            find_checkpoint(
                self.published, self.checkpoint, filename=recipe.checkpoint, sha256=recipe.sha256
            )
        )

    def _regressor(self, recipe: Recipe) -> Any:
        path = self._find(recipe)
        try:
            with _undisturbed():
                regressor = self._library_regressor(
                    model_path=path,
                    n_estimators=self.n_estimators,
                    device=self.device,
                    random_state=recipe.seed,
                )
                return regressor.fit(recipe.X, recipe.y)
        except Exception as error:  # a damaged file fails in many ways, none of them ours
            reason = " ".join(str(error).split())
            raise MastError(
                f"{self.published.title} cannot be fitted with the checkpoint {path}: {reason}"
            ) from error


class TabPFN(InContext):
    """TabPFN. MAST with its v2 checkpoint in all stages is the paper's MAST-ICL.

    Mean and variance are the exact moments of the predicted distribution. The variance includes
    the noise that the network sees in the data.

    Parameters
    ----------
    checkpoint : path, optional
        Checkpoint, or folder that has it. By default the environment variable
        ``TABPFN_MODEL_PATH`` names it; without that it is ``tabpfn-v2-regressor.ckpt`` in
        TabPFN's cache folder.
    n_estimators : int or "auto"
        Number of differently prepared copies of the data. Their predictions are averaged.
    device : str
        Where the network runs, as in PyTorch: ``"cpu"`` or ``"cuda"``.

    Examples
    --------
    >>> from mastgp import MAST
    >>> from mastgp.surrogates import TabPFN
    >>> model = MAST(surrogate=TabPFN(checkpoint="checkpoints/tabpfn-v2-regressor.ckpt"))
    """

    published = CHECKPOINTS["tabpfn"]

    def _library_regressor(self, **options: Any) -> Any:
        from tabpfn import TabPFNRegressor

        return TabPFNRegressor(**options)

    def _moments(self, regressor: Any, X: Array) -> tuple[Array, Array]:
        with _undisturbed():
            full = regressor.predict(X, output_type="full")
            criterion, logits = full["criterion"], full["logits"]
            return _array(criterion.mean(logits)), _array(criterion.variance(logits))


class TabICL(InContext):
    """TabICL, which is like TabPFN and has a checkpoint under a permissive licence.

    Mean and variance are those of the 999 quantiles that it predicts. The variance includes the
    noise that the network sees in the data.

    Parameters
    ----------
    checkpoint : path, optional
        Checkpoint, or folder that has it. By default the environment variable
        ``TABICL_MODEL_PATH`` names it; without that it is looked for in TabICL's cache folders.
    n_estimators : int or "auto"
        Number of differently prepared copies of the data. Their predictions are averaged. Eight
        by default.
    device : str
        Where the network runs, as in PyTorch: ``"cpu"`` or ``"cuda"``.

    Examples
    --------
    >>> from mastgp import MAST
    >>> from mastgp.surrogates import TabICL
    >>> model = MAST(surrogate=TabICL(n_estimators=4))
    """

    published = CHECKPOINTS["tabicl"]

    def _library_regressor(self, **options: Any) -> Any:
        from tabicl import TabICLRegressor

        if options["n_estimators"] == "auto":
            options["n_estimators"] = _TABICL_COPIES
        return TabICLRegressor(allow_auto_download=False, **options)

    def _moments(self, regressor: Any, X: Array) -> tuple[Array, Array]:
        with _undisturbed():
            quantiles = _array(regressor.predict(X, output_type="raw_quantiles"))
        return quantiles.mean(axis=1), quantiles.var(axis=1)


def _undisturbed() -> AbstractContextManager[None]:
    """Keep the learners' libraries from changing what belongs to the whole process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import_module("torch")  # first, so that its state is kept as well
    return untouched(n_points=ALL_CORES_FROM)


def _array(values: Any) -> Array:
    return np.asarray(values.cpu() if hasattr(values, "cpu") else values, dtype=float)
