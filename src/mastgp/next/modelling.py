"""From trials to a surrogate: the data of a study, and a model of each of its targets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.dataset import Dataset
from ..errors import MastWarning, silenced
from ..methods import method
from ..progress import listening
from .definition import Definition
from .exactness import exact_where_possible
from .trials import DONE, Trial

if TYPE_CHECKING:
    import pandas as pd

#: Expensive results that a model needs, and results of a cheap fidelity that count.
FEWEST_EXPENSIVE, FEWEST_CHEAP = 3, 2
#: Cheap results, at most, that a search models with draws or a blend; more would take too long.
MOST_CHEAP = 150


def done(trials: Sequence[Trial]) -> list[Trial]:
    """Trials with results."""
    return [trial for trial in trials if trial.status == DONE]


def can_be_modelled(definition: Definition, trials: Sequence[Trial]) -> bool:
    """Whether there are enough results of the expensive fidelity at different places."""
    places = {tuple(t.inputs.items()) for t in done(trials) if t.fidelity == definition.top}
    return len(places) >= FEWEST_EXPENSIVE


def points_frame(definition: Definition, points: Sequence[Any]) -> pd.DataFrame:
    """Inputs of some points as a table; levels by their names, as models know them."""
    import pandas as pd

    columns: dict[str, Any] = {name: [p[name] for p in points] for name in definition.domain.names}
    for category in definition.domain.categories:
        codes = category.codes(columns[category.name], [""] * len(points))
        columns[category.name] = category.labels(codes)
    return pd.DataFrame(columns)


def training_data(definition: Definition, trials: Sequence[Trial], target: str) -> Dataset:
    """The results of a target as a data set; fidelities with next to no results are left out."""
    import pandas as pd

    found = done(trials)
    counts = Counter(trial.fidelity for trial in found)
    used = {
        name: cost
        for name, cost in definition.costs.items()
        if name == definition.top or counts[name] >= FEWEST_CHEAP
    }
    rows = [trial for trial in found if trial.fidelity in used]
    domain = definition.domain
    with silenced(MastWarning):
        return Dataset.from_arrays(
            points_frame(definition, [trial.inputs for trial in rows]),
            pd.Series([trial.values[target] for trial in rows], name=target),
            [trial.fidelity for trial in rows],
            costs=used,
            bounds=domain.bounds or None,
            categorical={category.name: category.levels for category in domain.categories},
            integer=list(domain.integers),
        )


def thinned(definition: Definition, trials: Sequence[Trial]) -> list[Trial]:
    """Trials without some of the cheap results, where a search has very many.

    Those at the places of expensive results stay, and others in a random order that never changes.
    """
    cheap = [trial for trial in done(trials) if trial.fidelity != definition.top]
    if definition.goal == "accuracy" or len(cheap) <= MOST_CHEAP:
        return list(trials)
    places = {tuple(t.inputs.items()) for t in done(trials) if t.fidelity == definition.top}
    order = np.random.default_rng(definition.random_state).permutation(len(cheap)).tolist()
    order.sort(key=lambda i: tuple(cheap[i].inputs.items()) not in places)
    left_out = {cheap[i].id for i in order[MOST_CHEAP:]}
    return [trial for trial in trials if trial.id not in left_out]


def at_mode(definition: Definition, trials: Sequence[Trial]) -> bool:
    """Whether the next runs are suggested by one vector of hyperparameters instead of many draws.

    In a search for an optimum both take turns, expensive result by expensive result. What is
    learned from the draws is sounder, and the single best vector is bolder: it wins where draws
    spend too much on the unknown.
    """
    draws = _estimator(definition).get_params().get("inference") == "bayes"
    if definition.goal == "accuracy" or not draws:
        return False
    return sum(trial.fidelity == definition.top for trial in done(trials)) % 2 == 1


def _estimator(definition: Definition) -> Any:
    return method(definition.method).build(random_state=definition.random_state)


def fitted(definition: Definition, trials: Sequence[Trial], target: str, mode: bool = False) -> Any:
    """A model of a target.

    In a search for an optimum every digit counts: results that show no noise are taken as exact.

    Parameters
    ----------
    definition : Definition
    trials : sequence of Trial
    target : str
    mode : bool
        Whether the best hyperparameters are used instead of draws; see :func:`at_mode`.
    """
    data = training_data(definition, trials, target)
    estimator = _estimator(definition)
    if mode:
        estimator.set_params(inference="map")
    with silenced(MastWarning), listening(None):
        if definition.goal != "accuracy":
            data = exact_where_possible(data)
        return estimator.fit_data(data)
