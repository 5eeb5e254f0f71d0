"""Every method of the package: the one list that a new method joins.

Entries name classes by strings, so that listing the methods imports none of them. Nobody imports
this module but the package itself; whoever looks for a method asks :mod:`mastgp.methods`.
"""

from __future__ import annotations

from .methods import CONTAINERS, WRAPPERS, Method, register

register(
    Method(
        "auto",
        "mastgp.auto.surrogate:AutoSurrogate",
        "a blend of co-kriging, FIRE, MAST and single GPs, weighted by their held-out predictions",
        "you want a good model without choosing a method, and can wait a few seconds",
        recommended=True,
    )
)
register(
    Method(
        "auto-calibrated",
        "mastgp.auto.surrogate:AutoSurrogate",
        "auto with intervals that are widened where its held-out errors ask for it",
        "correct coverage matters more to you than narrow intervals",
        {"calibrate": True},
    )
)
register(
    Method(
        "mast",
        "mastgp.models.mast:MAST",
        "the paper's method: cheap points are corrected and blended by trust",
        "the error of the cheap data varies in space, or the cheap data may be poor",
        paper_name="MAST",
    )
)
register(
    Method(
        "mast-raw",
        "mastgp.models.mast:MAST",
        "MAST whose second stage gets the cheap posterior without scaling",
        "you want to see what the scaling does",
        {"posterior_inputs": "raw"},
    )
)
register(
    Method(
        "mast-icl",
        "mastgp.models.mast:MAST",
        "MAST with TabPFN v2 in every stage",
        "you have TabPFN's checkpoint and a GPU",
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
        "the response jumps, and there are many points",
        {"surrogate": "extra-trees"},
    )
)
register(
    Method(
        "hf-only",
        "mastgp.models.single:SingleFidelity",
        "a GP of the same expensive points, without the cheap ones",
        "the cheap data mislead, or you want to know what they add",
    )
)
register(
    Method(
        "lf-only",
        "mastgp.models.single:SingleFidelity",
        "a GP of the cheapest fidelity's points",
        "you want to see how far the cheap data alone lead",
        {"which": "cheapest"},
    )
)
register(
    Method(
        "ar1",
        "mastgp.models.cokriging:CoKriging",
        "Kennedy-O'Hagan co-kriging: one joint GP of all fidelities",
        "the expensive response is about a factor times the cheap one, plus something simple",
        paper_name="AR1",
    )
)
register(
    Method(
        "ar1-map",
        "mastgp.models.cokriging:CoKriging",
        "ar1 at the optimum of its hyperparameters, without averaging over them",
        "speed matters more to you than honest intervals",
        {"inference": "map"},
    )
)
register(
    Method(
        "shared-bias",
        "mastgp.models.cokriging:CoKriging",
        "one function that all fidelities share, plus a bias of each cheap one",
        "the cheap response is the expensive one plus an error, in the same units",
        {"structure": "shared-bias"},
    )
)
register(
    Method(
        "recursive",
        "mastgp.models.recursive:Recursive",
        "one GP per fidelity, with the mean of the one below as a further input",
        "there are many expensive points, and fidelities are to be fitted one by one",
        paper_name="Recursive",
    )
)
register(
    Method(
        "reification",
        "mastgp.models.fusion:Reification",
        "one GP per fidelity; their predictions are averaged by precision",
        "the cheap data have no bias",
        paper_name="Reification",
    )
)
register(
    Method(
        "miso",
        "mastgp.models.fusion:MISO",
        "reification with a floor of each fidelity's variance",
        "the cheap data have no bias",
        paper_name="MISO",
    )
)
register(
    Method(
        "fire",
        "mastgp.models.fire:FIRE",
        "GPs of the residuals, with the cheap posterior among their inputs",
        "the error of the cheap model depends on what it predicts",
    )
)
register(
    Method(
        "botorch",
        "mastgp.baselines.botorch:BoTorchMultiFidelity",
        "BoTorch's SingleTaskMultiFidelityGP",
        "you work with BoTorch already",
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
        "you work with BoTorch already",
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
        "the expensive response is a nonlinear function of the cheap one, and inputs are few",
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
        "a deep GP with one layer per fidelity",
        "the expensive response is a nonlinear function of the cheap one, and you have time",
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
        "a neural network of the cheap data, and a Bayesian one of what it misses",
        "there are thousands of cheap points",
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
        "you work with SMT already",
        needs=("smt",),
        extra="smt",
        python_only=True,
    )
)

# What a method may be wrapped in.
WRAPPERS["TransformedResponse"] = "mastgp.models.transformed:TransformedResponse"
# What holds several models.
CONTAINERS["SeveralTargets"] = "mastgp.models.targets:SeveralTargets"
