"""The Gaussian-process engine: one model with closed-form gradients, NumPy and SciPy only."""

from .fitting import FitReport
from .linalg import NotPositiveDefiniteError
from .model import Component, Hyperparameters, Model, without_priors
from .process import GaussianProcess, draw_samples, target_scale
from .threads import blas_threads

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
