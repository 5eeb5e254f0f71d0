"""How Sphinx builds the site: ``make docs``."""

from __future__ import annotations

import logging
import os
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import mastgp  # noqa: E402

project = "mastgp"
version = release = mastgp.__version__
language = "en"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "myst_nb",
    "commands",
    "models",
]
# The notes are part of results.md and searches.md.
exclude_patterns = ["_build", "results-notes.md", "searches-notes.md"]
default_role = "literal"
# Docstrings name types by their last names, and there are two kinds of Normal.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = f"mastgp {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Tutorials are executed at every build; a cell that fails or complains fails the build.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_output_stderr = "remove-warn"
nb_merge_streams = True
logging.getLogger("traitlets").setLevel(logging.WARNING)

autosummary_generate = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
ALIASES = ("Array", "ArrayLike", "Bounds", "Choice", "Metric", "Radius", "Weight")
autodoc_type_aliases = {name: name for name in ALIASES}
python_maximum_signature_line_length = 78
python_display_short_literal_types = True
napoleon_google_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_use_rtype = False

# The tutorials call ``mast``: the one of the environment that builds the site.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
os.environ.update(TERM="dumb", NO_COLOR="1", COLUMNS="88")


def _load_lazy_names() -> None:
    """Names that packages import when they are first used: autodoc sees what is there."""
    for room in ("", ".surrogates", ".models", ".baselines", ".bench"):
        module = import_module(f"mastgp{room}")
        for public in getattr(module, "__all__", ()):
            setattr(module, public, getattr(module, public))


_load_lazy_names()
