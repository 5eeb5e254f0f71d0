"""Multi-fidelity surrogates: one model from a few expensive and many cheap results.

Estimators are imported when they are first used, so that ``import mastgp`` costs nothing.
"""

from typing import TYPE_CHECKING

from . import registry as registry
from .errors import (
    CategoriesWarning,
    ConstantInputWarning,
    ConstantTargetWarning,
    CopiesWarning,
    CostWarning,
    CountingInputWarning,
    DataError,
    DecadesWarning,
    DownloadWarning,
    DuplicateWarning,
    EqualCostWarning,
    ExtrapolationWarning,
    FewPointsWarning,
    FileError,
    FitWarning,
    KindError,
    MastError,
    MastWarning,
    MissingExtraError,
    MissingWarning,
    MixedVersionsWarning,
    ModelFileError,
    OutlierWarning,
    PoorFitWarning,
    RangeWarning,
    RefitWarning,
    ScaleWarning,
    SheetsWarning,
    UnitWarning,
)
from .lazy import lazily

if TYPE_CHECKING:
    from .api import fit, load, read_table
    from .auto.surrogate import AutoSurrogate
    from .check.validation import validate
    from .data.dataset import Dataset
    from .models.mast import MAST
    from .next.inputs import integer
    from .next.optimum import Optimum, optimum
    from .next.study import Study
    from .next.suggestions import Suggestion, suggest
    from .output.report.advised import write_report

__version__ = "0.2.0"

__all__ = [
    "MAST",
    "AutoSurrogate",
    "CategoriesWarning",
    "ConstantInputWarning",
    "ConstantTargetWarning",
    "CopiesWarning",
    "CostWarning",
    "CountingInputWarning",
    "DataError",
    "Dataset",
    "DecadesWarning",
    "DownloadWarning",
    "DuplicateWarning",
    "EqualCostWarning",
    "ExtrapolationWarning",
    "FewPointsWarning",
    "FileError",
    "FitWarning",
    "KindError",
    "MastError",
    "MastWarning",
    "MissingExtraError",
    "MissingWarning",
    "MixedVersionsWarning",
    "ModelFileError",
    "Optimum",
    "OutlierWarning",
    "PoorFitWarning",
    "RangeWarning",
    "RefitWarning",
    "ScaleWarning",
    "SheetsWarning",
    "Study",
    "Suggestion",
    "UnitWarning",
    "__version__",
    "fit",
    "integer",
    "load",
    "optimum",
    "read_table",
    "suggest",
    "validate",
    "write_report",
]

__getattr__ = lazily(
    __name__,
    {
        ".auto.surrogate": ("AutoSurrogate",),
        ".check.validation": ("validate",),
        ".api": ("fit", "load", "read_table"),
        ".data.dataset": ("Dataset",),
        ".models.mast": ("MAST",),
        ".next.inputs": ("integer",),
        ".next.study": ("Study",),
        ".next.optimum": ("Optimum", "optimum"),
        ".output.report.advised": ("write_report",),
        ".next.suggestions": ("Suggestion", "suggest"),
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
