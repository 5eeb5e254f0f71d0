"""The Gaussian-process engine: one model with closed-form gradients, NumPy and SciPy only."""

from ..threads import blas_threads
from .fitting import FitReport
from .linalg import NotPositiveDefiniteError
from .model import Component, Model, without_priors
from .observations import target_scale
from .parameters import Hyperparameters
from .process import GaussianProcess, draw_samples

__all__ = [
    "Component",
    "FitReport",
    "GaussianProcess",
    "Hyperparameters",
    "Model",
    "NotPositiveDefiniteError",
    "blas_threads",
    "draw_samples",
    "target_scale",
    "without_priors",
]
