"""One BLAS thread for small problems: starting threads costs more than it saves."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

#: From this many points on, linear algebra runs on all cores. Below, threads only get in the way.
MANY_POINTS = 600


@cache
def _controller() -> Any:
    return ThreadpoolController()


def blas_threads(n_points: int) -> AbstractContextManager[Any]:
    """Limit BLAS to one thread while a problem of `n_points` is worked on, if that is faster."""
    if n_points >= MANY_POINTS:
        return nullcontext()
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limit
