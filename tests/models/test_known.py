from __future__ import annotations

from mastgp.models.known import Known, SharedFits


class Made:
    """Something that a fit was made from; equal to all others of its kind."""

    def __eq__(self, other):
        return isinstance(other, Made)

    __hash__ = None  # as data sets have it


def test_the_same_objects_and_settings_are_fitted_once():
    shared, data = SharedFits(), Made()
    first = shared.get([data, None], "rbf", object)
    assert shared.get([data, None], "rbf", object) is first


def test_other_objects_or_settings_are_fitted_again():
    shared, data = SharedFits(), Made()
    first = shared.get([data], "rbf", object)
    assert shared.get([data], "matern", object) is not first
    assert shared.get([Made()], "rbf", object) is not first  # equal is not the same
    assert shared.get([data, data], "rbf", object) is not first
    assert SharedFits().get([data], "rbf", object) is not first


def test_what_a_fit_was_made_from_stays_alive():
    """A new object at the address of a dead one must not be taken for it."""
    shared = SharedFits()
    fits = [shared.get([Made()], "rbf", object) for _ in range(50)]
    assert len({id(fit) for fit in fits}) == 50


def test_nothing_is_known_at_first_and_nothing_is_shared_by_accident():
    assert Known().before is None
    assert Known().shared is not Known().shared
