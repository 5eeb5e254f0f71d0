"""Other methods, with the interface of MAST, to compare with."""

from .bnn import MFBNN
from .botorch_gp import BoTorchAugmented, BoTorchMultiFidelity
from .cokriging import CoKriging
from .deep_gp import DeepGP
from .fire import FIRE
from .fusion import MISO, Reification
from .mfk import MFK
from .nargp import NARGP
from .recursive import Recursive
from .single import SingleFidelity

__all__ = [
    "FIRE",
    "MFBNN",
    "MFK",
    "MISO",
    "NARGP",
    "BoTorchAugmented",
    "BoTorchMultiFidelity",
    "CoKriging",
    "DeepGP",
    "Recursive",
    "Reification",
    "SingleFidelity",
]
