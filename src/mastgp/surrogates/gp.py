"""The default stage: a Gaussian process of the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import stored
from ..data.categories import engine_categories
from ..data.levels import Category
from ..errors import DataError, listed
from ..gp import Component, GaussianProcess, Model, without_priors
from ..gp.categorical import CATEGORY_KERNELS
from ..gp.kernels import KERNELS
from ..gp.layout import Layout
from ..stored import ANY
from .base import Hints, Surrogate, copied

if TYPE_CHECKING:
    from .many.fitted import ManyRows

Array = NDArray[np.float64]

#: From this many rows on a stage is modelled by the tool that predicts held-out rows best. An exact
#: GP takes longer then, and is no better (docs/guide/many-rows.md).
MANY_ROWS = 2_000
#: A search from the optimum of nearly the same data ends when the log density changes by less.
REFIT_TOLERANCE = 1e-3


class GP(Surrogate):
    """How the Gaussian processes of the three stages are built.

    Parameters
    ----------
    kernel : {"rbf", "matern52"}
        RBF is the paper's kernel. Matérn-5/2 suits rougher responses.
    priors : bool
        Whether hyperparameters have BoTorch's default priors. They help where points are few.
        Without them the fit is plain Type-II maximum likelihood.
    categories : {"latent", "exchangeable"}
        Whether the levels of categorical inputs have learned positions, or are all equally far
        from each other.
    exact : bool
        Whether a stage of very many rows is an exact GP, too. Otherwise rows that are held out
        choose between inducing points, near neighbours, additive splines and boosted trees, and
        the options above do not count.

    Examples
    --------
    >>> from mastgp import MAST
    >>> from mastgp.surrogates import GP
    >>> model = MAST(surrogate=GP(kernel="matern52"))
    """

    takes_noise = True

    #: Categorical inputs of its stages.
    inputs: tuple[Category, ...] = ()

    def __init__(
        self,
        kernel: str = "rbf",
        priors: bool = True,
        categories: str = "latent",
        exact: bool = False,
    ) -> None:
        self.kernel = kernel
        self.priors = priors
        self.categories = categories
        self.exact = exact

    def takes_many(self, n: int) -> bool:
        """Whether a stage of `n` rows is left to the tools for many rows."""
        return n >= MANY_ROWS and not self.exact

    def with_inputs(self, inputs: Sequence[Category]) -> GP:
        """Return the same for stages whose inputs have these categories."""
        copy = copied(self)
        copy.inputs = tuple(inputs)
        return copy

    def model(self, n_inputs: int, *, learn_noise: bool, warp: bool) -> Model:
        """Return the engine's model of a stage."""
        if self.kernel not in KERNELS:
            raise DataError(f"unknown kernel {self.kernel!r}; choose one of {listed(KERNELS)}")
        check_categories(self.categories)
        plain = Model(
            n_inputs,
            components=(Component(kernel=self.kernel),),
            learn_noise=learn_noise,
            warp=warp and len(self.inputs) < n_inputs,
            categories=engine_categories(self.inputs, self.categories),
        )
        return plain if self.priors else without_priors(plain)

    def fit(
        self,
        X: Array,
        y: Array,
        noise_var: Array | None = None,
        *,
        warp: bool = False,
        y_scale: float | None = None,
        on_evaluation: Callable[[], None] | None = None,
        before: Any = None,
    ) -> GaussianProcess:
        """Fit a stage. The noise is learned if `noise_var` is not given.

        If `before` is a GP of nearly the same data, the search starts at its hyperparameters.
        """
        model = self.model(X.shape[1], learn_noise=noise_var is None, warp=warp)
        starts = None
        if isinstance(before, GaussianProcess) and before.model == model:
            starts = {"before": Layout(model).pack(before.parameters)}
        return GaussianProcess.fit(
            model,
            X,
            y,
            noise_var=noise_var,
            y_scale=y_scale,
            starts=starts,
            on_evaluation=on_evaluation,
            tolerance=None if starts is None else REFIT_TOLERANCE,
        )

    def fit_stage(
        self, X: Array, y: Array, noise_var: Array | None, hints: Hints
    ) -> GaussianProcess | ManyRows:
        """Fit a stage with all that the hints say; one of very many rows by what suits it."""
        if self.takes_many(len(y)):
            from .many.fitted import fit_many

            return fit_many(X, y, noise_var, self.inputs, hints.on_evaluation)
        return self.fit(
            X,
            y,
            noise_var,
            warp=hints.warp,
            y_scale=hints.y_scale,
            on_evaluation=hints.on_evaluation,
            before=hints.before,
        )

    def state_of(self, fitted: GaussianProcess | ManyRows) -> dict[str, Any]:
        """Return the process's own state."""
        return fitted.get_state()

    def restore(
        self, state: dict[str, Any], n_inputs: int | None = None
    ) -> GaussianProcess | ManyRows:
        """Rebuild a fitted stage from its saved state.

        Parameters
        ----------
        state : dict
        n_inputs : int, optional
            Number of inputs of the stage, where the state does not tell.
        """
        if "many" in state and n_inputs is not None:
            from .many.fitted import ManyRows

            return ManyRows.from_state(state, n_inputs, self.inputs)
        stored.mapping(state, "a stage", ("X", "noise_var", "parameters"))
        stored.array(state["X"], "X of a stage", (ANY, ANY))
        stored.mapping(state["parameters"], "the hyperparameters", ("warp_a",))
        model = self.model(
            state["X"].shape[1],
            learn_noise=state["noise_var"] is None,
            warp=np.size(state["parameters"]["warp_a"]) > 0,
        )
        return GaussianProcess.from_state(model, state)


def check_categories(kernel: str) -> None:
    """Refuse an unknown kernel of categorical inputs."""
    if kernel not in CATEGORY_KERNELS:
        raise DataError(f"unknown categories {kernel!r}; choose one of {listed(CATEGORY_KERNELS)}")


def as_surrogate(chosen: str | GP) -> GP:
    """Find a Gaussian process by name. An instance is returned as it is."""
    if isinstance(chosen, GP):
        return chosen
    if chosen in ("gp", "gp-exact"):
        return GP(exact=chosen == "gp-exact")
    raise DataError(
        f"unknown surrogate {chosen!r}; use 'gp', 'gp-exact' or an instance of mastgp.surrogates.GP"
    )
