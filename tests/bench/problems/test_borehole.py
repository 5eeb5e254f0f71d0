from __future__ import annotations

import numpy as np
import pytest

from mastgp.bench import problem


def test_both_versions_at_the_centre_by_hand():
    p = problem("borehole")
    rw, r, Tu, Hu, Tl, Hl, L, Kw = p.bounds.mean(axis=1)
    log = np.log(r / rw)
    by_hand = 2 * np.pi * Tu * (Hu - Hl) / (log * (1 + 2 * L * Tu / (log * rw**2 * Kw) + Tu / Tl))
    cheap = 5 * Tu * (Hu - Hl) / (log * (1.5 + 2 * L * Tu / (log * rw**2 * Kw) + Tu / Tl))
    centre = p.bounds.mean(axis=1)[None]
    assert p.evaluate(centre)[0] == pytest.approx(by_hand)
    assert p.evaluate(centre, 1.0)[0] == pytest.approx(cheap)
