"""Every method of the package by name: the one place where a rival joins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .errors import DataError, MissingExtraError, listed
from .models.estimator import MultiFidelityRegressor
from .surrogates.checkpoints import find_checkpoint, has_checkpoint, weights_of


@dataclass(frozen=True)
class Method:
    """A method that can be fitted, benchmarked and compared.

    Attributes
    ----------
    name, about : str
    build : callable
        ``build(costs=..., bounds=..., **options)`` gives an estimator that has not been fitted.
    paper_name : str or None
        What the paper's tables call it.
    needs : tuple of str
        Modules that must be importable.
    extra : str or None
        Extra of this package that installs them.
    use_when : str
        When to choose it, in a few words.
    weights : str or None
        Learner whose pretrained weights it needs.
    python_only : bool
        Whether its models cannot be written to a file, so that ``mast fit`` has no use for it.
    """

    name: str
    about: str
    build: Callable[..., MultiFidelityRegressor]
    paper_name: str | None = None
    needs: tuple[str, ...] = ()
    extra: str | None = None
    use_when: str = ""
    weights: str | None = None
    python_only: bool = False

    @property
    def installed(self) -> bool:
        """Whether everything it needs can be imported."""
        return all(find_spec(module) is not None for module in self.needs)

    @property
    def ready(self) -> bool:
        """Whether it can run: everything installed, weights in their place."""
        return self.installed and (self.weights is None or has_checkpoint(weights_of(self.weights)))

    @property
    def install_command(self) -> str:
        """What installs its extra."""
        return f"pip install 'mastgp[{self.extra}]'"


def _class(path: str, **fixed: Any) -> Callable[..., MultiFidelityRegressor]:
    """Build an estimator of the package's class at `path`, imported when it is needed."""
    module, _, name = path.partition(":")

    def build(**options: Any) -> MultiFidelityRegressor:
        estimator: MultiFidelityRegressor = getattr(import_module(f".{module}", __package__), name)(
            **{**fixed, **options}
        )
        return estimator

    return build


METHODS = {
    method.name: method
    for method in (
        Method(
            "auto",
            "a blend of co-kriging, FIRE, MAST and single GPs, by held-out errors",
            _class("auto.surrogate:AutoSurrogate"),
            use_when="you want the best without choosing; a few seconds per fit",
        ),
        Method(
            "auto-calibrated",
            "the same with recalibrated intervals",
            _class("auto.surrogate:AutoSurrogate", calibrate=True),
            use_when="coverage matters more than sharpness",
        ),
        Method(
            "mast",
            "the paper's method: trust-weighted augmentation",
            _class("models.mast:MAST"),
            "MAST",
            use_when="the cheap data's error varies in space, or they may be poor",
        ),
        Method(
            "mast-icl",
            "MAST with TabPFN v2 in every stage",
            _class("models.mast:MAST", surrogate="tabpfn"),
            "MAST-ICL",
            ("tabpfn",),
            "icl",
            use_when="you have TabPFN's weights and a GPU",
            weights="tabpfn",
        ),
        Method(
            "mast-forest",
            "MAST with extra trees in every stage",
            _class("models.mast:MAST", surrogate="extra-trees"),
            use_when="responses jump, and points are many",
        ),
        Method(
            "hf-only",
            "a GP of the method's own expensive points",
            _class("models.single:SingleFidelity", which="top"),
            use_when="the cheap data mislead; the yardstick of all others",
        ),
        Method(
            "lf-only",
            "a GP of the cheapest fidelity's points",
            _class("models.single:SingleFidelity", which="cheapest"),
            use_when="never; it shows how far the cheap data alone would lead",
        ),
        Method(
            "ar1",
            "Kennedy-O'Hagan co-kriging by joint likelihood",
            _class("models.cokriging:CoKriging"),
            "AR1",
            use_when="expensive is about rho times cheap plus something simple",
        ),
        Method(
            "shared-bias",
            "one shared function plus a bias of each cheap fidelity",
            _class("models.cokriging:CoKriging", structure="shared-bias"),
            use_when="cheap is expensive plus an error of the same units",
        ),
        Method(
            "recursive",
            "one GP per level, the mean below as a further input",
            _class("models.recursive:Recursive"),
            "Recursive",
            use_when="many expensive points, and levels that are fitted one by one",
        ),
        Method(
            "reification",
            "independent GPs fused by precision",
            _class("models.fusion:Reification"),
            "Reification",
            use_when="the cheap data are unbiased",
        ),
        Method(
            "miso",
            "independent GPs fused by precision, fidelity variances",
            _class("models.fusion:MISO"),
            "MISO",
            use_when="the cheap data are unbiased",
        ),
        Method(
            "fire",
            "residuals conditioned on the cheap posterior",
            _class("models.fire:FIRE"),
            use_when="the cheap model's error follows its own prediction",
        ),
        Method(
            "botorch",
            "BoTorch's SingleTaskMultiFidelityGP",
            _class("baselines.botorch:BoTorchMultiFidelity"),
            "BoTorch",
            ("botorch",),
            "botorch",
            use_when="you live in BoTorch already",
            python_only=True,
        ),
        Method(
            "augmented",
            "BoTorch community's SingleTaskAugmentedGP",
            _class("baselines.botorch:BoTorchAugmented"),
            None,
            ("botorch_community",),
            "botorch",
            use_when="you live in BoTorch already",
            python_only=True,
        ),
        Method(
            "nargp",
            "Emukit's NonLinearMultiFidelityModel",
            _class("baselines.nargp:NARGP"),
            "NARGP",
            ("emukit", "GPy"),
            "emukit",
            use_when="expensive is a nonlinear function of cheap, few inputs",
            python_only=True,
        ),
        Method(
            "mf-dgp",
            "deep multi-fidelity GP, variational",
            _class("baselines.deep_gp:DeepGP"),
            "MF-DGP",
            ("torch",),
            "deep",
            use_when="expensive is a nonlinear function of cheap, time is no issue",
            python_only=True,
        ),
        Method(
            "mfbnn",
            "neural network of the cheap data, Bayesian network of the rest",
            _class("baselines.bnn:MFBNN"),
            "MFBNN",
            ("torch",),
            "deep",
            use_when="thousands of cheap points",
            python_only=True,
        ),
        Method(
            "mfk",
            "SMT's MFK",
            _class("baselines.mfk:MFK"),
            None,
            ("smt",),
            "smt",
            use_when="you live in SMT already",
            python_only=True,
        ),
    )
}


def method(name: str) -> Method:
    """Find a method by name; it must be installed, with its weights in their place."""
    if name not in METHODS:
        raise DataError(f"unknown method {name!r}; choose one of {listed(METHODS)}")
    found = METHODS[name]
    if not found.installed:
        raise MissingExtraError(
            f"method {name!r} needs {listed(found.needs)}; install it with {found.install_command}"
        )
    if found.weights is not None:
        find_checkpoint(weights_of(found.weights))
    return found
