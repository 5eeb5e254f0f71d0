"""What a stage of MAST can be made of."""

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
