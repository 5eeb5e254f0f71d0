"""Time limits of long trainings."""

from __future__ import annotations

import math
from time import monotonic

from ..errors import DataError


class Clock:
    """Says whether a time limit is over. It counts from its construction.

    Parameters
    ----------
    limit : float or None
        Seconds; None means that the limit is never over.

    Attributes
    ----------
    expired : bool
        Whether somebody asked after the limit was over.
    """

    def __init__(self, limit: float | None) -> None:
        if limit is not None and not limit > 0.0:
            raise DataError(f"time_limit is {limit}; it must be a number above zero, or None")
        self._end = math.inf if limit is None else monotonic() + limit
        self.expired = False

    def is_over(self) -> bool:
        """Whether the limit is over."""
        self.expired = self.expired or monotonic() > self._end
        return self.expired
