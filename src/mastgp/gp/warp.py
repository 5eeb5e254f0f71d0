"""The Kumaraswamy warp of unit-cube inputs, and its derivatives.

Each input is replaced by ``1 - (1 - x**a)**b`` with its own a, b > 0, so that a stationary
kernel of the warped inputs is non-stationary in x (Snoek et al. 2014). The map fixes 0 and 1.
Outside [0, 1] the formula has no meaning, and inputs stay as they are. So the map is continuous,
and the distance to the data keeps growing away from the cube.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class WarpInputs:
    """Inputs with everything about them that does not depend on a and b."""

    X: Array
    log_x: Array
    #: Entries at or beyond 0 and 1, which the warp leaves alone.
    outside: tuple[NDArray[np.intp], ...]

    @classmethod
    def of(cls, X: Array) -> WarpInputs:
        """Prepare inputs of shape (n, d)."""
        inside = (X > 0.0) & (X < 1.0)
        return cls(X, np.log(np.where(inside, X, 0.5)), np.nonzero(~inside))

    def _fix_outside(self, inner: Array, value: Array | float) -> Array:
        if len(self.outside[0]):
            fixed = value[self.outside] if isinstance(value, np.ndarray) else value
            rows, columns = self.outside
            inner[..., rows, columns] = fixed
        return inner

    def _log_tail(self, a: Array) -> Array:
        """log(1 - x**a)."""
        tail: Array = np.log(-np.expm1(a * self.log_x))
        return tail

    def value(self, a: Array, b: Array) -> Array:
        """Warped inputs, shape (n, d)."""
        return self._fix_outside(-np.expm1(b * self._log_tail(a)), self.X)

    def value_and_partials(self, a: Array, b: Array) -> tuple[Array, Array, Array]:
        """Warped inputs and their derivatives with respect to log a and log b.

        They are of shape (b, n, d) where `a` and `b` are of shape (b, 1, d).
        """
        a_log_x = a * self.log_x
        t = np.log(-np.expm1(a_log_x))
        b_tail = b * np.exp(b * t)
        return (
            self._fix_outside(1.0 - b_tail / b, self.X),
            self._fix_outside(b_tail * np.exp(a_log_x - t) * a_log_x, 0.0),
            self._fix_outside(-b_tail * t, 0.0),
        )

    def slope(self, a: Array, b: Array) -> Array:
        """Derivative of the warped inputs with respect to x; 1 outside [0, 1].

        At 0 and 1 it may be infinite; the slope a millionth inside is returned there.
        """
        inner = WarpInputs.of(np.clip(self.X, 1e-6, 1.0 - 1e-6))
        slope = a * b * np.exp((a - 1.0) * inner.log_x + (b - 1.0) * inner._log_tail(a))
        return np.where((self.X < 0.0) | (self.X > 1.0), 1.0, slope)
