"""Commands with options and files as people mistype them; what is read is never written."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys

from cases import Defect, chosen, quiet

from mastgp import examples
from mastgp.cli.main import main

OPTIONS = {
    "--cost": ("panel=1", "cfd=20", "panel=1,cfd=20", "panel", "=", "cfd=abc", "cfd=0", "cfd=nan"),
    "--order": ("panel,cfd", "cfd,panel", "", ",", "x,y"),
    "--target": ("drag_counts", "mach", "nothing", ""),
    "--inputs": ("mach,alpha_deg", "mach", "nothing", ","),
    "--ignore": ("mach", "nothing", "drag_counts"),
    "--bounds": ("mach=0:1", "mach=1:0", "mach", "mach=a:b", "mach=nan:1"),
    "--method": ("mast", "hf-only", "recursive", "miso", "masst", "", "mf-dgp"),
    "--noise-std": ("cfd=0.1", "cfd=-1", "cfd"),
    "--kernel": ("rbf", "matern52", "cubic"),
    "--seed": ("0", "-1", "x", "99999999999"),
    "--fidelity-column": ("mach", "nothing"),
    "--metric": ("manhattan", "nothing"),
}
FLAGS = ("--json", "--no-check", "--warp", "--no-warp", "--drop", "--nonsense")
PLACES = (
    "panel.csv", "cfd.csv", "queries.csv", "wing.mast", "out.mast", "out.csv", "out.png",
    "link.csv", "hard.csv", "run=3/cfd.csv", "cfd=cfd.csv", "cfd=run=3/cfd.csv", "no/where.csv",
    "folder", "",
    "./panel.csv", "empty.csv", "dangling.csv", "-", "Größe.csv",
)  # fmt: skip


def prepare(folder):
    """The bundled example in a folder of its own, with a model, links and odd names."""
    place = folder / "work"
    _build(place)
    arguments = ["fit", "panel.csv", "cfd.csv", "--target", "drag_counts", "--no-check"]
    code, _, err = run([*arguments, "--cost", "panel=1,cfd=20", "-o", "wing.mast"])
    if code:
        raise Defect(f"the example cannot be fitted: {err}")
    model = (place / "wing.mast").read_bytes()
    return place, model, _contents(place)


def _build(place, model=None):
    shutil.rmtree(place, ignore_errors=True)
    (place / "run=3").mkdir(parents=True)
    (place / "folder").mkdir()
    for name in ("panel", "cfd", "queries"):
        shutil.copy(examples.FOLDER / f"{name}.csv", place)
    shutil.copy(place / "cfd.csv", place / "run=3")
    shutil.copy(place / "panel.csv", place / "Größe.csv")
    (place / "empty.csv").write_text("")
    (place / "link.csv").symlink_to("cfd.csv")
    (place / "hard.csv").hardlink_to(place / "panel.csv")
    (place / "dangling.csv").symlink_to("nowhere.csv")
    if model is not None:
        (place / "wing.mast").write_bytes(model)
    os.chdir(place)


def _contents(place):
    return {str(path): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def case(rng, context):
    place, model, before = context
    arguments = chosen(rng, (_fit, _fit, _predict, _show, _plot))(rng)
    read = _files_to_read(arguments)
    identities = {path: os.stat(path).st_ino for path in before}
    code, _, err = run(arguments)
    after = _contents(place)
    changed = [path for path in before if after.get(path) != before[path]]
    lost = [path for path in changed if identities[path] in read]
    if after != before:
        _build(place, model)
    problem = _problem(code, err) or (lost and f"{lost[0]} was read and overwritten")
    if problem:
        raise Defect(f"{problem}: mast {' '.join(map(repr, arguments))}")
    return "done" if code == 0 else f"refused, exit code {code}"


def _files_to_read(arguments):
    """Identities of the files that a command may read, by every reading of its arguments."""
    readings = [arguments[1], arguments[2] if len(arguments) > 2 else ""]
    readings += [reading.partition("=")[2] for reading in readings]
    return {os.stat(path).st_ino for path in readings if path and os.path.exists(path)}


def _fit(rng):
    files = [chosen(rng, PLACES) for _ in range(int(rng.integers(1, 3)))]
    if rng.random() < 0.6:
        files = ["panel.csv", chosen(rng, ("cfd.csv", "run=3/cfd.csv", "cfd=link.csv"))]
    arguments = ["fit", *files, "--target", "drag_counts", "--cost", "panel=1,cfd=20"]
    for option in rng.choice(list(OPTIONS), int(rng.integers(0, 3)), replace=False):
        arguments += [str(option), chosen(rng, OPTIONS[option])]
    arguments += ["--no-check"] if rng.random() < 0.9 else []
    arguments += [chosen(rng, FLAGS)] if rng.random() < 0.3 else []
    return [*arguments, *_output(rng, 0.9)]


def _output(rng, share):
    return ["-o", chosen(rng, PLACES)] if rng.random() < share else ["-o", "out.mast"]


def _predict(rng):
    model = "wing.mast" if rng.random() < 0.7 else chosen(rng, PLACES)
    queries = "queries.csv" if rng.random() < 0.5 else chosen(rng, PLACES)
    flags = [chosen(rng, ("--json", "--include-noise", "--nonsense"))] if rng.random() < 0.3 else []
    return ["predict", model, queries, *flags, *(_output(rng, 1.0) if rng.random() < 0.8 else [])]


def _show(rng):
    return ["show", "wing.mast" if rng.random() < 0.5 else chosen(rng, PLACES)]


def _plot(rng):
    kind = ["--kind", chosen(rng, ("slices", "trust", "nothing"))]
    return ["plot", "wing.mast" if rng.random() < 0.5 else chosen(rng, PLACES), *kind,
            *_output(rng, 0.7)]  # fmt: skip


def run(arguments):
    """Run a command in this process: exit code, standard output, standard error."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    before = sys.argv
    sys.argv = ["mast", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), quiet():
            main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    finally:
        sys.argv = before
    return code, out.getvalue(), err.getvalue()


def _problem(code, err):
    if code == 70 or "Traceback" in err:
        return f"it broke ({err.strip()[-300:]})"
    if code and not err.strip():
        return f"it failed with {code} and said nothing"
    return None
