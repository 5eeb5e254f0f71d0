"""Multi-fidelity surrogates: one model from a few expensive and many cheap results."""

from .api import fit, load
from .errors import (
    ConstantInputWarning,
    ConstantTargetWarning,
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
from .mast import MAST

__version__ = "0.1.0"

__all__ = [
    "MAST",
    "ConstantInputWarning",
    "ConstantTargetWarning",
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
]
