"""How long imports and commands take to start, beside the libraries they are built on.

Every statement runs in a fresh process, in turn with the others. Processor time counts, the best
of a few runs, because anything else that the machine does only adds to it. Byte code is kept from
the first run on, as it is wherever packages are installed.

    python perf/start.py --repeats 8
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from mastgp import examples

IMPORTS = (
    "import numpy, pandas",
    "import numpy, pandas, scipy.special, scipy.linalg, typer, rich.console, pydantic",
    "import sklearn.gaussian_process",
    "import mastgp",
    "from mastgp import MAST",
    "from mastgp import AutoSurrogate",
    "import mastgp.cli.main",
)
METHODS = ("auto", "ar1", "mast")
COMMANDS = ("--version", "--help", "fit --help", "methods", "bench list")


def seconds(arguments: list[str], environment: dict[str, str]) -> float:
    """Seconds of processor time that a fresh Python takes with these arguments."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True, env=environment
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def with_byte_code(folder: str) -> dict[str, str]:
    """The environment, with byte code in a folder of its own."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": folder}


def prediction(folder: str, method: str) -> list[str]:
    """Arguments that predict 20 rows with a saved model, which is made now."""
    files = [str(examples.FOLDER / f"{name}.csv") for name in examples.COSTS]
    costs = ",".join(f"{name}={cost:g}" for name, cost in examples.COSTS.items())
    model = str(Path(folder) / f"{method}.mast")
    fit = ["fit", *files, "--target", examples.TARGET, "--cost", costs, "--method", method]
    command = [sys.executable, "-m", "mastgp", *fit, "--no-check", "-o", model]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return ["-m", "mastgp", "predict", model, str(examples.FOLDER / "queries.csv")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=8, help="runs of each, the best counts")
    repeats = parser.parse_args().repeats
    runs = {"python, nothing else": ["-c", ""]}
    runs |= {statement: ["-c", statement] for statement in IMPORTS}
    runs |= {f"mast {command}": ["-m", "mastgp", *command.split()] for command in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        runs |= {f"mast predict, 20 rows, {m}": prediction(folder, m) for m in METHODS}
        environment = with_byte_code(folder)
        best = dict.fromkeys(runs, float("inf"))
        for _ in range(repeats):
            for name, arguments in runs.items():
                best[name] = min(best[name], seconds(arguments, environment))
    for name, value in best.items():
        print(f"{name[:40]:40s} {1000 * value:6.0f} ms, {value / best[IMPORTS[0]]:5.2f} times")


if __name__ == "__main__":
    main()
