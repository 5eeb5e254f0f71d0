"""What earlier fits have found out: an explicit argument of every fit."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from ..data.dataset import Dataset, Fidelity

T = TypeVar("T")


class FittedBefore(Protocol):
    """A model that was fitted before."""

    training_data_: Dataset


class SharedFits:
    """Fits that several models of the same data have in common.

    MAST, its variants, FIRE and the expensive points alone all begin with a GP of one fidelity.
    Who fits it first keeps it here for the others.

    Examples
    --------
    >>> shared, data = SharedFits(), object()
    >>> shared.get([data], "rbf", lambda: "fitted") is shared.get([data], "rbf", lambda: "again")
    True
    """

    def __init__(self) -> None:
        self._fits: dict[Hashable, Any] = {}
        # An object's identity is its key, so the object must stay alive as long as the key does.
        self._kept: list[Sequence[object]] = []

    def get(self, made_from: Sequence[object], settings: Hashable, fit: Callable[[], T]) -> T:
        """Return the fit that was made from these very objects with these settings, or make it."""
        key = (tuple(map(id, made_from)), settings)
        if key not in self._fits:
            self._fits[key] = fit()
            self._kept.append(tuple(made_from))
        found: T = self._fits[key]
        return found


@dataclass(frozen=True)
class Known:
    """What a fit may take over instead of computing it.

    Attributes
    ----------
    before : fitted estimator or None
        A model of the same kind that was fitted to nearly the same data. Parts whose data have not
        changed are taken over, and the searches for the others begin where its own ended.
    shared : SharedFits
        Fits of other models of the same data.
    """

    before: FittedBefore | None = None
    shared: SharedFits = field(default_factory=SharedFits)

    def before_of(self, kind: type[T]) -> T | None:
        """The model before, if it is of this kind."""
        return self.before if isinstance(self.before, kind) else None

    def n_unchanged(
        self, data: Dataset, same: Callable[[Fidelity, Fidelity], bool] = operator.is_
    ) -> int:
        """How many of the cheapest fidelities are the very ones that the model before knew.

        Parameters
        ----------
        data : Dataset
        same : callable
            Whether a fidelity is the same as one of the model before.
        """
        if self.before is None:
            return 0
        pairs = zip(data.fidelities, self.before.training_data_.fidelities, strict=True)
        changed = [i for i, (new, old) in enumerate(pairs) if not same(new, old)]
        return changed[0] if changed else len(data.fidelities)
