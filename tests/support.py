"""What tests share besides fixtures."""

from __future__ import annotations

COSTS = {"coarse": 1.0, "fine": 10.0}
