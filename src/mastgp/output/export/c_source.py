"""A model's predictor in C99, without any dependency: one source file and its header."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...gp.responses import Bounded, Logarithm
from ...models.estimator import MultiFidelityRegressor
from .predictor import predictor_document

Array = NDArray[np.float64]

#: Numbers on one line.
_PER_LINE = 4
#: What stages are told of those below them, by the numbers that the C code knows.
_COLUMNS = ("mean", "std", "variance", "low", "high")
#: Arrays of a process that differ between models in size only.
_ARRAYS = ("X", "y", "groups", "noise", "weights", "loadings", "lengthscales", "noises", "means")
#: Arrays that only some processes have.
_FURTHER = ("solved", "known", "slopes", "corrections", "factor_vars")
#: Kernels by the numbers that the C code knows.
_KERNELS = ("rbf", "matern52", "constant")

_TYPES = """\
enum { POWER, LOGARITHM, BOUNDED };

typedef struct {
    int form;
    double largest, power, centre, scale;
    int n_nodes;
    const double *nodes, *node_weights;
} response;

typedef struct {
    int column, levels, dims;
    const double *positions, *apart;
} category;

typedef struct {
    int n, d, k, c, g, group, first, n_categories;
    double y_mean, y_scale, extra;
    const int *kernels;
    const double *X, *y, *groups, *noise, *weights, *loadings, *lengthscales, *noises, *means;
    const double *warps, *solved, *known, *slopes, *corrections, *factor_vars;
    const category *categories;
} process;

enum { RBF, MATERN52, CONSTANT };
enum { PROCESS, LEVELS, STAGES, FUSED, TRANSFORMED, DILATED, BLEND };

typedef struct node {
    int kind, count, n_columns, adds_means, adds_variances;
    double factor;
    const struct node *const *of;
    const process *process;
    const double *numbers;
    const int *columns;
    const response *response;
} node;

typedef struct {
    double low, high;
    int is_log;
} input;
"""


def c_identifier(name: str) -> str:
    """A name that C accepts, made of any text.

    >>> c_identifier("wing 2.mast"), c_identifier("2nd"), c_identifier("")
    ('wing_2_mast', 'm_2nd', 'model')
    """
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if not plain.strip("_"):
        return "model"
    return plain if plain[0].isalpha() else f"m_{plain}"


def c_text(text: str) -> str:
    r"""A string literal of any text: everything but plain letters is escaped.

    >>> print(c_text('a "b"'))
    "a\040\042b\042"
    """
    return '"' + "".join(map(_escaped, text.encode())) + '"'


def _escaped(byte: int) -> str:
    letter = chr(byte)
    return letter if letter.isascii() and letter.isalnum() else f"\\{byte:03o}"


def c_number(value: float) -> str:
    """A double, exactly.

    >>> c_number(0.5), c_number(float("nan"))
    ('0x1.0000000000000p-1', 'NAN')
    """
    return float(value).hex() if math.isfinite(value) else "NAN"


class _Writer:
    """Declarations of a predictor's parts, in the order in which C needs them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.responses: list[tuple[dict[str, Any], str]] = []
        self.processes: list[str] = []
        self.n_draws = self.most_points = self.most_inputs = 0
        self._names = 0

    def _name(self, kind: str) -> str:
        self._names += 1
        return f"{kind}{self._names}"

    def numbers(self, values: Array | Iterable[float]) -> str:
        """Declare an array of doubles; an empty one is a null pointer."""
        shown = [c_number(value) for value in np.ravel(np.asarray(values, dtype=float))]
        if not shown:
            return "NULL"
        rows = [", ".join(shown[i : i + _PER_LINE]) for i in range(0, len(shown), _PER_LINE)]
        return self._declare("double", "a", ",\n    ".join(rows))

    def _declare(self, kind: str, prefix: str, content: str) -> str:
        name = self._name(prefix)
        self.lines.append(f"static const {kind} {name}[] = {{\n    {content}\n}};")
        return name

    def process(self, node: dict[str, Any]) -> str:
        """Declare a process; the name of its node."""
        (n, d), (k, g) = node["X"].shape, node["means"].shape
        kernels = ", ".join(str(_KERNELS.index(name)) for name in node["kernels"])
        fields = [
            f"{n}, {d}, {k}, {len(node['kernels'])}, {g}, {node['group']}, {self.n_draws}",
            f"{len(node['categories'])}",
            *(c_number(node.get(name, 0.0)) for name in ("y_mean", "y_scale", "extra")),
            self._declare("int", "k", kernels),
            *(self.numbers(node.get(name, [])) for name in (*_ARRAYS, "warps", *_FURTHER)),
            self._categories(node["categories"]),
        ]
        self.n_draws += k
        self.most_points, self.most_inputs = max(self.most_points, n), max(self.most_inputs, d)
        name = self._name("p")
        self.lines.append(f"static const process {name} = {{\n    {', '.join(fields)}\n}};")
        self.processes.append(name)
        return self._node("PROCESS", process=f"&{name}")

    def _categories(self, categories: list[dict[str, Any]]) -> str:
        if not categories:
            return "NULL"
        rows = []
        for own in categories:
            _, levels, dims = own["positions"].shape
            at, apart = self.numbers(own["positions"]), self.numbers(own["apart"])
            rows.append(f"{{{own['column']}, {levels}, {dims}, {at}, {apart}}}")
        return self._declare("category", "c", ", ".join(rows))

    def node(self, node: dict[str, Any]) -> str:
        """Declare a node of any kind and all below it; its name."""
        writers = {
            "process": self.process,
            "inducing": self.process,
            "levels": self._levels,
            "stages": self._stages,
            "fused": self._fused,
            "transformed": self._transformed,
            "dilated": self._dilated,
            "blend": self._blend,
        }
        return writers[node["kind"]](node)

    def _levels(self, node: dict[str, Any]) -> str:
        of = [self.process(level) for level in (*node["below"], node["of"])]
        return self._node("LEVELS", of, numbers=self.numbers(node["factors"]))

    def _stages(self, node: dict[str, Any]) -> str:
        of = [self.process(stage) for stage in node["stages"]]
        scalings = [np.concatenate([entry["low"], entry["span"]]) for entry in node["appended"]]
        columns = ", ".join(str(_COLUMNS.index(name)) for name in node["columns"])
        return self._node(
            "STAGES",
            of,
            n_columns=len(node["columns"]),
            adds_means=int(node["adds_means"]),
            adds_variances=int(node["adds_variances"]),
            factor=c_number(node["reach"]),
            numbers=self.numbers(np.concatenate(scalings) if scalings else []),
            columns=self._declare("int", "k", columns),
        )

    def _fused(self, node: dict[str, Any]) -> str:
        of = [self.process(member) for member in node["members"]]
        return self._node("FUSED", of, numbers=self.numbers(node["floors"]))

    def _transformed(self, node: dict[str, Any]) -> str:
        response = f"responses + {self._response(node['response'])}"
        return self._node("TRANSFORMED", [self.node(node["of"])], response=response)

    def _dilated(self, node: dict[str, Any]) -> str:
        return self._node("DILATED", [self.node(node["of"])], factor=c_number(node["factor"]))

    def _blend(self, node: dict[str, Any]) -> str:
        of = [self.node(member) for member in node["members"]]
        return self._node("BLEND", of, numbers=self.numbers(node["shares"]))

    def _node(self, kind: str, of: list[str] | None = None, **fields: Any) -> str:
        if of:
            name = self._name("n")
            listed = ", ".join(f"&{entry}" for entry in of)
            self.lines.append(f"static const node *const {name}[] = {{{listed}}};")
            fields |= {"count": len(of), "of": name}
        own = self._name("t")
        shown = "".join(f", .{key} = {value}" for key, value in fields.items())
        self.lines.append(f"static const node {own} = {{.kind = {kind}{shown}}};")
        return own

    def _response(self, response: dict[str, Any]) -> int:
        """Number of a transformation; equal ones are the same."""
        known = [{k: v for k, v in r.items() if k not in _QUADRATURE} for r, _ in self.responses]
        own = {k: v for k, v in response.items() if k not in _QUADRATURE}
        if own not in known:
            known.append(own)
            nodes = response.get("nodes", np.empty(0))
            form, shape = _form_of(response)
            fields = [
                form,
                *(c_number(value) for value in (response["largest"], *shape)),
                str(len(nodes)),
                self.numbers(nodes),
                self.numbers(response.get("node_weights", np.empty(0))),
            ]
            self.responses.append((response, f"{{{', '.join(fields)}}}"))
        return known.index(own)


def _form_of(response: dict[str, Any]) -> tuple[str, tuple[float, float, float]]:
    """What the C code calls a transformation; its power, centre and scale as far as it has them."""
    if response["kind"] == Logarithm.kind:
        return "LOGARITHM", (0.0, 0.0, 0.0)
    if response["kind"] == Bounded.kind:
        return "BOUNDED", (0.0, response["low"], response["high"] - response["low"])
    return "POWER", (response["power"], response["centre"], response["scale"])


#: What follows from the rest of a transformation.
_QUADRATURE = ("nodes", "node_weights")


def c_source(model: MultiFidelityRegressor, name: str) -> tuple[str, str]:
    """Source and header of a predictor.

    Parameters
    ----------
    model : fitted estimator
    name : str
        What files and functions are called; anything that C does not accept is replaced.
    """
    return c_files(predictor_document(model), c_identifier(name))


def c_files(document: dict[str, Any], name: str) -> tuple[str, str]:
    """The same from a predictor's document; the name is one that C accepts."""
    writer = _Writer()
    root = writer.node(document["predictor"])
    core = (files(__package__) / "assets" / "predictor.c").read_text(encoding="utf-8")
    parts = [
        f"/* Written by {document['made_by']}. See {name}.h for how to use it. C99. */",
        f'#include "{name}.h"\n#include <math.h>\n#include <stdlib.h>\n',
        _TYPES,
        _constants(writer, document),
        *_declared(writer),
        core,
        _FUNCTIONS.replace("NAME", name).replace("ROOT", root),
    ]
    return "\n".join(parts), _header(document, name)


def _declared(writer: _Writer) -> list[str]:
    """All declarations; those that refer to transformations come after them."""
    arrays = [line for line in writer.lines if not line.startswith("static const node")]
    nodes = [line for line in writer.lines if line.startswith("static const node")]
    shown = [text for _, text in writer.responses] or ["{0}"]
    responses = f"static const response responses[] = {{{', '.join(shown)}}};"
    processes = ", ".join(f"&{name}" for name in writer.processes)
    table = f"static const process *const processes[] = {{{processes}}};"
    return [*arrays, responses, *nodes, table]


def _constants(writer: _Writer, document: dict[str, Any]) -> str:
    """Sizes, and how inputs are scaled."""
    rows = ",\n    ".join(
        f"{{{c_number(own['low'])}, {c_number(own['high'])}, {int(own.get('log', False))}}}"
        for own in document["inputs"]
    )
    return "\n".join(
        [
            f"#define N_INPUTS {len(document['inputs'])}",
            f"#define N_RESPONSES {len(writer.responses)}",
            f"#define N_PROCESSES {len(writer.processes)}",
            f"#define N_DRAWS {writer.n_draws}",
            f"#define MAX_POINTS {writer.most_points}",
            f"#define MAX_INPUTS {writer.most_inputs}",
            f"#define CALIBRATION {c_number(document['calibration'])}",
            f"static const input inputs[] = {{\n    {rows}\n}};",
        ]
    )


def _header(document: dict[str, Any], name: str) -> str:
    names = ", ".join(c_text(own["name"]) for own in document["inputs"])
    levels = [
        f"static const char *const {name}_levels{i}[] = "
        f"{{{', '.join(c_text(level) for level in own['levels'])}}};"
        for i, own in enumerate(document["inputs"])
        if "levels" in own
    ]
    unused = " ".join(f"(void){name}_levels{i};" for i, own in _with_levels(document))
    text = _HEADER.replace("NAMES", names).replace("TARGET", c_text(document["target"]["name"]))
    text = text.replace("COUNT", str(len(document["inputs"])))
    text = text.replace("LEVELS", "\n".join(["", *levels]) if levels else "")
    return text.replace("UNUSED", unused).replace("NAME", name)


def _with_levels(document: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    return [(i, own) for i, own in enumerate(document["inputs"]) if "levels" in own]


_HEADER = """\
#ifndef NAME_h
#define NAME_h

/* Names of the inputs, in the order in which NAME_predict takes them. A categorical input is the
   number of its level, counted from zero. */
enum { NAME_n_inputs = COUNT };
static const char *const NAME_inputs[] = {NAMES};
static const char *const NAME_target = TARGET;LEVELS

/* Call this once before anything else; 0 means that all is well. */
int NAME_prepare(void);

/* Mean, standard deviation and ends of the 95 % interval of the response at the inputs x. Results
   that are not wanted may be null pointers. 0 means that all is well. Several threads may call it
   at the same time. */
int NAME_predict(const double *x, double *mean, double *std, double *low, double *high);

/* Gives the memory back. */
void NAME_free(void);

/* Names that a program does not use are no reason to warn. */
static inline void NAME_names_may_be_unused(void)
{
    (void)NAME_inputs; (void)NAME_target; UNUSED
}

#endif
"""

_FUNCTIONS = """
/* ------------------------------------------------------------------ what others call */

void NAME_free(void)
{
    for (int i = 0; draws && i < N_DRAWS; i++) {
        free(draws[i].Z);
        free(draws[i].L);
        free(draws[i].alpha);
    }
    free(draws);
    draws = NULL;
}

int NAME_prepare(void)
{
    if (draws)
        return 0;
    draws = calloc(N_DRAWS, sizeof(prepared));
    for (int i = 0; draws && i < N_PROCESSES; i++)
        for (int k = 0; k < processes[i]->k; k++)
            if (prepare_draw(processes[i], k, draws + processes[i]->first + k)) {
                NAME_free();
                return 1;
            }
    return draws == NULL;
}

int NAME_predict(const double *x, double *mean, double *std, double *low, double *high)
{
    double u[N_INPUTS], first, second;
    workspace work;
    if (!draws)
        return 1;
    work.members = malloc(sizeof(member) * N_DRAWS);
    work.cross = malloc(sizeof(double) * MAX_POINTS);
    work.inputs = malloc(sizeof(double) * 2 * MAX_INPUTS);
    int failed = !work.members || !work.cross || !work.inputs;
    if (!failed) {
        for (int i = 0; i < N_INPUTS; i++)
            u[i] = to_unit(inputs + i, x[i]);
        int count = evaluate(&ROOT, u, work.members, &work);
        moments(work.members, count, &first, &second);
        if (mean)
            *mean = first;
        if (std)
            *std = CALIBRATION * sqrt(second);
        if (CALIBRATION != 1.0)
            dilate(work.members, count, CALIBRATION);
        if (low)
            *low = quantile(work.members, count, 0.025, -1.959963984540054);
        if (high)
            *high = quantile(work.members, count, 0.975, 1.959963984540054);
    }
    free(work.members);
    free(work.cross);
    free(work.inputs);
    return failed;
}
"""
