"""What a stage of MAST can be made of."""

from .gp import GP, as_surrogate

__all__ = ["GP", "as_surrogate"]
