"""Our models in BoTorch: ``mastgp.botorch.as_model(model)``. Needs the extra ``botorch``."""

from __future__ import annotations

from .next.bridge import as_model

__all__ = ["as_model"]
