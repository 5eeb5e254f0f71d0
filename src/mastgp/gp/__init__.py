"""The Gaussian-process engine: one model with closed-form gradients, NumPy and SciPy only."""

from ..threads import blas_threads
from .categorical import Categorical
from .distributions import Mixture, Normal
from .ensemble import ProcessEnsemble
from .fitting import FitReport
from .linalg import NotPositiveDefiniteError
from .model import Component, Model, without_priors
from .observations import target_scale
from .parameters import Hyperparameters
from .posterior import DrawReport
from .process import GaussianProcess
from .sampling import draw_samples

__all__ = [
    "Categorical",
    "Component",
    "DrawReport",
    "FitReport",
    "GaussianProcess",
    "Hyperparameters",
    "Mixture",
    "Model",
    "Normal",
    "NotPositiveDefiniteError",
    "ProcessEnsemble",
    "blas_threads",
    "draw_samples",
    "target_scale",
    "without_priors",
]
