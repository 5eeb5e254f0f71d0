"""What a method is, and how one is found by its name.

The list of methods is in :mod:`mastgp.registry`. Methods of other packages join it with
:func:`register`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from .errors import DataError, MastError, unknown
from .libraries import are_installed, check_installed, install_command


@dataclass(frozen=True)
class Method:
    """A method that can be fitted, benchmarked and compared.

    Attributes
    ----------
    name : str
        As in ``mast fit --method``.
    path : str
        Module and class of its estimator, as ``mastgp.models.mast:MAST``. It is imported when the
        method is used.
    about : str
        What it is, in a few words.
    use_when : str
        When to choose it, in a few words.
    options : mapping
        Options of the estimator that make this method of it.
    paper_name : str or None
        What the paper's tables call it.
    needs : tuple of str
        Modules that must be importable.
    extra : str or None
        Extra of this package that installs them.
    checkpoint : str or None
        Learner whose checkpoint, the file of its pretrained parameters, it needs.
    checkpoint_finder : str or None
        Module and function that finds a learner's checkpoint by its name, or raises an error that
        says how to get them.
    python_only : bool
        Whether its models cannot be written to a file, so that ``mast fit`` has no use for it.
    recommended : bool
        Whether it is the one to begin with.
    """

    name: str
    path: str
    about: str
    use_when: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    paper_name: str | None = None
    needs: tuple[str, ...] = ()
    extra: str | None = None
    checkpoint: str | None = None
    checkpoint_finder: str | None = None
    python_only: bool = False
    recommended: bool = False

    @property
    def class_name(self) -> str:
        """Name of its estimator's class, which is also its name in model files."""
        return self.path.partition(":")[2]

    def load_class(self) -> Any:
        """Import its estimator's class."""
        return _named(self.path)

    def build(self, **options: Any) -> Any:
        """Make an estimator that has not been fitted, as ``build(costs=..., bounds=...)``."""
        return self.load_class()(**{**self.options, **options})

    @property
    def installed(self) -> bool:
        """Whether everything it needs can be imported."""
        return are_installed(*self.needs)

    @property
    def ready(self) -> bool:
        """Whether it can run: everything is installed, and its checkpoint is in its place."""
        try:
            self.check_ready()
        except MastError:
            return False
        return True

    def check_ready(self) -> None:
        """Raise an error that says what is missing and how to get it."""
        if self.extra is not None:
            check_installed(f"method {self.name!r}", *self.needs, extra=self.extra)
        if self.checkpoint_finder is not None:
            _named(self.checkpoint_finder)(self.checkpoint)

    @property
    def install_command(self) -> str:
        """What installs its extra."""
        return "" if self.extra is None else install_command(self.extra)


#: Every method by name, in the order of the registry.
METHODS: dict[str, Method] = {}
#: Paths of estimator classes that files may hold though they are no methods, by class name.
WRAPPERS: dict[str, str] = {}


#: Paths of classes that hold several models, by class name.
CONTAINERS: dict[str, str] = {}


def register(method: Method) -> None:
    """Add a method: it can then be fitted by name, benchmarked, and stored in files.

    Examples
    --------
    >>> from mastgp.methods import METHODS, Method, register
    >>> register(Method("toy", "my_package.toy:Toy", "predicts the mean"))
    >>> METHODS.pop("toy").class_name
    'Toy'
    """
    if method.name in METHODS:
        raise DataError(f"there is a method {method.name!r} already; choose another name")
    METHODS[method.name] = method


def method(name: str) -> Method:
    """Find a method by name; it must be installed, with its checkpoint in its place."""
    if name not in METHODS:
        raise unknown("method", name, METHODS)
    found = METHODS[name]
    found.check_ready()
    return found


def names_with(option: str) -> list[str]:
    """Names of the methods of this package whose estimators have an option."""
    own = [found for found in METHODS.values() if not found.needs]
    return [m.name for m in own if option in m.load_class()().get_params(deep=False)]


def stored_classes() -> dict[str, str]:
    """Name in model files and path of every estimator class that may be read from a file."""
    return {m.class_name: m.path for m in METHODS.values() if not m.python_only} | WRAPPERS


def stored_class(name: str) -> Any:
    """Import the estimator class that a model file names; None where it is unknown."""
    path = stored_classes().get(name)
    return None if path is None else _named(path)


def container_class(name: str) -> Any:
    """Import the class that holds the several models of a file; None where it is unknown."""
    path = CONTAINERS.get(name)
    return None if path is None else _named(path)


def method_names(model_class: type) -> Iterator[str]:
    """Names of the methods that are made of a class."""
    path = f"{model_class.__module__}:{model_class.__qualname__}"
    return (name for name, found in METHODS.items() if found.path == path)


def _named(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
