"""What the API reference does beyond autodoc.

- ``estimators`` documents the class of every registered method of a package, so that a method that
  joins the registry joins the reference.
- The methods that all models share are documented once, with their base class. Each model's entry
  names them and links to them. Autodoc would repeat them for every model or leave them out.
- What a model overrides for its base class (``fit_unit`` and the like) is for authors of methods.
  It is explained once, with the base class.
- An attribute's first line is a sentence, also where it has a colon. Napoleon would take what
  stands before the colon for a type.
- Methods that scikit-learn adds to every estimator (``set_fit_request``) are left out.
- A page outside the reference that links to a name which is not there draws a warning. Docstrings
  may name what is not public.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.ext.napoleon.docstring import NumpyDocstring
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.inspect import TypeAliasForwardRef
from sphinx.util.nodes import nested_parse_with_titles

from mastgp.methods import METHODS
from mastgp.models.estimator import MultiFidelityRegressor as Base

BASE = f"{Base.__module__}.{Base.__qualname__}"
LOGGER = logging.getLogger(__name__)
#: Members of the base class that users call. The others are for authors of methods.
FOR_USERS = (
    "fit",
    "predict",
    "predict_interval",
    "predict_quantile",
    "predict_distribution",
    "predict_gradient",
    "sample_y",
    "score",
    "save",
    "load",
)
FOR_AUTHORS = {name for name in vars(Base) if not name.startswith("_")} - {*FOR_USERS, "noise_var_"}


class Estimators(SphinxDirective):
    """``.. estimators:: mastgp.models``: a section for each class of the package's methods.

    Classes that have a section of their own are named in the option ``except``.
    """

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"except": str.split}

    def run(self) -> list[nodes.Node]:
        """Write the sections as a page would, and have them parsed."""
        lines = []
        for module, kind in self._classes():
            lines += [
                kind,
                "-" * len(kind),
                "",
                f".. autoclass:: {module}.{kind}",
                "   :members:",
                "",
            ]
        parent = nodes.section()
        parent.document = self.state.document
        nested_parse_with_titles(self.state, StringList(lines, source="registry"), parent)
        return parent.children

    def _classes(self) -> list[tuple[str, str]]:
        """Module and name of each class, in the registry's order."""
        found = dict.fromkeys(method.path.partition(":")[::2] for method in METHODS.values())
        package, others = f"{self.arguments[0]}.", self.options.get("except", [])
        return [(m, kind) for m, kind in found if m.startswith(package) and kind not in others]


def inherited(model: type) -> list[str]:
    """What users call of the base, and a model does not define itself."""
    return [name for name in FOR_USERS if name not in vars(model)]


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


def skip(app: Sphinx, what: str, name: str, obj: Any, skipped: bool, options: Any) -> bool | None:
    """Leave out what scikit-learn adds and what is for authors; autodoc decides about the rest."""
    here = app.env.current_document.docname
    hook = here in ("api/models", "api/baselines") and name in FOR_AUTHORS
    return True if hook or is_request(name) else None


def warn_of_missing(app: Sphinx, env: Any, node: Any, contnode: nodes.Node) -> None:
    """Complain of a dead link to a Python name, unless a docstring has it."""
    if node.get("refdomain") == "py" and not node["refdoc"].startswith("api/"):
        LOGGER.warning("there is no %s in the reference", node["reftarget"], location=node)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to autodoc and to Sphinx's links."""
    # An alias that is part of another type would be shown as TypeAliasForwardRef('Array').
    TypeAliasForwardRef.__repr__ = lambda alias: alias.name
    NumpyDocstring._parse_attribute_docstring = lambda docstring: []
    app.add_directive("estimators", Estimators)
    app.connect("autodoc-process-docstring", add_inherited)
    app.connect("autodoc-skip-member", skip)
    app.connect("missing-reference", warn_of_missing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
