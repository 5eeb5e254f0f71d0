"""What a stage of MAST can be made of."""

from .gp import GP, Surrogate, as_surrogate

__all__ = ["GP", "Surrogate", "as_surrogate"]
