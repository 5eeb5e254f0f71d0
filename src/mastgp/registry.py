"""Every method of the package: the one list that a new method joins.

Entries name classes by strings, so that listing the methods imports none of them. Nobody imports
this module but the package itself; whoever looks for a method asks :mod:`mastgp.methods`.
"""

from __future__ import annotations

from .methods import Method, register

register(
    Method(
        "auto",
        "mastgp.auto.surrogate:AutoSurrogate",
        "a blend of co-kriging, FIRE, MAST and single GPs, by held-out errors",
        "you want the best without choosing; a few seconds per fit",
    )
)
register(
    Method(
        "auto-calibrated",
        "mastgp.auto.surrogate:AutoSurrogate",
        "the same with recalibrated intervals",
        "coverage matters more than sharpness",
        {"calibrate": True},
    )
)
register(
    Method(
        "mast",
        "mastgp.models.mast:MAST",
        "the paper's method: trust-weighted augmentation",
        "the cheap data's error varies in space, or they may be poor",
        paper_name="MAST",
    )
)
register(
    Method(
        "mast-raw",
        "mastgp.models.mast:MAST",
        "MAST with the cheap posterior unscaled among Stage 2's inputs",
        "never; it shows what the scaling does",
        {"posterior_inputs": "raw"},
    )
)
register(
    Method(
        "mast-icl",
        "mastgp.models.mast:MAST",
        "MAST with TabPFN v2 in every stage",
        "you have TabPFN's weights and a GPU",
        {"surrogate": "tabpfn"},
        paper_name="MAST-ICL",
        needs=("tabpfn",),
        extra="icl",
        checkpoint="tabpfn",
        checkpoint_finder="mastgp.surrogates.checkpoints:find_checkpoint_of",
    )
)
register(
    Method(
        "mast-forest",
        "mastgp.models.mast:MAST",
        "MAST with extra trees in every stage",
        "responses jump, and points are many",
        {"surrogate": "extra-trees"},
    )
)
register(
    Method(
        "hf-only",
        "mastgp.models.single:SingleFidelity",
        "a GP of the method's own expensive points",
        "the cheap data mislead; the yardstick of all others",
    )
)
register(
    Method(
        "lf-only",
        "mastgp.models.single:SingleFidelity",
        "a GP of the cheapest fidelity's points",
        "never; it shows how far the cheap data alone would lead",
        {"which": "cheapest"},
    )
)
register(
    Method(
        "ar1",
        "mastgp.models.cokriging:CoKriging",
        "Kennedy-O'Hagan co-kriging by joint likelihood",
        "expensive is about rho times cheap plus something simple",
        paper_name="AR1",
    )
)
register(
    Method(
        "shared-bias",
        "mastgp.models.cokriging:CoKriging",
        "one shared function plus a bias of each cheap fidelity",
        "cheap is expensive plus an error of the same units",
        {"structure": "shared-bias"},
    )
)
register(
    Method(
        "recursive",
        "mastgp.models.recursive:Recursive",
        "one GP per level, the mean below as a further input",
        "many expensive points, and levels that are fitted one by one",
        paper_name="Recursive",
    )
)
register(
    Method(
        "reification",
        "mastgp.models.fusion:Reification",
        "independent GPs fused by precision",
        "the cheap data are unbiased",
        paper_name="Reification",
    )
)
register(
    Method(
        "miso",
        "mastgp.models.fusion:MISO",
        "independent GPs fused by precision, fidelity variances",
        "the cheap data are unbiased",
        paper_name="MISO",
    )
)
register(
    Method(
        "fire",
        "mastgp.models.fire:FIRE",
        "residuals conditioned on the cheap posterior",
        "the cheap model's error follows its own prediction",
    )
)
register(
    Method(
        "botorch",
        "mastgp.baselines.botorch:BoTorchMultiFidelity",
        "BoTorch's SingleTaskMultiFidelityGP",
        "you live in BoTorch already",
        paper_name="BoTorch",
        needs=("botorch",),
        extra="botorch",
        python_only=True,
    )
)
register(
    Method(
        "augmented",
        "mastgp.baselines.botorch:BoTorchAugmented",
        "BoTorch community's SingleTaskAugmentedGP",
        "you live in BoTorch already",
        needs=("botorch_community",),
        extra="botorch",
        python_only=True,
    )
)
register(
    Method(
        "nargp",
        "mastgp.baselines.nargp:NARGP",
        "Emukit's NonLinearMultiFidelityModel",
        "expensive is a nonlinear function of cheap, few inputs",
        paper_name="NARGP",
        needs=("emukit", "GPy"),
        extra="emukit",
        python_only=True,
    )
)
register(
    Method(
        "mf-dgp",
        "mastgp.baselines.deep_gp:DeepGP",
        "deep multi-fidelity GP, variational",
        "expensive is a nonlinear function of cheap, time is no issue",
        paper_name="MF-DGP",
        needs=("torch",),
        extra="deep",
        python_only=True,
    )
)
register(
    Method(
        "mfbnn",
        "mastgp.baselines.bnn:MFBNN",
        "neural network of the cheap data, Bayesian network of the rest",
        "thousands of cheap points",
        paper_name="MFBNN",
        needs=("torch",),
        extra="deep",
        python_only=True,
    )
)
register(
    Method(
        "mfk",
        "mastgp.baselines.mfk:MFK",
        "SMT's MFK",
        "you live in SMT already",
        needs=("smt",),
        extra="smt",
        python_only=True,
    )
)
