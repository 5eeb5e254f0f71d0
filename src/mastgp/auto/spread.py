"""How wide a blend must be, by its own held-out predictions.

Candidates that disagree make a blend too wide in its middle, and a response that no candidate can
describe makes it too narrow. The blend's own held-out residuals tell which. So the members'
standard deviations are multiplied by one factor; their means stay. How the constants were chosen is
in docs/notes/auto.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..models.calibration import widening_without_each

Array = NDArray[np.float64]

#: Root mean square of the standardised residuals of a blend whose intervals hold. It is below one,
#: because a mixture has heavier tails than a normal distribution.
USUAL_SIZE = 0.86
#: So many points' worth is known beforehand.
PRIOR_POINTS = 8.0
#: With n points the factor beforehand is 1 + FEW / n: few points tell little about widths.
FEW = 0.5
#: The factor never leaves this range.
LEAST, MOST = 0.7, 2.0


def spread_factor(
    z: Array, size: float = USUAL_SIZE, points: float = PRIOR_POINTS, few: float = FEW
) -> float:
    """Factor of a blend's standard deviations, from its standardised held-out residuals.

    Parameters
    ----------
    z : array of shape (n,)
        NaN where nothing was predicted.
    size, points, few : float
        As the constants of this module.

    Examples
    --------
    >>> import numpy as np
    >>> round(spread_factor(np.full(30, 0.6)), 2)  # residuals are smaller than promised
    0.78
    >>> round(spread_factor(np.full(30, 1.2)), 2)  # and larger
    1.32
    """
    z = z[np.isfinite(z)]
    n = len(z)
    before = 1.0 + few / n if n else 1.0
    squares = float(z @ z) / size**2 + points * before**2
    return float(np.clip(np.sqrt(squares / (n + points)), LEAST, MOST))


def spread_without_each(z: Array, groups: NDArray[np.intp]) -> Array:
    """Factor at every point, from the residuals of all points of other groups."""
    return widening_without_each(z, groups, spread_factor)
