"""Shortcuts for people who keep one table per fidelity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from . import __version__
from .data.categories import Kinds, Names, NamesOfCategories
from .data.dataset import Dataset
from .data.mappings import stacked
from .data.origin import Origin
from .errors import DataError, listed, recorded
from .methods import method as find_method
from .methods import names_with
from .models.estimator import MultiFidelityRegressor
from .models.scales import suggest_logarithm
from .models.targets import fit_targets, responses_of
from .models.transformed import of_response

if TYPE_CHECKING:
    import pandas as pd

#: Options that a data set was made with.
_OF_DATA = {"order", "exponents", "bounds", "noise_std"}


def fit(
    data: Mapping[Any, Sequence[Any]] | Dataset,
    costs: Mapping[Any, float] | None = None,
    *,
    method: str = "auto",
    categorical: NamesOfCategories | None = None,
    numeric: Names | None = None,
    integer: Names | None = None,
    log_inputs: Names | None = None,
    log: Sequence[str] | bool = (),
    bounded: Mapping[str, Sequence[float]] | None = None,
    **options: Any,
) -> Any:
    """Fit a surrogate to one table per fidelity, or to a data set.

    Parameters
    ----------
    data : mapping of fidelity name to (X, y) or (X, y, noise_std), or Dataset
        X of shape (n, d), as arrays or DataFrames (columns are matched by name); noise_std is the
        known noise standard deviation, one number or one per row. A y of several columns, as a
        DataFrame or array of shape (n, k), has several targets.
    costs : mapping of fidelity name to cost, optional
        A data set has costs, order, exponents, bounds and noise of its own.
    method : str
        Name of a method: ``auto``, ``mast``, ``ar1`` or another that ``mast methods`` lists.
    categorical, numeric, integer : sequences of inputs, by name or number, optional
        Inputs whose values are labels, numbers or whole numbers. Text, booleans and pandas'
        categories are labels unless they are said to be numeric.
    log_inputs : sequence of inputs, by name or number, optional
        Positive inputs that span decades: their logarithms are modelled.
    log : True or sequence of target names
        Targets whose logarithms are modelled; True for all. Predictions are in the target's own
        units and never negative.
    bounded : mapping of target name to (low, high), optional
        Targets that lie between two bounds and never reach them, such as efficiencies. Nor do
        predictions go beyond them.
    **options
        Everything else that the method's estimator takes: :class:`AutoSurrogate` by default.

    Returns
    -------
    AutoSurrogate, or the estimator of another method
        Fitted. For several targets a :class:`mastgp.models.SeveralTargets`.

    Examples
    --------
    >>> import numpy as np, mastgp
    >>> x1, x2 = np.linspace(0, 1, 20), np.linspace(0, 1, 5)
    >>> tables = {"coarse": (x1[:, None], x1**2 + 0.1), "fine": (x2[:, None], x2**2)}
    >>> model = mastgp.fit(tables, costs={"coarse": 1, "fine": 10})
    >>> model.predict([[0.5]]).round(2)
    array([0.25])
    """
    kinds = Kinds.of(categorical, numeric, integer, log_inputs)
    model = _estimator(method, costs, options)
    if not isinstance(data, Dataset):
        return fit_targets(model, replace(stacked(data), kinds=kinds), log, bounded)
    given = sorted(set(options) & _OF_DATA) + (["costs"] if costs is not None else [])
    given += [name for name, inputs in vars(kinds).items() if inputs]
    if given:
        raise DataError(f"the data set has its {listed(given)} already; leave that out here")
    for response in responses_of(log, bounded, [data.target_name or "y"]).values():
        model = of_response(model, response)
    with recorded() as said:
        model.fit_data(data)
        suggest_logarithm(model)
    model.origin_ = Origin(__version__, warnings=tuple(said))
    return model


def _estimator(
    name: str, costs: Mapping[Any, float] | None, options: Mapping[str, Any]
) -> MultiFidelityRegressor:
    """An estimator of the named method; options that it does not have are refused by name."""
    model = find_method(name).build(costs=costs)
    unknown = sorted(set(options) - set(model.get_params(deep=False)))
    if unknown:
        others = names_with(unknown[0])
        hint = f"; method={others[0]!r} has {unknown[0]!r}" if others else ""
        raise DataError(f"method {name!r} has no option {listed(unknown)}{hint}")
    model.set_params(**options)
    return model


def load(path: str | PathLike[str]) -> Any:
    """Read a model that was written by its ``save`` method."""
    from .storage.model_file import load_model

    return load_model(path)


def read_table(path: str | PathLike[str]) -> pd.DataFrame:
    """Read a table from a file of any kind that the commands read.

    Parameters
    ----------
    path : path
        Text with separators (commas, semicolons, tabs, bars or spaces), .xlsx, .xls, .parquet or
        .feather. ``runs.xlsx:Sheet2`` is a sheet, and ``-`` is standard input.

    Returns
    -------
    DataFrame
        Columns of numbers are numbers, NaN where a cell is empty; other columns are text.
        ``frame.attrs["units"]`` has the units of a row below the header, if there is one.

    Examples
    --------
    >>> import mastgp
    >>> from mastgp.examples import FOLDER
    >>> mastgp.read_table(FOLDER / "cfd.csv").shape
    (14, 4)
    """
    from .data.cells import as_frame
    from .data.reading import read_table

    return as_frame(read_table(path))
