"""Samples that do not depend on the order of rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from mastgp.data.samples import Sample, row_hashes
from streaming_support import table


def sample_of(frame, most=50):
    return Sample.of(frame, list(frame.columns), most)


def test_numbers_of_rows_are_evenly_spread_whatever_they_hold():
    counting = pd.DataFrame({"x": np.arange(20_000.0), "m": ["al"] * 20_000})
    hashes = row_hashes(counting)
    assert len(np.unique(hashes)) == 20_000
    assert stats.kstest(hashes / 2.0**64, "uniform").pvalue > 0.01
    assert (row_hashes(counting.assign(m="ti")) != hashes).all()


def test_the_sample_is_the_same_in_any_order_and_in_any_parts():
    frame = table(1000, labels=True)
    whole = sample_of(frame).rows
    assert len(whole) == 50
    shuffled = frame.sample(frac=1.0, random_state=0)
    pd.testing.assert_frame_equal(sample_of(shuffled).rows, whole)
    parts = [sample_of(shuffled.iloc[rows]) for rows in np.array_split(np.arange(1000), 13)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
        assert sum(len(piece.hashes) for piece in total.pieces) <= 100
    pd.testing.assert_frame_equal(total.rows, whole)


def test_a_smaller_sample_is_part_of_a_larger_one():
    frame = table(1000)
    pd.testing.assert_frame_equal(sample_of(frame, 200).cut(50).rows, sample_of(frame, 50).rows)


def test_a_sample_is_random():
    """Its mean is that of all rows, within what so many random rows would tell."""
    frame = table(20_000)
    drawn = sample_of(frame, 2000).rows
    error = drawn["y"].mean() - frame["y"].mean()
    assert abs(error) < 3 * frame["y"].std() / np.sqrt(2000)
