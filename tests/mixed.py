"""Data with a number, a whole number and two categories, at two fidelities."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mastgp.data.dataset import Dataset

COSTS = {"low": 1, "high": 10}
CATEGORICAL = ["material", "coated"]
_GAIN = {"al": 1.0, "steel": 1.5, "ti": 0.6}


def response(frame, bias=0.0):
    gain = frame["material"].map(_GAIN).to_numpy()
    coat = np.where(frame["coated"] == "yes", 0.4, 0.0)
    return np.sin(3 * frame["speed"].to_numpy()) * gain + coat + bias * frame["speed"].to_numpy()


def inputs(rng, n, materials=tuple(_GAIN)):
    return pd.DataFrame(
        {
            "speed": rng.random(n),
            "material": np.array(materials)[np.arange(n) % len(materials)],
            "coated": rng.choice(["no", "yes"], n),
        }
    )


def tables(seed=0, n_low=36, n_high=15, **options):
    rng = np.random.default_rng(seed)
    low, high = inputs(rng, n_low), inputs(rng, n_high, **options)
    return {"low": (low, response(low, 0.5)), "high": (high, response(high))}


def mixed_dataset(seed=0, **options):
    return Dataset.from_tables(tables(seed, **options), costs=COSTS, categorical=CATEGORICAL)


def queries(n=30):
    return inputs(np.random.default_rng(99), n)
