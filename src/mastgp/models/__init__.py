"""Methods of ours: one file each, on one estimator base.

Names are imported when they are first used.
"""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .cokriging import CoKriging
    from .estimator import MultiFidelityRegressor
    from .fire import FIRE
    from .fusion import MISO, Reification
    from .known import Known, SharedFits
    from .mast import MAST
    from .recursive import Recursive
    from .single import SingleFidelity
    from .targets import SeveralTargets, models_of
    from .transformed import TransformedResponse

__all__ = [
    "FIRE",
    "MAST",
    "MISO",
    "CoKriging",
    "Known",
    "MultiFidelityRegressor",
    "Recursive",
    "Reification",
    "SeveralTargets",
    "SharedFits",
    "SingleFidelity",
    "TransformedResponse",
    "models_of",
]

__getattr__ = lazily(
    __name__,
    {
        ".cokriging": ("CoKriging",),
        ".estimator": ("MultiFidelityRegressor",),
        ".fire": ("FIRE",),
        ".fusion": ("MISO", "Reification"),
        ".known": ("Known", "SharedFits"),
        ".mast": ("MAST",),
        ".recursive": ("Recursive",),
        ".single": ("SingleFidelity",),
        ".targets": ("SeveralTargets", "models_of"),
        ".transformed": ("TransformedResponse",),
    },
)
