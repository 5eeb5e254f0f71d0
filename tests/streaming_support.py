"""What tests of data larger than memory share: limits so low that little tables are beyond them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mastgp.data import blockwise, columnar, partitions, streaming

#: Rows of a fidelity that fit in memory, and those of a sample, under the low limits.
IN_MEMORY, SAMPLE = 500, 400


def lower_limits(monkeypatch, n_columns=3):
    """Let tables of more than 500 rows be beyond memory, and blocks be of some rows."""
    monkeypatch.setattr(blockwise, "TEXT_BLOCK", 5_000)
    monkeypatch.setattr(columnar, "BLOCK_CELLS", 300)
    monkeypatch.setattr(streaming, "READ_WHOLE", 100)
    monkeypatch.setattr(partitions, "MOST_IN_MEMORY", IN_MEMORY * n_columns)
    monkeypatch.setattr(partitions, "SAMPLE_ROWS", SAMPLE)


def table(n=2000, seed=1, labels=False):
    """Two inputs, the second one of labels if wanted, and a response."""
    rng = np.random.default_rng(seed)
    a, b = rng.permutation(np.linspace(0.0, 1.0, n)), rng.random(n)
    if labels:
        material = np.where(b > 0.01, np.where(b > 0.5, "al", "steel"), "ti")
        return pd.DataFrame({"a": a, "m": material, "y": np.sin(5 * a) + (b > 0.5)})
    return pd.DataFrame({"a": a, "b": b, "y": np.sin(5 * a) + b})


def write_parts(frame, folder, n_parts, ending=".parquet"):
    """Divide a table among files."""
    folder.mkdir()
    for i, rows in enumerate(np.array_split(np.arange(len(frame)), n_parts)):
        path = folder / f"p{i:03d}{ending}"
        part = frame.iloc[rows]
        part.to_parquet(path) if ending == ".parquet" else part.to_csv(path, index=False)
    return folder
