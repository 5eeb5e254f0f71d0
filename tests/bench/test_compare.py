from __future__ import annotations

import math

from mastgp.bench.compare import compare


def test_identical_to_the_last_bit_but_for_times_and_version(record):
    before = [record("branin", "mast", 0, version="a", fit_seconds=1.0)]
    after = [record("branin", "mast", 0, version="b", fit_seconds=2.0)]
    found = compare(before, after)
    assert found.identical
    assert found.n_units == 1


def test_the_largest_relative_difference_comes_first(record):
    before = [record("branin", "mast", seed, rmse=1.0, nlpd=2.0) for seed in (0, 1)]
    after = [
        record("branin", "mast", 0, rmse=math.nextafter(1.0, 2.0), nlpd=2.0),
        record("branin", "mast", 1, rmse=1.0, nlpd=4.0),
    ]
    found = compare(before, after)
    assert not found.identical
    assert [d.name for d in found.differences] == ["nlpd", "rmse"]
    assert found.differences[0].relative == 0.5
    assert 0 < found.differences[1].relative < 1e-15
    assert found.n_differing == 2
    assert str(found.differences[0]) == (
        "two-fidelity branin mast, seed 1: nlpd 2.0 -> 4.0 (relative 5.0e-01)"
    )


def test_units_that_one_store_lacks(record):
    found = compare([record("branin", "mast", 0)], [record("branin", "mast", 1)])
    assert not found.identical
    assert [u.seed for u in found.only_before] == [0]
    assert [u.seed for u in found.only_after] == [1]
    assert found.n_units == 0


def test_a_unit_that_failed_or_lacks_a_score_differs(record):
    good = record("branin", "mast", 0)
    failed = {**good, "status": "failed", "error": "no luck"}
    names = {d.name for d in compare([good], [failed]).differences}
    assert names == {"status"}
    without = {name: value for name, value in good.items() if name != "nlpd"}
    (difference,) = compare([good], [without]).differences
    assert (difference.name, difference.relative) == ("nlpd", math.inf)
    assert compare([without], [good]).identical  # a new score


def test_not_a_number_equals_itself(record):
    both = [record("branin", "mast", 0, r2=math.nan)], [record("branin", "mast", 0, r2=math.nan)]
    assert compare(*both).identical


def test_of_several_tries_the_last_counts(record):
    good = record("branin", "mast", 0)
    assert compare([{**good, "status": "failed"}, good], [good]).identical
