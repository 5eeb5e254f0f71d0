"""Other methods, with the interface of MAST, to compare with."""

from .single import SingleFidelity

__all__ = ["SingleFidelity"]
