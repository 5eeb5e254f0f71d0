"""Shortcuts for people who keep one table per fidelity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from .errors import DataError, listed
from .methods import method as find_method
from .models.estimator import MultiFidelityRegressor


def fit(
    data: Mapping[Any, Sequence[Any]],
    costs: Mapping[Any, float] | None = None,
    *,
    method: str = "mast",
    **options: Any,
) -> Any:
    """Fit a surrogate to one table per fidelity.

    Parameters
    ----------
    data : mapping of fidelity name to (X, y) or (X, y, noise_std)
        X of shape (n, d), as arrays or DataFrames (columns are matched by name); noise_std is the
        known noise standard deviation, one number or one per row.
    costs : mapping of fidelity name to cost, optional
    method : str
        Name of a method: ``mast``, ``auto``, ``ar1`` or another that ``mast methods`` lists.
    **options
        Everything else that the method's estimator takes, such as :class:`MAST`.

    Returns
    -------
    MAST, or the estimator of another method
        Fitted.

    Examples
    --------
    >>> import numpy as np, mastgp
    >>> x1, x2 = np.linspace(0, 1, 20), np.linspace(0, 1, 5)
    >>> tables = {"coarse": (x1[:, None], x1**2 + 0.1), "fine": (x2[:, None], x2**2)}
    >>> model = mastgp.fit(tables, costs={"coarse": 1, "fine": 10})
    >>> model.predict([[0.5]]).round(2)
    array([0.25])
    """
    if not isinstance(data, Mapping) or not data:
        raise DataError(
            "expected a mapping of fidelity names to (X, y), such as "
            '{"coarse": (X1, y1), "fine": (X2, y2)}'
        )
    tables, targets, labels, noises, places = [], [], [], [], []
    names: set[str | None] = set()
    for label, entry in data.items():
        X, y, noise_std = _entry(label, entry)
        names.add(getattr(entry[1], "name", None))
        places += [f"row {row}" for row in range(len(y))]
        tables.append(X)
        targets.append(y)
        labels.extend([label] * len(y))
        noises.append(np.broadcast_to(noise_std, y.shape))
    noise = np.concatenate(noises)
    model = _estimator(method, costs, options)._fit_rows(
        _stack(tables, list(data)),
        np.concatenate(targets),
        labels,
        None if np.isnan(noise).all() else noise,
        places,
    )
    if len(names) == 1:
        model.target_name_ = names.pop()
    return model


def _estimator(
    name: str, costs: Mapping[Any, float] | None, options: Mapping[str, Any]
) -> MultiFidelityRegressor:
    """An estimator of the named method; options that it does not have are refused by name."""
    model = find_method(name).build(costs=costs)
    unknown = sorted(set(options) - set(model.get_params(deep=False)))
    if unknown:
        raise DataError(f"method {name!r} has no option {listed(unknown)}")
    model.set_params(**options)
    return model


def load(path: str | PathLike[str]) -> MultiFidelityRegressor:
    """Read a model that was written by its ``save`` method."""
    from .output.storage import load_model

    return load_model(path)


def _entry(label: Any, entry: Any) -> tuple[Any, Any, Any]:
    """X, y and noise of one fidelity, with errors that name it."""
    of = f"fidelity {str(label)!r}"
    if hasattr(entry, "columns"):
        raise DataError(
            f'{of}: got one table; give inputs and target apart, as (df[["a", "b"]], df["y"])'
        )
    try:
        X, y, *rest = entry
    except (TypeError, ValueError):
        raise DataError(f"{of}: expected (X, y) or (X, y, noise_std)") from None
    if len(rest) > 1:
        raise DataError(f"{of}: expected (X, y) or (X, y, noise_std), got {2 + len(rest)} things")
    X = X if hasattr(X, "columns") else _array(X, f"{of}: X")
    y = _array(y, f"{of}: y")
    if X.ndim != 2:
        raise DataError(
            f"{of}: X has {X.ndim} dimension(s); expected a table of shape (n, d), for a single "
            "input X.reshape(-1, 1)"
        )
    if y.shape not in ((len(X),), (len(X), 1)):
        raise DataError(f"{of}: X has {len(X)} rows, but y has {' x '.join(map(str, y.shape))}")
    y = y.ravel()
    noise = _array(rest[0], f"{of}: noise_std") if rest else np.array(np.nan)
    if noise.shape not in ((), y.shape):
        raise DataError(f"{of}: noise_std has {noise.size} values, but y has {len(y)}")
    return X, y, noise


def _array(values: Any, what: str) -> Any:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise DataError(f"{what} cannot be read as numbers: {error}") from None


def _stack(tables: list[Any], labels: list[Any]) -> Any:
    """Put tables on top of each other, matching the columns of DataFrames by name."""
    framed = [hasattr(table, "columns") for table in tables]
    if any(framed) and not all(framed):
        raise DataError(
            "X is a DataFrame for some fidelities and an array for others; use one kind"
        )
    first = tables[0]
    for label, table in zip(labels, tables, strict=True):
        if all(framed):
            differing = set(table.columns) ^ set(first.columns)
            if differing:
                raise DataError(
                    f"fidelity {str(label)!r} and {str(labels[0])!r} differ in column "
                    f"{listed(sorted(map(str, differing)))}"
                )
        elif table.shape[1] != first.shape[1]:
            raise DataError(
                f"fidelity {str(label)!r} has {table.shape[1]} inputs, but {str(labels[0])!r} "
                f"has {first.shape[1]}"
            )
    if all(framed):
        import pandas as pd

        return pd.concat([table[first.columns] for table in tables], ignore_index=True)
    return np.concatenate(tables)
