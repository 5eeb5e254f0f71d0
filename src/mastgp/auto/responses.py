"""Which transformation of the response is worth trying, by how probable it makes the data.

A quick joint GP is fitted to the response as it is and to a few transformations of it. The log
posterior densities at the optima are compared in the user's units: the derivative of each
transformation counts. How well that works, and on what it was tried, is in docs/notes/auto.md.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Dataset
from ..errors import MastWarning, silenced
from ..gp import NotPositiveDefiniteError
from ..gp.responses import Logarithm, YeoJohnson
from ..models.cokriging import fit_joint
from ..models.structures import JointModel, Traits
from ..models.transformed import transformed_data
from ..progress import listening

Array = NDArray[np.float64]

#: Powers that are tried: a mild one and a strong one, against tails above and against tails below.
POWERS = ((0.5, 0.0), (1.5, 2.0))
#: By how much more the log density must gain under a strong one, or under the logarithm.
STRONG = 10.0
#: By how much the log density must gain.
WORTH = 5.0
#: Fewer expensive points tell too little about what is normal.
FEWEST = 5
#: Rows of the quick fits; with more, some of the cheap ones are chosen at random.
MOST_ROWS = 120
#: The quick fits end when the log density changes by less.
TOLERANCE = 0.1

_QUICK = JointModel("autoregressive", "rbf", None, "wide", isotropic=False)


def worth_trying(data: Dataset) -> Logarithm | YeoJohnson | None:
    """The transformation that makes the data clearly more probable; None if there is none."""
    if len(data.top.y) < FEWEST or any(np.ptp(f.y) == 0.0 for f in data.fidelities):
        return None
    part = _part(data)
    as_given = _log_density(part, None)
    found: dict[Logarithm | YeoJohnson, float] = {}
    for mild, *strong in _responses(data):
        found[mild] = _log_density(part, mild)
        if found[mild] > as_given:
            found |= {response: _log_density(part, response) - STRONG for response in strong}
    best = max(found, key=lambda response: found[response])
    return best if found[best] > as_given + WORTH else None


def _responses(data: Dataset) -> Iterator[list[Logarithm | YeoJohnson]]:
    """What is tried: for each direction a mild transformation, and then strong ones."""
    y = np.concatenate([fidelity.y for fidelity in data.fidelities])
    for mild, strong in POWERS:
        powers = [YeoJohnson(p, float(np.median(y)), data.y_scale) for p in (mild, strong)]
        yield [*powers, Logarithm()] if mild < 1.0 and (y > 0.0).all() else [*powers]


def _part(data: Dataset) -> Dataset:
    """All expensive rows, and at most so many cheap ones."""
    n_cheap = data.n_points - len(data.top.y)
    share = min(1.0, max(MOST_ROWS - len(data.top.y), 50) / max(n_cheap, 1))
    if share == 1.0:
        return data
    random = np.random.default_rng(0)
    masks = [random.random(len(f.y)) >= share for f in data.cheaper]
    return data.without([*masks, np.zeros(len(data.top.y), dtype=bool)])


def _log_density(data: Dataset, response: Logarithm | YeoJohnson | None) -> float:
    """Log posterior density of a quick model, as a density of the response in its own units."""
    transformed = data if response is None else transformed_data(data, response)
    traits = Traits.of(transformed, transformed.fidelities)
    try:
        with silenced(MastWarning), listening(None):
            process = fit_joint(_QUICK, transformed, traits, TOLERANCE)
    except NotPositiveDefiniteError:
        return -np.inf
    assert process.report is not None
    n_rows = np.array([len(fidelity.y) for fidelity in data.fidelities])
    highest = -min(process.report.objectives.values()) * data.n_points
    total = highest - float(n_rows @ np.log(process.y_scale))
    if response is not None:
        total += sum(float(response.log_slope(f.y).sum()) for f in data.fidelities)
    return total
