"""What the stages of one fit have in common, and the first of them: a model of one fidelity."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Dataset, Fidelity
from ..errors import EqualCostWarning, FitWarning, warn
from ..estimators import check_random_state
from ..gp import GaussianProcess
from ..progress import counter
from ..surrogates.base import Fitted, Hints, Surrogate
from ..surrogates.choice import Choice, find_surrogate, surrogates_of_stages
from ..surrogates.gp import GP, MANY_ROWS, as_surrogate
from ..surrogates.inputs import for_inputs
from .known import Known

if TYPE_CHECKING:
    from ..surrogates.many.fitted import ManyRows

Array = NDArray[np.float64]

#: Share of very many rows without which a model of them need not be fitted again.
FEW_LEFT_OUT = 0.99


class Fitting:
    """One fit of a model in stages.

    Parameters
    ----------
    data : Dataset
    known : Known
        What earlier fits have found.
    random_state : int, RandomState or None
        Source of seeds, for surrogates that are random.
    """

    def __init__(self, data: Dataset, known: Known, random_state: Any) -> None:
        self.data = data
        self.known = known
        self.random = check_random_state(random_state)

    def unchanged(self, fidelity: Fidelity) -> bool:
        """Whether the model before was fitted to the very same observations."""
        before = self.known.before
        return before is not None and self.nearly_unchanged([fidelity])

    def nearly_unchanged(self, fidelities: Sequence[Fidelity]) -> bool:
        """Whether the model before knew these observations, of very many perhaps a few more.

        Cheap rows at held-out places are held out, too. Of thousands of rows they hardly count.
        """
        if self.known.before is None:
            return False
        old = {f.name: f for f in self.known.before.training_data_.fidelities}
        return all(f.name in old and nearly_same(f, old[f.name]) for f in fidelities)

    def fit_fidelity(
        self, surrogate: Surrogate, fidelity: Fidelity, before: Fitted | None = None
    ) -> Fitted:
        """Model one fidelity on its own, or take over the same fit of another model.

        The search begins where that of `before`, the same stage of nearly the same data, ended.
        """
        data = self.data
        what = f"modelling {fidelity.name}"
        noise_var = fidelity.noise_var if surrogate.takes_noise else None

        def fit() -> Fitted:
            hints = self.hints(what, fidelity.y, before)
            fitted = surrogate.fit_stage(data.unit(fidelity), fidelity.y, noise_var, hints)
            return _with_all_rows(fitted, fidelity, data)

        return self.shared(surrogate, [fidelity, before], data.scale_of(fidelity.y), fit)

    def shared(
        self,
        surrogate: Surrogate,
        made_from: Sequence[object],
        settings: Hashable,
        fit: Callable[[], Fitted],
    ) -> Fitted:
        """Take over another model's fit that was made from the same; else fit.

        Only fits of the engine's GPs are shared. They are the same for the same data and options;
        of other surrogates nobody knows that.
        """
        if type(surrogate) is not GP:
            return fit()
        settings = (*surrogate.get_params().values(), settings)
        return self.known.shared.get([self.data.box, *made_from], settings, fit)

    def hints(self, what: str, y: Array, before: Fitted | None, warp: bool = False) -> Hints:
        """What a surrogate may want to know of a stage with these targets."""
        return Hints(warp, self.data.scale_of(y), counter(what), self.random, before)


def nearly_same(new: Fidelity, old: Fidelity) -> bool:
    """Whether observations are the same, but for a few of very many that are left out."""
    n, before = len(new.y), len(old.y)
    return new is old or (before >= MANY_ROWS and FEW_LEFT_OUT * before <= n <= before)


def _with_all_rows(fitted: Fitted, fidelity: Fidelity, data: Dataset) -> Fitted:
    """The fit of a fidelity; where it has a sample in memory, with all rows of its stream."""
    if fidelity.stream is None:
        return fitted
    from ..surrogates.many.streamed import given_all_rows

    return given_all_rows(fitted, fidelity.stream, data.box)


def stage_surrogate(chosen: Choice, data: Dataset) -> Surrogate:
    """Find a surrogate, and tell it which inputs of the data are categorical."""
    return for_inputs(find_surrogate(chosen), data.categories)


def stage_surrogates(
    chosen: Choice | Sequence[Choice], data: Dataset
) -> tuple[Surrogate, Surrogate, Surrogate]:
    """Find the surrogates of three stages; see :func:`stage_surrogate`."""
    first, second, third = surrogates_of_stages(chosen)
    return (
        for_inputs(first, data.categories),
        for_inputs(second, data.categories),
        for_inputs(third, data.categories),
    )


def stage_gp(chosen: str | GP, data: Dataset) -> GP:
    """Find a Gaussian process; see :func:`stage_surrogate`."""
    surrogate = for_inputs(as_surrogate(chosen), data.categories)
    assert isinstance(surrogate, GP)
    return surrogate


def fit_process(
    surrogate: GP,
    data: Dataset,
    fidelity: Fidelity,
    known: Known,
    before: GaussianProcess | ManyRows | None = None,
) -> GaussianProcess | ManyRows:
    """Fit a GP of one fidelity on its own; a warning says where the fit had trouble.

    The search begins where that of `before`, a GP of nearly the same data, ended.
    """
    fitted = Fitting(data, known, 0).fit_fidelity(surrogate, fidelity, before)
    process = cast("GaussianProcess | ManyRows", fitted)
    warn_about_fit(process, f"of {fidelity.name}")
    return process


def noise_var_of(fitted: Fitted, fidelity: Fidelity) -> Array | None:
    """Noise variance of a fidelity's observations, if its model has one or it is known."""
    known, seen = fidelity.noise_var, fitted.noise_var
    if seen is not None and len(seen) != len(fidelity.y):  # it was fitted with a few rows more
        seen = np.full(len(fidelity.y), float(np.mean(seen)))
    if known is None or seen is None:
        return known if seen is None else seen
    return np.where(known == 0.0, 0.0, seen) if _takes_zero_noise(fitted) else seen


def _takes_zero_noise(fitted: Fitted) -> bool:
    """Whether a model takes observations without noise at their word."""
    return isinstance(fitted, GaussianProcess) and bool(fitted.model.categories)


def warn_about_ties(data: Dataset) -> None:
    """Warn where a method goes by the order of fidelities, and their names alone decide it."""
    names = [fidelity.name for fidelity in data.fidelities]
    for low, high in data.ranking.tied(names) if len(names) > 1 else []:
        ranked = ", ".join(map(repr, names))
        warn(
            f"{low!r} and {high!r} cost the same, so their names decide that {low!r} comes first; "
            f"the predictions depend on that. Say which is the cheaper one by order=[{ranked}] or "
            "another order, or by different costs",
            EqualCostWarning,
        )


def warn_about_fit(process: GaussianProcess | ManyRows, of_what: str) -> None:
    """Warn about a GP that did not converge, or whose covariance needed help."""
    report = process.report
    if report is None or (report.converged and report.jitter == 0.0):
        return
    trouble = (
        f"needed {report.jitter:.1g} added to its diagonal"
        if report.jitter
        else f"stopped early: {report.message}"
    )
    warn(f"the GP {of_what} {trouble}", FitWarning)


def warn_about_fits(processes: Mapping[str, GaussianProcess]) -> None:
    """Warn about GPs whose fit had trouble, each by what it models."""
    for what, process in processes.items():
        warn_about_fit(process, what)
