"""What the API reference does beyond autodoc.

- The methods that all models share are documented once, with their base class. Each model's entry
  names them and links to them. Autodoc would repeat them for every model or leave them out.
- Methods that scikit-learn adds to every estimator (``set_fit_request``) are left out.
- A page outside the reference that links to a name which is not there draws a warning. Docstrings
  may name what is not public.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.inspect import TypeAliasForwardRef

from mastgp.models.estimator import MultiFidelityRegressor as Base

BASE = f"{Base.__module__}.{Base.__qualname__}"
LOGGER = logging.getLogger(__name__)


def inherited(model: type) -> list[str]:
    """Public methods of the base that a model does not define itself."""
    return [
        name
        for name, value in vars(Base).items()
        if not name.startswith("_") and not is_request(name) and name not in vars(model)
        if callable(value) or isinstance(value, (classmethod, property))
    ]


def is_request(name: str) -> bool:
    """Whether scikit-learn's metadata routing has put a method there."""
    return re.fullmatch(r"set_\w+_request", name) is not None


def add_inherited(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Append links to a model's docstring."""
    if what != "class" or obj is Base or not issubclass(obj, Base):
        return
    links = ", ".join(f":meth:`~{BASE}.{method}`" for method in inherited(obj))
    lines += ["", f"*Methods of all models:* {links}, ``get_params``, ``set_params``.", ""]


def skip_requests(
    app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what scikit-learn adds; autodoc decides about the rest."""
    return True if is_request(name) else None


def warn_of_missing(app: Sphinx, env: Any, node: Any, contnode: nodes.Node) -> None:
    """Complain of a dead link to a Python name, unless a docstring has it."""
    if node.get("refdomain") == "py" and not node["refdoc"].startswith("api/"):
        LOGGER.warning("there is no %s in the reference", node["reftarget"], location=node)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to autodoc and to Sphinx's links."""
    # An alias that is part of another type would be shown as TypeAliasForwardRef('Array').
    TypeAliasForwardRef.__repr__ = lambda alias: alias.name
    app.connect("autodoc-process-docstring", add_inherited)
    app.connect("autodoc-skip-member", skip_requests)
    app.connect("missing-reference", warn_of_missing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
