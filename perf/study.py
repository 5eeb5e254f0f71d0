"""What the studies of accuracy share: the paper's smaller problems, and the yardstick."""

from __future__ import annotations

from mastgp.bench.metrics import score
from mastgp.bench.protocol import Trial
from mastgp.rivals import SingleFidelity

#: Those of the paper's problems that do not take minutes each.
SMALLER = ("branin", "hartmann3", "ackley", "park1", "park2", "hartmann6", "levy", "borehole")
TEST_SIZE = 1000


def yardstick(trial: Trial) -> dict[str, float]:
    """Scores of a GP of as many expensive points as the whole budget buys."""
    model = SingleFidelity(bounds=trial.bounds).fit(trial.X_only, trial.y_only)
    return score(trial.y_test, *model.predict(trial.X_test, return_std=True))
