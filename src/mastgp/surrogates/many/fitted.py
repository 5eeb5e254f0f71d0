"""A model of very many rows of one response, in the target's units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import stored
from ...data.categories import one_hot
from ...data.levels import Category
from ...errors import MastError, PoorFitWarning, warn
from ...gp import GaussianProcess
from ...gp.inducing import InducingProcess
from ...gp.plain import in_other_units, plain_inducing, plain_process, widened
from ...threads import blas_threads
from .choosing import Choice, choose
from .rows import Units, shuffled
from .tools import Tool, Trended, restored, state_of

Array = NDArray[np.float64]

#: Tools by name, as reports call them.
KINDS = {
    "exact": "exact GP",
    "inducing": "inducing points",
    "neighbours": "near neighbours",
    "additive": "additive splines",
    "boosting": "boosted trees",
    "trended": "splines and inducing points",
}
_STATE = ("many", "tool", "units", "noise_var", "extra", "report")
#: Which ability a thing needs that only Gaussian processes have.
_NEEDS = {
    "joint covariance": "covariance",
    "gradient": "gradient",
    "form that other programs can evaluate": "export",
}
#: A model that explains less of the variance of held-out rows than this is poor.
POOR = 0.5


@dataclass(frozen=True)
class ManyReport:
    """Which tool was chosen, and what the others would have given.

    Attributes
    ----------
    n : int
        Number of rows.
    chosen : str
        Key of :data:`KINDS`.
    inducing : int
        Number of inducing points, 0 where there are none.
    explained : float
        Share of the variance of held-out rows that the chosen tool explains.
    rmse : dict of str to float
        Root mean squared error of each tool on held-out rows, noise included, in units.
    nlpd : dict of str to float
        Negative mean log density of held-out rows, in units.
    total : int or None
        Number of rows that the tool knows, where those it was chosen by are a sample of them.
    """

    n: int
    chosen: str
    inducing: int
    explained: float
    rmse: dict[str, float] = field(default_factory=dict)
    nlpd: dict[str, float] = field(default_factory=dict)
    total: int | None = None


class ManyRows:
    """A fitted model of very many rows, by the tool that predicts held-out rows best.

    Attributes
    ----------
    tool : Tool
        In standardised units.
    report_of_choice : ManyReport
    noise_var : array of shape (n,)
        Noise variance of every row.
    extra, widening : float
        A variance that the tool does not know of, in standardised units, and the factor of those
        that it claims.
    categories : tuple of Category
        Inputs that have a column for each level.
    """

    #: There is no search for hyperparameters of all rows to report of.
    report: None = None

    def __init__(
        self,
        tool: Tool,
        units: Units,
        noise_var: Array,
        extra: float,
        report: ManyReport,
        categories: Sequence[Category] = (),
        widening: float = 1.0,
    ) -> None:
        self.tool, self.units, self.extra, self.widening = tool, units, extra, widening
        self.noise_var = noise_var
        self.report_of_choice = report
        self.categories = tuple(categories)

    def predict(self, X: Array, /) -> tuple[Array, Array]:
        """Mean and variance of the response at unit-cube inputs (n, d), each of shape (n,)."""
        mean, var = self.tool.predict(columns_of(np.asarray(X, dtype=float), self.categories))
        scale = self.units.scale
        return self.units.mean + scale * mean, scale**2 * (self.widening * var + self.extra)

    def predict_mean(self, X: Array) -> Array:
        """Mean of the response at unit-cube inputs, shape (n,)."""
        columns = columns_of(np.asarray(X, dtype=float), self.categories)
        own = getattr(self.tool, "predict_mean", None)
        mean = self.tool.predict(columns)[0] if own is None else own(columns)
        return self.units.mean + self.units.scale * np.asarray(mean)

    @property
    def abilities(self) -> frozenset[str]:
        """What the tool can do besides predicting.

        "covariance", "gradient" and "export", if it is a GP; with categories only "export".
        """
        if not isinstance(self.tool, InducingProcess | GaussianProcess):
            return frozenset()
        return frozenset({"export"} if self.categories else _NEEDS.values())

    def plain(self) -> dict[str, Any]:
        """The model as plain numbers, if the tool is a Gaussian process."""
        tool = self._process("form that other programs can evaluate")
        node = plain_inducing(tool) if isinstance(tool, InducingProcess) else plain_process(tool)
        wider = node if self.widening == 1.0 else widened(node, self.widening)
        return in_other_units(wider, self.units.mean, self.units.scale, self.extra)

    def predict_covariance(self, X: Array) -> tuple[Array, Array]:
        """Mean (n,) and covariance (n, n), if the tool is a Gaussian process."""
        mean, cov = self._process("joint covariance").predict_covariance(X)
        cov *= self.widening
        cov.flat[:: len(cov) + 1] += self.extra
        return self.units.mean + self.units.scale * mean, self.units.scale**2 * cov

    def predict_gradient(self, X: Array) -> tuple[Array, Array]:
        """Gradients of mean and variance, each (n, d), if the tool is a Gaussian process."""
        d_mean, d_var = self._process("gradient").predict_gradient(X)
        return self.units.scale * d_mean, self.units.scale**2 * self.widening * d_var

    def _process(self, what: str) -> InducingProcess | GaussianProcess:
        if _NEEDS[what] not in self.abilities:
            kind = KINDS[self.report_of_choice.chosen]
            raise MastError(f"a model of very many rows by {kind} has no {what}")
        assert isinstance(self.tool, InducingProcess | GaussianProcess)
        return self.tool

    def with_tool(self, tool: Tool, report: ManyReport) -> ManyRows:
        """The same model with another tool of the same kind."""
        return ManyRows(
            tool,
            self.units,
            self.noise_var,
            self.extra,
            report,
            self.categories,
            self.widening,
        )

    def sentence(self) -> str:
        """Which tool was chosen and what the others gave, in words."""
        report = self.report_of_choice
        chosen = KINDS[report.chosen] + (f" ({report.inducing})" if report.inducing else "")
        others = [
            f"{KINDS[kind]} {error:.4g}"
            for kind, error in sorted(report.rmse.items(), key=lambda pair: pair[1])
            if kind != report.chosen
        ]
        return (
            f"{chosen} of {report.total or report.n} rows: held-out error "
            f"{report.rmse[report.chosen]:.4g}, noise included "
            f"({100.0 * report.explained:.4g} % explained); {', '.join(others)}"
        )

    def get_state(self) -> dict[str, Any]:
        """Plain values and arrays for files."""
        same = bool(np.ptp(self.noise_var) == 0.0)
        return {
            "many": self.report_of_choice.chosen,
            "tool": state_of(self.tool),
            "units": asdict(self.units),
            "noise_var": self.noise_var[:1] if same else self.noise_var,
            "extra": self.extra,
            "widening": self.widening,
            "report": asdict(self.report_of_choice),
        }

    @classmethod
    def from_state(cls, state: Any, n_inputs: int, categories: Sequence[Category] = ()) -> ManyRows:
        """Inverse of :meth:`get_state`, for stages of so many inputs."""
        stored.mapping(state, "many rows", _STATE)
        if state["many"] not in KINDS:
            raise stored.DamagedError("many rows have an unknown tool")
        stored.mapping(state["units"], "the units", ("mean", "scale"), more=False)
        mean = float(stored.number(state["units"]["mean"], "mean"))
        scale = float(stored.number(state["units"]["scale"], "scale", low=5e-324))
        report = _checked_report(state["report"])
        noise_var = stored.array(state["noise_var"], "noise_var", (None,), low=0.0)
        if len(noise_var) not in (1, report.n):
            raise stored.DamagedError("noise_var has another number of rows than the model")
        extra = float(stored.number(state["extra"], "extra", low=0.0))
        widening = float(stored.number(state.get("widening", 1.0), "widening", low=1e-3))
        width = columns_of(np.zeros((1, n_inputs)), categories).shape[1]
        with blas_threads(0):  # as it was fitted, so that it predicts the same to the last digit
            tool = restored(state["many"], state["tool"], width)
        noise_var = np.broadcast_to(noise_var, report.n)
        return cls(tool, Units(mean, scale), noise_var, extra, report, categories, widening)


def fit_many(
    X: Array,
    y: Array,
    noise_var: Array | None = None,
    categories: Sequence[Category] = (),
    on_evaluation: Callable[[], None] | None = None,
) -> ManyRows:
    """Model very many rows of one response.

    Parameters
    ----------
    X : array of shape (n, d)
        Inputs in the unit cube.
    y : array of shape (n,)
    noise_var : array of shape (n,), optional
        Known noise variance of every row.
    categories : sequence of Category
        Inputs whose values are levels: each level becomes a column of its own.
    on_evaluation : callable, optional
        Called now and then. It may raise to stop the fit.
    """
    known = None if noise_var is None else np.asarray(noise_var, dtype=float)
    rows, units = shuffled(columns_of(X, categories), y, known)
    choice = choose(rows, on_evaluation)
    noise = units.scale**2 * choice.noise
    report = _report(choice, units, len(rows))
    if report.explained < POOR:
        _warn_about_poor(report)
    spread = np.broadcast_to(np.float64(noise), len(rows)) if known is None else known
    return ManyRows(choice.tool, units, spread, choice.extra, report, categories, choice.widening)


def columns_of(X: Array, categories: Sequence[Category]) -> Array:
    """Unit-cube inputs as tools see them: with a column for each level of a category."""
    return one_hot(X, categories) if categories else X


def _report(choice: Choice, units: Units, n: int) -> ManyReport:
    scale = units.scale
    process = choice.tool.process if isinstance(choice.tool, Trended) else choice.tool
    inducing = len(process.basis) if isinstance(process, InducingProcess) else 0
    return ManyReport(
        n,
        choice.kind,
        inducing,
        1.0 - choice.errors[choice.kind] ** 2,
        {kind: scale * error for kind, error in choice.errors.items()},
        {kind: float(np.log(scale)) - density for kind, density in choice.densities.items()},
    )


def _warn_about_poor(report: ManyReport) -> None:
    warn(
        f"no tool explains more than {100.0 * report.explained:.0f} % of the variance of "
        f"{report.n} rows; they are mostly noise, or vary over shorter distances than rows are "
        "apart. Check the inputs, or give more rows or further inputs",
        PoorFitWarning,
    )


def _checked_report(report: Any) -> ManyReport:
    stored.mapping(report, "the report", ("n", "chosen", "inducing", "explained", "rmse", "nlpd"))
    stored.number(report["n"], "n", low=1, whole=True)
    stored.number(report["inducing"], "inducing", low=0, whole=True)
    stored.number(report["explained"], "explained")
    if report.get("total") is not None:
        stored.number(report["total"], "total", low=report["n"], whole=True)
    for name in ("rmse", "nlpd"):
        for kind, value in stored.mapping(report[name], name).items():
            stored.text(kind, name)
            stored.number(value, name)
    return ManyReport(**report)
