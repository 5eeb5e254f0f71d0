"""Other methods, with the interface of MAST, to compare with."""

from .cokriging import CoKriging
from .fire import FIRE
from .fusion import MISO, Reification
from .recursive import Recursive
from .single import SingleFidelity

__all__ = ["FIRE", "MISO", "CoKriging", "Recursive", "Reification", "SingleFidelity"]
