from __future__ import annotations

from mastgp.next.inputs import Choice, Domain, Range
from mastgp.next.matching import Matcher
from mastgp.next.store import Candidate

DOMAIN = Domain({"gap": Range(0.0, 3.0), "metal": Choice(("Pb", "Sn"))})
POOL = [
    Candidate({"gap": 0.1 + 0.2, "metal": "Pb"}, {"name": "A", "group": "1"}),
    Candidate({"gap": 1.0, "metal": "Sn"}, {"name": "B", "group": "1"}),
    Candidate({"gap": 1.0, "metal": "Sn"}, {"name": "C", "group": "2"}),
]


def test_candidates_are_found_by_their_inputs():
    matcher = Matcher(DOMAIN, POOL)
    assert matcher.at({"gap": 0.3, "metal": "Pb"}) == [0]
    assert matcher.at({"gap": 1.0, "metal": "Sn"}) == [1, 2]
    assert matcher.at({"gap": 0.3001, "metal": "Pb"}) == []


def test_only_columns_of_different_entries_name_candidates():
    matcher = Matcher(DOMAIN, POOL)
    assert list(matcher.naming) == ["name"]
    assert matcher.named("name", " C ") == 2
    assert matcher.named("name", "D") is None
    assert Matcher(DOMAIN, []).naming == {}


def test_a_name_that_is_a_number_may_be_written_with_a_point():
    pool = [Candidate(one.inputs, {"id": str(i)}) for i, one in enumerate(POOL)]
    assert [Matcher(DOMAIN, pool).named("id", name) for name in (2, 2.0, "2")] == [2, 2, 2]
