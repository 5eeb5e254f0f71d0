"""The data set: observations of named fidelities, checked, ranked by cost, in a unit cube.

Whatever the user has becomes a :class:`Dataset` by one of its constructors. All of them make the
same checks and give the same warnings. What they share is :func:`assemble`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError, listed
from ..gp import target_scale
from .arrays import Table, checked_rows
from .box import Bounds, Box, limits_of
from .categories import Kinds, Names, NamesOfCategories, one_hot
from .checks import FEW_POINTS, check_inside, check_rows, warn_about_oddities
from .columns import Roles
from .fidelities import Fidelity, Ranking, rank_fidelities
from .levels import Category
from .mappings import stacked
from .noise import known_noise_var
from .places import place_labels, same_place
from .rows import Options, Rows
from .streams import checked_streams, with_ends, with_stream
from .targets import has_several, names_of

if TYPE_CHECKING:
    import pandas as pd

    from .naming import Files

__all__ = ["Bounds", "Box", "Dataset", "Fidelity", "assemble"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Observations of all fidelities, checked, cheapest fidelity first.

    Make one with :meth:`from_arrays`, :meth:`from_tables`, :meth:`from_frame` or
    :meth:`from_files`, depending on what you have. All four take the same options:

    costs : mapping of fidelity name to cost
        Cost of one evaluation, in any unit. The fidelity of the highest cost is the one that
        predictions are made for. Several fidelities need costs, an order or exponents.
    order : sequence of fidelity names
        From cheap to expensive, where costs are not known: a ratio of 10 per step is assumed.
    exponents : mapping of fidelity name to trust exponent
        By default log10(C_M / C_m) / 2, with C the costs.
    bounds : array of shape (d, 2) or mapping of input name to (low, high)
        Ranges that are mapped to [0, 1], in the inputs' units. Inputs without bounds have the
        range of their values in all fidelities together.
    noise_std : mapping of fidelity name to standard deviation
        Known noise, in the target's unit. It is learned for the other fidelities.
    categorical, numeric, integer : sequences of inputs, by name or number
        Inputs whose values are labels, numbers or whole numbers. Text, booleans and pandas'
        categories are labels unless they are said to be numeric. A mapping
        ``categorical={"layers": [1, 2, 3]}`` declares levels that the data need not have.
    log_inputs : sequence of inputs, by name or number
        Positive inputs that span decades, such as frequencies: their logarithms are modelled.

    Attributes
    ----------
    fidelities : tuple of Fidelity
    ranking : Ranking
        Names, costs and trust exponents.
    box : Box
        What is mapped to the unit cube.
    feature_names : tuple of str
        Names of the inputs; ``x0``, ``x1`` and so on where they have none.
    target_name : str or None
    feature_names_given : bool
        Whether the inputs' names are the user's.
    units : mapping of column to unit
        Units of inputs and target, as far as a file has said them.
    categories : tuple of Category
        Inputs that hold codes of levels, and these levels.
    integers : tuple of int
        Columns of whole numbers.
    """

    fidelities: tuple[Fidelity, ...]
    ranking: Ranking
    box: Box
    feature_names: tuple[str, ...]
    target_name: str | None = None
    feature_names_given: bool = False
    units: Mapping[str, str] = field(default_factory=dict)
    categories: tuple[Category, ...] = ()
    integers: tuple[int, ...] = ()

    @staticmethod
    def from_arrays(
        X: ArrayLike,
        y: ArrayLike,
        fidelity: ArrayLike | None = None,
        row_noise_std: ArrayLike | None = None,
        *,
        costs: Mapping[Any, float] | None = None,
        order: Sequence[Any] | None = None,
        exponents: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        noise_std: Mapping[Any, float] | None = None,
        categorical: NamesOfCategories | None = None,
        numeric: Names | None = None,
        integer: Names | None = None,
        log_inputs: Names | None = None,
    ) -> Dataset:
        """Make a data set of one table whose rows have labels.

        Parameters
        ----------
        X : array or DataFrame of shape (n, d)
            Inputs of all fidelities, one row per observation.
        y : array or Series of shape (n,)
            Observed responses. The name of a Series becomes `target_name`.
        fidelity : n labels, optional
            Name of each row's fidelity. Without it all rows are of one fidelity, ``data``.
        row_noise_std : array of shape (n,), optional
            Known noise standard deviation of each row, in y's unit; NaN where it is to be
            learned. All rows of a fidelity, or none.
        costs, order, exponents, bounds, noise_std, categorical, numeric, integer, log_inputs
            See :class:`Dataset`.

        Examples
        --------
        >>> import mastgp
        >>> x = [[0.0], [1.5], [2.5], [3.5], [4.5], [6.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
        >>> y = [0.1, 2.4, 6.5, 12.4, 20.5, 36.3, 1.0, 4.0, 9.0, 16.0, 25.0]
        >>> labels = ["coarse"] * 6 + ["fine"] * 5
        >>> data = mastgp.Dataset.from_arrays(x, y, labels, costs={"coarse": 1, "fine": 10})
        >>> data
        <Dataset: coarse 6 + fine 5 points, 1 input>
        >>> data.unit(data.top).ravel().round(3)
        array([0.167, 0.333, 0.5  , 0.667, 0.833])
        """
        options = Options(costs, order, exponents, bounds, noise_std)
        kinds = Kinds.of(categorical, numeric, integer, log_inputs)
        return _of_table(Table.of(X, y, fidelity, row_noise_std), options, kinds)

    @staticmethod
    def from_tables(
        tables: Mapping[Any, Sequence[Any]],
        *,
        costs: Mapping[Any, float] | None = None,
        order: Sequence[Any] | None = None,
        exponents: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        noise_std: Mapping[Any, float] | None = None,
        categorical: NamesOfCategories | None = None,
        numeric: Names | None = None,
        integer: Names | None = None,
        log_inputs: Names | None = None,
    ) -> Dataset:
        """Make a data set of one table per fidelity.

        Parameters
        ----------
        tables : mapping of fidelity name to (X, y) or (X, y, noise_std)
            X of shape (n, d) and y of shape (n,), as arrays or pandas objects; the columns of
            DataFrames are matched by name. The third is the known noise standard deviation, in
            y's unit: one number, or one per row.
        costs, order, exponents, bounds, noise_std, categorical, numeric, integer, log_inputs
            See :class:`Dataset`.

        Examples
        --------
        >>> import mastgp
        >>> x1, x2 = np.linspace(0, 1, 20)[:, None], np.linspace(0, 1, 5)[:, None]
        >>> tables = {"coarse": (x1, x1[:, 0] ** 2 + 0.1), "fine": (x2, x2[:, 0] ** 2, 0.01)}
        >>> mastgp.Dataset.from_tables(tables, order=["coarse", "fine"])
        <Dataset: coarse 20 + fine 5 points, 1 input>
        """
        options = Options(costs, order, exponents, bounds, noise_std)
        return _of_table(
            stacked(tables), options, Kinds.of(categorical, numeric, integer, log_inputs)
        )

    @staticmethod
    def from_frame(
        frame: pd.DataFrame,
        target: str | Mapping[str, str],
        fidelity_column: str | None = None,
        inputs: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        noise_column: str | None = None,
        *,
        skip_missing: bool = False,
        costs: Mapping[Any, float] | None = None,
        order: Sequence[Any] | None = None,
        exponents: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        noise_std: Mapping[Any, float] | None = None,
        categorical: NamesOfCategories | None = None,
        numeric: Names | None = None,
        integer: Names | None = None,
        log_inputs: Names | None = None,
    ) -> Dataset:
        """Make a data set of a DataFrame that holds inputs, target and labels as columns.

        Parameters
        ----------
        frame : DataFrame
            One row per observation.
        target : str, or mapping of fidelity name to str
            Column of the response. With a mapping, as ``{"low": "LF", "high": "HF"}``, every
            fidelity has a column of results; a row counts for those that are not empty.
        fidelity_column : str, optional
            Column that names each row's fidelity. Without it all rows are of one fidelity.
        inputs : sequence of str, optional
            Input columns; by default all that are not target, fidelity, noise or ignored.
        ignore : sequence of str
            Columns to leave out.
        noise_column : str, optional
            Column of known noise standard deviations, in the target's unit; NaN for fidelities
            whose noise is to be learned.
        skip_missing : bool
            Whether rows with an empty cell are left out, with a warning, instead of refused.
        costs, order, exponents, bounds, noise_std, categorical, numeric, integer, log_inputs
            See :class:`Dataset`.

        Examples
        --------
        >>> import mastgp, pandas
        >>> frame = pandas.DataFrame({
        ...     "source": ["panel"] * 6 + ["cfd"] * 5,
        ...     "mach": [0.5, 0.56, 0.62, 0.68, 0.74, 0.8, 0.55, 0.6, 0.65, 0.7, 0.75],
        ...     "drag": [100, 106, 113, 126, 145, 170, 111, 118, 128, 142, 160],
        ... })
        >>> mastgp.Dataset.from_frame(frame, "drag", "source", costs={"panel": 1, "cfd": 20})
        <Dataset: panel 6 + cfd 5 points, 1 input, target 'drag'>
        """
        from .tables import frame_table

        options = Options(costs, order, exponents, bounds, noise_std)
        roles = Roles(target, fidelity_column, noise_column, inputs, ignore)
        kinds = Kinds.of(categorical, numeric, integer, log_inputs)
        return _of_table(frame_table(frame, roles, skip_missing, kinds), options, kinds)

    @staticmethod
    def from_files(
        files: Files,
        target: str | Mapping[str, str],
        fidelity_column: str | None = None,
        inputs: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        noise_column: str | None = None,
        *,
        skip_missing: bool = False,
        costs: Mapping[Any, float] | None = None,
        order: Sequence[Any] | None = None,
        exponents: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        noise_std: Mapping[Any, float] | None = None,
        categorical: NamesOfCategories | None = None,
        numeric: Names | None = None,
        integer: Names | None = None,
        log_inputs: Names | None = None,
    ) -> Dataset:
        """Make a data set of files: text, spreadsheets, Parquet or Feather.

        Parameters
        ----------
        files : sequence of paths, or mapping of fidelity name to one path or several
            One per fidelity, named after it (``coarse.csv``) or as ``name=path``; several of one
            fidelity as ``name=path,path``, a folder or a pattern (``name=runs/*.csv``); a sheet as
            ``runs.xlsx:coarse``. With `fidelity_column`, any number of files in which that column
            names each row's fidelity.
        target, fidelity_column, inputs, ignore, noise_column, skip_missing
            See :meth:`from_frame`. Columns are matched by name.
        costs, order, exponents, bounds, noise_std, categorical, numeric, integer, log_inputs
            See :class:`Dataset`.

        Examples
        --------
        >>> import mastgp
        >>> from mastgp.examples import FOLDER, TARGET
        >>> files = [FOLDER / "panel.csv", FOLDER / "cfd.csv"]
        >>> mastgp.Dataset.from_files(files, TARGET, costs={"panel": 1, "cfd": 20})
        <Dataset: panel 80 + cfd 14 points, 3 inputs, target 'drag_counts'>
        """
        from .tables import files_table

        options = Options(costs, order, exponents, bounds, noise_std)
        roles = Roles(target, fidelity_column, noise_column, inputs, ignore)
        kinds = Kinds.of(categorical, numeric, integer, log_inputs)
        return _of_table(files_table(files, roles, skip_missing, kinds), options, kinds)

    def __repr__(self) -> str:
        counts = " + ".join(f"{f.name} {f.n_rows}" for f in self.fidelities)
        points = "point" if self.n_points == 1 else "points"
        d = len(self.feature_names)
        target = "" if self.target_name is None else f", target {self.target_name!r}"
        return f"<Dataset: {counts} {points}, {d} {'input' if d == 1 else 'inputs'}{target}>"

    @property
    def top(self) -> Fidelity:
        """The most expensive fidelity."""
        return self.fidelities[-1]

    @property
    def cheaper(self) -> tuple[Fidelity, ...]:
        """All fidelities but the most expensive."""
        return self.fidelities[:-1]

    @property
    def n_points(self) -> int:
        """Number of observations of all fidelities, of those in memory."""
        return sum(len(fidelity.y) for fidelity in self.fidelities)

    @property
    def y_scale(self) -> float:
        """Scale of the targets of all fidelities together, in their unit."""
        return target_scale(np.concatenate([fidelity.y for fidelity in self.fidelities]))

    def with_unit(self, column: str | None) -> str | None:
        """Name of an input or of the target, with its unit in brackets where it is known."""
        unit = "" if column is None else self.units.get(column, "")
        return f"{column} ({unit})" if unit else column

    def scale_of(self, values: Array) -> float:
        """Scale of some targets or residuals.

        Where they are too few to tell, or all the same, it is the scale of all fidelities.
        """
        if len(values) >= min(FEW_POINTS, self.n_points) and np.ptp(values) > 0.0:
            return target_scale(values)
        return self.y_scale

    def unit(self, fidelity: Fidelity) -> Array:
        """Inputs of a fidelity in the unit cube, shape (n, d)."""
        return self.box.to_unit(fidelity.X)

    def values_of(self, X: Array) -> list[Any]:
        """Columns of inputs as the user knows them: labels instead of codes."""
        labels = {c.column: c.labels(X[:, c.column]) for c in self.categories}
        return [labels.get(i, column) for i, column in enumerate(X.T)]

    def apart(self, U: Array) -> Array:
        """Unit-cube inputs for distances: any two levels of a category are one apart."""
        return one_hot(U, self.categories)

    def places(self, fidelity: Fidelity) -> NDArray[np.intp]:
        """Number of each row's place, shape (n,), counted in the order of the rows.

        Rows with one number share their inputs; see :mod:`mastgp.data.places`.
        """
        return place_labels(self.unit(fidelity))

    def only(self, wanted: Callable[[Fidelity], bool]) -> Dataset:
        """Return the data of some fidelities; the most expensive stays whatever is wanted."""
        return replace(self, fidelities=(*(f for f in self.cheaper if wanted(f)), self.top))

    def at_places_of(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.bool_], ...]:
        """Which rows of each fidelity are to be held out together with rows of the top one.

        These are the chosen rows and the cheap rows at the same places. Such cheap rows would
        tell more about what is held out than is known where predictions are wanted. No cheap
        fidelity is held out as a whole.

        Parameters
        ----------
        rows : int array
            Positions in ``top``.

        Returns
        -------
        tuple of bool arrays
            One mask per fidelity, in the order of `fidelities`.
        """
        chosen = np.zeros(len(self.top.y), dtype=bool)
        chosen[rows] = True
        held = self.unit(self.top)[rows]
        masks = [same_place(self.unit(fidelity), held) for fidelity in self.cheaper]
        return (*(mask & (not mask.all()) for mask in masks), chosen)

    def without(self, masks: Sequence[NDArray[np.bool_]]) -> Dataset:
        """Return the data without some rows of each fidelity; fidelities that lose none stay.

        Parameters
        ----------
        masks : sequence of bool arrays
            The rows to leave out, one mask per fidelity in the order of `fidelities`.
        """
        kept = (
            fidelity.subset(~mask) if mask.any() else fidelity
            for fidelity, mask in zip(self.fidelities, masks, strict=True)
        )
        return replace(self, fidelities=tuple(kept))


def assemble(rows: Rows, options: Options) -> Dataset:
    """Check rows of observations, and sort them by fidelity.

    Parameters
    ----------
    rows : Rows
        Observations of all fidelities as arrays.
    options : Options
        Costs, order, exponents, bounds and noise, as :class:`Dataset` describes them.
    """
    check_rows(rows)
    ranking = rank_fidelities(rows.names.tolist(), options.costs, options.order, options.exponents)
    limits = limits_of(options.bounds, rows.feature_names)
    check_inside(rows, limits)
    codes = {c.column: (0.0, len(c.levels) - 1.0) for c in rows.categories}
    streams = checked_streams(rows, limits)
    box = Box.around(with_ends(rows.X, streams.values()), {**limits, **codes}, rows.logs)
    noise_var = known_noise_var(rows, ranking, options.noise_std)
    sampled = tuple(_fidelity(name, rows, noise_var) for name in ranking.names)
    fidelities = tuple(with_stream(f, streams.get(f.name), options.noise_std) for f in sampled)
    warn_about_oddities(fidelities, box, rows)
    return Dataset(
        fidelities,
        ranking,
        box,
        rows.feature_names,
        rows.target_of(ranking.top),
        rows.feature_names_given,
        rows.units,
        rows.categories,
        rows.integers,
    )


def _of_table(table: Table, options: Options, kinds: Kinds) -> Dataset:
    if has_several(table.y):
        raise DataError(
            f"a data set has one target, and here are {listed(names_of(table.y))}; mastgp.fit "
            "takes several"
        )
    return assemble(checked_rows(replace(table, kinds=kinds), options), options)


def _fidelity(name: str, rows: Rows, noise_var: Array | None) -> Fidelity:
    """Rows of one fidelity, sorted by inputs, then target, then noise."""
    own = np.flatnonzero(rows.names == name)
    keys = (rows.y[own], *rows.X[own].T[::-1])
    if noise_var is not None:
        keys = (noise_var[own], *keys)
    own = own[np.lexsort(keys)]
    known = None if noise_var is None or np.isnan(noise_var[own]).any() else noise_var[own]
    return Fidelity(name, rows.X[own], rows.y[own], known, own)
