"""What the studies of accuracy share: the paper's smaller problems, and the yardstick."""

from __future__ import annotations

from mastgp.bench.protocol import Draw
from mastgp.check.scores import score
from mastgp.models.single import SingleFidelity

#: Those of the paper's problems that do not take minutes each.
SMALLER = ("branin", "hartmann3", "ackley", "park1", "park2", "hartmann6", "levy", "borehole")
TEST_SIZE = 1000


def yardstick(draw: Draw) -> dict[str, float]:
    """Scores of a GP of as many expensive points as the whole budget buys."""
    model = SingleFidelity(bounds=draw.bounds).fit(draw.X_only, draw.y_only)
    return score(draw.y_test, model.predict_distribution(draw.X_test))
