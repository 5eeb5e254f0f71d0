"""Does an installed package do its main job? Import, fit, predict, save, load, report.

    python perf/smoke.py

Run it with the Python of the environment to try. It uses the package that is installed there and
writes to a folder of its own. It needs nothing but the core.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

import mastgp


def tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """A coarse and a fine table of one function of two inputs."""
    rng = np.random.default_rng(0)
    coarse, fine = rng.random((30, 2)), rng.random((8, 2))
    return {
        "coarse": (coarse, np.sin(5 * coarse[:, 0]) + coarse[:, 1]),
        "fine": (fine, np.sin(5 * fine[:, 0]) + 0.8 * fine[:, 1]),
    }


def try_python() -> None:
    model = mastgp.fit(tables(), costs={"coarse": 1, "fine": 10}, method="ar1")
    mean, std = model.predict([[0.3, 0.5]], return_std=True)
    truth = np.sin(1.5) + 0.4
    assert abs(mean[0] - truth) < 0.2, f"predicts {mean[0]}, and {truth} is true"
    assert 0.0 < std[0] < 1.0, f"its standard deviation is {std[0]}"
    model.save("model.mast")
    assert mastgp.load("model.mast").predict([[0.3, 0.5]])[0] == mean[0]


def try_commands() -> None:
    for name, (X, y) in tables().items():
        np.savetxt(f"{name}.csv", np.column_stack([X, y]), "%.9g", ",", header="a,b,y", comments="")
    options = "--target y --cost coarse=1,fine=10 --method mast -o wing.mast"
    for arguments in (
        f"fit coarse.csv fine.csv {options}",
        "predict wing.mast fine.csv -o predictions.csv",
        "report wing.mast -o wing.html",
        "fit --help",
    ):
        command = [sys.executable, "-m", "mastgp", *arguments.split()]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert "mean" in Path("predictions.csv").read_text().splitlines()[0]
    assert Path("wing.html").stat().st_size > 10_000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try_python()
        try_commands()
        os.chdir("/")
    core = ("numpy", "scipy", "scikit-learn", "pandas", "typer", "rich", "matplotlib")
    print(f"mastgp {mastgp.__version__} works with", *(f"{name} {version(name)}" for name in core))


if __name__ == "__main__":
    main()
