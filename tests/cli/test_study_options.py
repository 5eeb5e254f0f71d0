from __future__ import annotations

import pytest

from mastgp.cli.study_options import earlier_of, inputs_of, result_of, seconds_of
from mastgp.errors import DataError
from mastgp.next.inputs import Whole


def test_inputs_are_ranges_levels_and_whole_numbers():
    found = inputs_of(["x=0:1", "m=steel,alu"], ["n=2:6"])
    assert found == {"x": (0.0, 1.0), "m": ["steel", "alu"], "n": Whole(2, 6)}
    assert inputs_of(None, None) is None
    with pytest.raises(DataError, match="whole"):
        inputs_of(None, ["n=0.5:2"])


def test_earlier_results_have_a_fidelity_or_a_column_of_them():
    assert earlier_of("cfd=old.csv") == ("cfd", "old.csv")
    assert earlier_of("old.csv") == (None, "old.csv")


def test_values_and_seconds_are_one_number_or_several_by_name():
    assert (result_of(None), result_of(["2"]), result_of(["a=1,b=2"])) == (
        None,
        2.0,
        {"a": 1, "b": 2},
    )
    assert (seconds_of(None), seconds_of(["2"]), seconds_of(["a=1"])) == (None, 2.0, {"a": 1.0})
    for read in (result_of, seconds_of):
        with pytest.raises(DataError, match="expected"):
            read(["many"])
