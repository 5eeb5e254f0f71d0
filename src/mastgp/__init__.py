"""Multi-fidelity surrogates: one model from a few expensive and many cheap results.

Estimators are imported when they are first used, so that ``import mastgp`` costs nothing.
"""

from typing import TYPE_CHECKING

from ._lazy import lazily
from .errors import (
    ConstantInputWarning,
    ConstantTargetWarning,
    CopiesWarning,
    CostWarning,
    DataError,
    DuplicateWarning,
    ExtrapolationWarning,
    FewPointsWarning,
    FileError,
    FitWarning,
    MastError,
    MastWarning,
    MissingExtraError,
    ModelFileError,
)

if TYPE_CHECKING:
    from .api import fit, load
    from .auto import AutoSurrogate
    from .mast import MAST
    from .validation import validate

__version__ = "0.1.0"

__all__ = [
    "MAST",
    "AutoSurrogate",
    "ConstantInputWarning",
    "ConstantTargetWarning",
    "CopiesWarning",
    "CostWarning",
    "DataError",
    "DuplicateWarning",
    "ExtrapolationWarning",
    "FewPointsWarning",
    "FileError",
    "FitWarning",
    "MastError",
    "MastWarning",
    "MissingExtraError",
    "ModelFileError",
    "__version__",
    "fit",
    "load",
    "validate",
]

__getattr__ = lazily(
    __name__,
    {
        "MAST": ".mast",
        "AutoSurrogate": ".auto",
        "fit": ".api",
        "load": ".api",
        "validate": ".validation",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
