"""Models of several targets."""

from __future__ import annotations

from typing import Any


def models_of(model: Any) -> dict[str, Any]:
    """The estimators of a model by the names of their targets; a model of one target is its own."""
    return {model.target_name_ or "target": model}
