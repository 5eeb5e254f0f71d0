"""``mast fit``: read the files, fit a model to them, save it, and say what it is worth.

The options come first, each with its help text; then the command; then its steps, in the order
in which the command takes them.
"""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import clusters
from ..errors import DataError
from ..progress import progress
from . import terminal
from .files import check_output, files_of
from .reporting import check_all, facts_of, print_fitted, remember_command, timed
from .terminal import AsJson, Scheduler

if TYPE_CHECKING:
    from collections.abc import Container

    from ..data.arrays import Table
    from ..models.estimator import MultiFidelityRegressor
    from .reporting import Model

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="One file or folder per fidelity (or NAME=FILE, NAME=FILE,FILE, 'NAME=*.parquet'): "
        "text, .xlsx (or FILE.xlsx:SHEET), .parquet, .feather; - for standard input.",
    ),
]
Target = Annotated[
    list[str],
    typer.Option(
        metavar="COLUMN",
        help="Column of the response, or several as cl,cd; low=LF,high=HF where each fidelity has "
        "one of its own.",
    ),
]
Cost = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE", help="Cost of one evaluation, as fine=10; once per fidelity."
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Fidelities from cheap to expensive, as coarse,fine, instead of costs.",
    ),
]
Output = Annotated[
    str, typer.Option("-o", "--output", metavar="FILE", help="Where to write the model.")
]
FidelityColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Column that names each row's fidelity, for one long file."
    ),
]
Inputs = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="Input columns, as mach,alpha; all others by default."),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Column to leave out; may be repeated."),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="Inputs whose values are labels, as layers,material. Text columns are by themselves.",
    ),
]
Numeric = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="Inputs that are numbers, whatever they look like."),
]
Integer = Annotated[
    list[str] | None, typer.Option(metavar="COLUMNS", help="Inputs that are whole numbers.")
]
Log = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TARGETS",
        help="Positive targets whose logarithms are modelled, as cd; never predicted negative.",
    ),
]
Bounded = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=LOW:HIGH",
        help="Targets between two bounds that they never reach, as efficiency=0:1.",
    ),
]
LogInput = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="Positive inputs over decades, as frequency."),
]
Bounds = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=LOW:HIGH", help="Range of an input, as mach=0.5:0.9; the data's by default."
    ),
]
Exponent = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE", help="With mast: trust exponent of a fidelity, as coarse=0.5."
    ),
]
NoiseStd = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE", help="Known noise standard deviation of a fidelity, as fine=0.1."
    ),
]
NoiseColumn = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column of known noise standard deviations."),
]
Method = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Name of a method: auto tries and blends several, mast is the paper's; "
        "'mast methods' lists all.",
    ),
]
Metric = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="With mast: distance between cheap and expensive points, euclidean (default), "
        "manhattan, chebyshev, mahalanobis, normalized-euclidean, domain-relative or hamming.",
    ),
]
Radius = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="With mast: radius of the trust region, sqrt (default), linear, cbrt, nearest or "
        "global.",
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="With mast: weight of expensive neighbours, power (default), exponential, gaussian, "
        "inverse, triangular, linear, steep-power, rbf or hf-only.",
    ),
]
Kernel = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Kernel of the GPs, of methods other than auto: rbf (default) or matern52.",
    ),
]
Surrogate = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="With mast: what its stages are made of, gp (default), extra-trees, tabpfn ...",
    ),
]
Warp = Annotated[
    bool | None,
    typer.Option(help="Warp the inputs, with mast and ar1 (their default)."),
]
Drop = Annotated[
    bool | None,
    typer.Option("--drop", help="With auto: leave out cheap fidelities that hurt."),
]
Calibrate = Annotated[
    bool | None,
    typer.Option("--calibrate", help="Widen intervals that held-out points show too narrow."),
]
NoTransform = Annotated[
    bool,
    typer.Option("--no-transform", help="With auto: try no logarithm or power of the target."),
]
Seed = Annotated[
    int | None,
    typer.Option(help="Random state, for methods that draw random numbers.", min=0, max=2**32 - 1),
]
SkipMissing = Annotated[
    bool, typer.Option("--skip-missing", help="Leave out rows with empty cells, and say how many.")
]
Check = Annotated[bool, typer.Option(help="Check the model on held-out points and print a table.")]


def fit(
    files: Files,
    target: Target,
    cost: Cost = None,
    order: Order = None,
    output: Output = "model.mast",
    fidelity_column: FidelityColumn = None,
    inputs: Inputs = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    numeric: Numeric = None,
    integer: Integer = None,
    log: Log = None,
    bounded: Bounded = None,
    log_input: LogInput = None,
    bounds: Bounds = None,
    exponent: Exponent = None,
    noise_std: NoiseStd = None,
    noise_column: NoiseColumn = None,
    method: Method = "auto",
    metric: Metric = None,
    radius: Radius = None,
    weight: Weight = None,
    kernel: Kernel = None,
    surrogate: Surrogate = None,
    warp: Warp = None,
    drop: Drop = None,
    calibrate: Calibrate = None,
    no_transform: NoTransform = False,
    seed: Seed = None,
    skip_missing: SkipMissing = False,
    check: Check = True,
    scheduler: Scheduler = None,
    as_json: AsJson = False,
) -> None:
    """Fit a surrogate to files of several fidelities and save it."""
    kinds = KindOptions(categorical, numeric, integer, log_input)
    columns = ColumnOptions(
        target, fidelity_column, inputs, ignore, noise_column, skip_missing, kinds
    )
    data = DataOptions(cost, order, noise_std, bounds, seed)
    options = ModelOptions(
        exponent,
        metric,
        radius,
        weight,
        kernel,
        surrogate,
        warp,
        drop,
        calibrate,
        transform=False if no_transform else None,
    )
    check_output(output, inputs=files_of(files))
    check_checkpoint(surrogate)
    unfitted = build(method, options, data)
    limits = terminal.ranges(bounded, "--bounded", "efficiency=0:1")
    with clusters.scheduler(scheduler):
        table = read(files, columns)
        model, fitting = timed(lambda: train(unfitted, table, terminal.all_names(log), limits))
    remember_command(model)
    model.save(output)
    checks, checking = timed(lambda: check_all(model) if check else {})
    if check:
        model.save(output)  # now with the check, which nobody need repeat
    if as_json:
        facts = facts_of(model, checks)
        terminal.print_json({**facts, "output": output, "seconds": fitting})
    else:
        print_fitted(model, checks, fitting, checking, output)


@dataclass(frozen=True)
class KindOptions:
    """Which inputs are of which kind, as the user typed it."""

    categorical: list[str] | None = None
    numeric: list[str] | None = None
    integer: list[str] | None = None
    log_inputs: list[str] | None = None


@dataclass(frozen=True)
class ColumnOptions:
    """Which columns of the files are what, as the user typed it."""

    target: list[str]
    fidelity_column: str | None
    inputs: list[str] | None
    ignore: list[str] | None
    noise_column: str | None
    skip_missing: bool = False
    kinds: KindOptions = field(default_factory=KindOptions)


@dataclass(frozen=True)
class DataOptions:
    """What the user says of the fidelities and inputs; every method takes these."""

    cost: list[str] | None
    order: str | None
    noise_std: list[str] | None
    bounds: list[str] | None
    seed: int | None

    def parameters(self) -> dict[str, Any]:
        """The same as parameters of an estimator."""
        return {
            "costs": terminal.numbers(self.cost, "--cost") or None,
            "order": terminal.names(self.order),
            "noise_std": terminal.numbers(self.noise_std, "--noise-std") or None,
            "bounds": terminal.ranges(self.bounds) or None,
            "random_state": self.seed,
        }


@dataclass(frozen=True)
class ModelOptions:
    """Options that some methods have and others have not; None where one was not given."""

    exponent: list[str] | None
    metric: str | None
    radius: str | None
    weight: str | None
    kernel: str | None
    surrogate: str | None
    warp: bool | None
    drop: bool | None
    calibrate: bool | None
    transform: bool | None = None

    def parameters(self) -> dict[str, Any]:
        """Those that were given, as parameters of an estimator."""
        exponents = terminal.numbers(self.exponent, "--exponent") or None
        named = {"exponents": exponents, **asdict(self)}
        del named["exponent"]
        given = {name: value for name, value in named.items() if value is not None}
        if "warp" in given:
            given["warp"] = "kumaraswamy" if given["warp"] else None
        return given


def check_checkpoint(surrogate: str | None) -> None:
    """Say that a learner's checkpoint is missing before anything that takes a second to load."""
    from ..surrogates.checkpoints import CHECKPOINTS, check_ready

    if surrogate in CHECKPOINTS:
        check_ready(CHECKPOINTS[surrogate])


def read(files: list[str], columns: ColumnOptions) -> Table:
    """Read the files into one table."""
    from ..data.categories import Kinds
    from ..data.tables import training_table

    with terminal.notes(), progress():
        return training_table(
            files,
            terminal.target(columns.target),
            fidelity_column=columns.fidelity_column,
            inputs=terminal.all_names(columns.inputs) or None,
            ignore=terminal.all_names(columns.ignore),
            noise_column=columns.noise_column,
            skip_missing=columns.skip_missing,
            kinds=Kinds(*(terminal.all_names(names) for names in astuple(columns.kinds))),
        )


def build(method: str, options: ModelOptions, data: DataOptions) -> MultiFidelityRegressor:
    """Build an estimator of the named method that can be saved; it is not fitted yet."""
    from ..methods import method as find_method
    from ..storage.model_file import check_can_be_saved

    _check_has_files(method)
    given = options.parameters()
    model = find_method(method).build(**data.parameters())
    known = model.get_params(deep=False)
    given = _with_kernel_in_surrogate(given, known)
    _refuse_unknown(method, given, known)
    model.set_params(**given)
    check_can_be_saved(model)
    return model


def _check_has_files(method: str) -> None:
    """Refuse a method whose models cannot be saved, and say how to use it."""
    from ..methods import METHODS

    if method in METHODS and METHODS[method].python_only:
        raise DataError(
            f"models of method {method!r} cannot be written to a file; use it in Python: "
            f"mastgp.fit(tables, costs=costs, method={method!r})"
        )


def _with_kernel_in_surrogate(given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Hand the kernel to the stages' GP, for methods whose kernel is their surrogate's."""
    if "kernel" not in given or "kernel" in known or "surrogate" not in known:
        return given
    from ..surrogates import GP

    if (chosen := given.get("surrogate", known["surrogate"])) != "gp":
        raise DataError(f"--kernel is of GPs; surrogate {chosen!r} has none")
    others = {name: value for name, value in given.items() if name != "kernel"}
    return {**others, "surrogate": GP(kernel=given["kernel"])}


def _refuse_unknown(method: str, given: dict[str, Any], known: Container[str]) -> None:
    """Name an option that the method does not have."""
    for option in given:
        if option not in known:
            spelt = {"exponents": "exponent", "warp": "warp or --no-warp"}
            shown = {**spelt, "transform": "no-transform"}.get(option, option)
            raise DataError(
                f"method {method!r} has no option --{shown}; add --method {_method_with(option)}"
            )


def _method_with(option: str) -> str:
    """The method of ours that has an option, or the methods; MAST comes before its variants."""
    from ..methods import names_with

    if option == "kernel":
        return "mast or --method ar1"  # MAST's is its surrogate's
    names = names_with(option)
    return "mast" if "mast" in names else names[0]


def train(
    model: MultiFidelityRegressor,
    table: Table,
    log: list[str],
    bounded: dict[str, tuple[float, float]],
) -> Model:
    """Fit the model to one target or to several."""
    from ..models.targets import fit_targets

    with terminal.notes(), progress():
        return fit_targets(model, table, log, bounded)
