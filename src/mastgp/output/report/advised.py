"""A report with advice: the page of one or several models, and which runs to do next."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from ...errors import MastError, MastWarning, silenced
from ...models.targets import models_of
from ...next.suggestions import suggest
from .facts import Advice
from .page import write_page

#: Runs that a page advises.
N_RUNS = 3


def write_report(
    models: Any,
    path: str | PathLike[str],
    *,
    title: str | None = None,
    command: str = "mast report",
    n_runs: int = N_RUNS,
) -> None:
    """Write the page of some models, each perhaps of several targets.

    Parameters
    ----------
    models : fitted model, or mapping of name to fitted model
    path : path of the file
        It ends with ``.html``.
    title : str, optional
    command : str
        What is said to have written the page.
    n_runs : int
        How many runs are advised for each model; none with 0.

    Examples
    --------
    >>> import numpy as np, os, tempfile, mastgp
    >>> x1, x2 = np.linspace(0, 1, 12)[:, None], np.linspace(0, 1, 5)[:, None]
    >>> tables = {"coarse": (x1, x1[:, 0] ** 2 + 0.1), "fine": (x2, x2[:, 0] ** 2)}
    >>> model = mastgp.fit(tables, costs={"coarse": 1, "fine": 10}, method="mast")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = os.path.join(folder, "page.html")
    ...     mastgp.write_report(model, page)
    ...     print(os.path.getsize(page) < 500_000)
    True
    """
    named = _by_target(models if isinstance(models, Mapping) else {"model": models})
    advice = {name: _advice(model, n_runs) for name, model in named.items()}
    write_page(list(named.items()), path, title=title, command=command, advice=advice)


def _by_target(models: Mapping[str, Any]) -> dict[str, Any]:
    """One model of one target each, by a name that tells them apart."""
    found: dict[str, Any] = {}
    for name, model in models.items():
        targets = models_of(model)
        for target, own in targets.items():
            alone = len(models) == 1
            label = target if alone else name if len(targets) == 1 else f"{name}, {target}"
            found[label] = own
    return found


def _advice(model: Any, n_runs: int) -> Advice:
    if n_runs == 0:
        return Advice()
    try:
        with silenced(MastWarning):
            return Advice(suggest(model, n_runs))
    except MastError as error:
        return Advice(why_none=str(error))
