"""The tool of one response of very many rows, for a response that is much like it.

Which tool suits the rows, and with which hyperparameters, has been found out once. Corrected rows
of the same response need no second search.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...gp import GaussianProcess, Hyperparameters
from ...gp.inducing import InducingProcess
from ...gp.neighbours import NeighbourProcess
from ...gp.sums import Basis
from ...threads import blas_threads
from .additive import Additive, AdditiveSums
from .choosing import HELD_OUT, MOST_HELD_OUT
from .fitted import ManyRows, columns_of
from .learning import Learned, plain_model
from .rows import Rows, shuffled
from .tools import Boosted, Tool, Trended, fit_boosted, fit_exact, fit_neighbours, left_by

Array = NDArray[np.float64]


def fit_like(fitted: ManyRows, X: Array, y: Array, noise_var: Array) -> ManyRows:
    """Give the tool of a model other rows, with hyperparameters as they were.

    Parameters
    ----------
    fitted : ManyRows
        Of a response that varies like this one.
    X : array of shape (n, d)
        Inputs in the unit cube.
    y : array of shape (n,)
    noise_var : array of shape (n,)
        Noise variance of every row.
    """
    rows, units = shuffled(columns_of(X, fitted.categories), y, noise_var)
    report = replace(fitted.report_of_choice, n=len(rows), total=None)
    with blas_threads(0):  # as files restore it
        tool = _given(fitted.tool, rows)
    return ManyRows(tool, units, noise_var, 0.0, report, fitted.categories)


def _given(tool: Tool, rows: Rows) -> Tool:
    """The same kind of tool, given other rows."""
    if isinstance(tool, Additive):
        return _splines(rows)
    if isinstance(tool, Boosted):
        return replace(fit_boosted(rows, _splines(rows)), var=tool.var)
    if isinstance(tool, Trended):
        trend = _splines(rows)
        return Trended(trend, _inducing(tool.process, left_by(trend, rows)))
    if isinstance(tool, InducingProcess):
        return _inducing(tool, rows)
    if isinstance(tool, NeighbourProcess):
        return fit_neighbours(_with_known_noise(tool), rows, tool.k)
    assert isinstance(tool, GaussianProcess)
    return fit_exact(_with_known_noise(tool), rows)


def _inducing(process: InducingProcess, rows: Rows) -> InducingProcess:
    """The same inducing points, given other rows."""
    learned = _with_known_noise(process)
    basis = Basis(learned.model, learned.parameters, process.basis.points.X)
    return InducingProcess.given(basis, rows.observations)


def _splines(rows: Rows) -> Additive:
    """Additive splines; rows that are held out choose their penalty."""
    n = int(min(MOST_HELD_OUT, HELD_OUT * len(rows)))
    sums = AdditiveSums(rows.some(slice(n, None)))
    return sums.best(rows.some(slice(0, n)))[0]


def _with_known_noise(tool: InducingProcess | NeighbourProcess | GaussianProcess) -> Learned:
    """A process's model and hyperparameters, for rows whose noise is known."""
    p, model = tool.parameters, tool.model
    known = Hyperparameters(p.lengthscales, p.scales, p.factors, np.empty(0), p.warp_a, p.warp_b)
    return Learned(plain_model(model.n_inputs, model.components[0].kernel, True), known)
