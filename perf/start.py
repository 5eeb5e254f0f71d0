"""How long imports and commands take to start, beside the libraries they are built on.

Every statement runs in a fresh process, in turn with the others; the best of a few runs counts,
because anything else that the machine does only adds to it.

    python perf/start.py --repeats 8
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mastgp import examples

IMPORTS = (
    "import numpy, pandas",
    "import sklearn.gaussian_process",
    "import mastgp",
    "from mastgp import MAST",
    "from mastgp import AutoSurrogate",
    "import mastgp.cli.main",
)
COMMANDS = ("--version", "--help", "fit --help", "methods", "bench list")


def seconds(arguments: list[str]) -> float:
    """Seconds that a fresh Python takes with these arguments."""
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def prediction(folder: str) -> list[str]:
    """Arguments that predict 20 rows with a saved model, which is made now."""
    files = [str(examples.FOLDER / f"{name}.csv") for name in examples.COSTS]
    costs = ",".join(f"{name}={cost:g}" for name, cost in examples.COSTS.items())
    model = str(Path(folder) / "wing.mast")
    fit = ["fit", *files, "--target", examples.TARGET, "--cost", costs, "--no-check", "-o", model]
    subprocess.run([sys.executable, "-m", "mastgp", *fit], stdout=subprocess.DEVNULL, check=True)
    return ["-m", "mastgp", "predict", model, str(examples.FOLDER / "queries.csv")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=8, help="runs of each, the best counts")
    repeats = parser.parse_args().repeats
    runs = {"python, nothing else": ["-c", ""]}
    runs |= {statement: ["-c", statement] for statement in IMPORTS}
    runs |= {f"mast {command}": ["-m", "mastgp", *command.split()] for command in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        runs["mast predict, 20 rows"] = prediction(folder)
        best = dict.fromkeys(runs, float("inf"))
        for _ in range(repeats):
            for name, arguments in runs.items():
                best[name] = min(best[name], seconds(arguments))
    for name, value in best.items():
        print(f"{name:34s} {1000 * value:6.0f} ms")


if __name__ == "__main__":
    main()
