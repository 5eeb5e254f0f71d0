"""What a stage of a model can be made of.

Names are imported when they are first used, so that looking for a checkpoint loads no regressor.
"""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .base import Fitted, Hints, Surrogate
    from .choice import SURROGATES, Choice, find_surrogate, surrogates_of_stages
    from .gp import GP, as_surrogate
    from .incontext import TabICL, TabPFN
    from .regressors import FromQuantiles, FromSpread, FromStd

__all__ = [
    "GP",
    "SURROGATES",
    "Choice",
    "Fitted",
    "FromQuantiles",
    "FromSpread",
    "FromStd",
    "Hints",
    "Surrogate",
    "TabICL",
    "TabPFN",
    "as_surrogate",
    "find_surrogate",
    "surrogates_of_stages",
]

__getattr__ = lazily(
    __name__,
    {
        ".base": ("Fitted", "Hints", "Surrogate"),
        ".choice": ("SURROGATES", "Choice", "find_surrogate", "surrogates_of_stages"),
        ".gp": ("GP", "as_surrogate"),
        ".incontext": ("TabICL", "TabPFN"),
        ".regressors": ("FromQuantiles", "FromSpread", "FromStd"),
    },
)
