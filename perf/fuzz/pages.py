"""Odd models in report pages: each opens without complaint, or is refused by a clear error.

    python perf/fuzz/pages.py --number 300 --seed 0

Names, units, levels, sizes and missing parts vary. Every page is opened in Chromium, offline: it
must run its scripts without a message on the console, and the live value must be the model's own.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from browser import Opened, chromium
from mastgp import MAST, MastError
from mastgp.models.cokriging import CoKriging
from mastgp.models.single import SingleFidelity
from mastgp.output.report.facts import Advice
from mastgp.output.report.page import write_page

NAMES = (
    "<script>alert(1)</script>",
    "a\"b'c",
    "</script>",
    "${x}",
    "{{x}}",
    "ünïcödé ☃",
    "a" * 200,
    " ",
    "__proto__",
    "constructor",
    "\u202eevil",
    "tab\there",
    "&lt;b&gt;",
    "x\u2028y",
    "0",
    "toString",
)
UNITS = (None, "m/s²", "<b>", "%", "kg·m²/(s³·A)" * 4, "'", "\\")


def odd_model(rng: np.random.Generator):
    """A small model whose names, sizes and scales are odd."""
    d, n_cheap, n_dear = rng.integers(1, 6), rng.integers(0, 25), rng.integers(1, 12)
    names = [f"{rng.choice(NAMES)}{i}" if rng.random() < 0.7 else f"x{i}" for i in range(d)]
    scale = 10.0 ** rng.integers(-8, 9, d)
    X = pd.DataFrame(rng.random((n_cheap + n_dear, d)) * scale, columns=names)
    y = np.sin(3 * X.iloc[:, 0] / scale[0]) * 10.0 ** rng.integers(-9, 10) + rng.integers(-3, 4)
    if rng.random() < 0.1:
        y = y * 0.0 + 1.0
    if rng.random() < 0.2:
        X[names[0]] = X.iloc[0, 0]
    kinds = {}
    if rng.random() < 0.4:
        levels = [f"L{rng.choice(NAMES)}{i}" for i in range(rng.integers(1, 7))]
        X["level"] = [levels[i % len(levels)] for i in range(len(X))]
        kinds = {"categorical": ["level"]}
    labels = np.repeat(["<cheap>", "</dear>"], [n_cheap, n_dear])
    order = ["<cheap>", "</dear>"] if n_cheap else None
    builders = (MAST, SingleFidelity, lambda order: CoKriging(order=order, inference="map"))
    model = builders[rng.integers(3)](order=order)
    model.fit(X, pd.Series(y, name=str(rng.choice(NAMES))), fidelity=labels, **kinds)
    units = {name: unit for name in X if (unit := UNITS[rng.integers(len(UNITS))])}
    model.training_data_ = replace(model.training_data_, units=units)
    return model, X


def outcome(browser, path: Path, rng: np.random.Generator) -> str:
    """What became of one odd model."""
    try:
        model, X = odd_model(rng)
        write_page([(str(rng.choice(NAMES)), model)], path, advice={"": Advice()})
    except MastError as error:
        return f"refused: {str(error)[:60]}"
    with Opened(browser, path, int(rng.choice([360, 800, 1600]))) as opened:
        x = X.iloc[:2]
        found = np.array(opened.predict([list(row) for row in x.itertuples(index=False)]))
        if opened.complaints:
            return f"BROKEN: {opened.complaints[0][:100]}"
        if opened.overflow > 0:
            return f"BROKEN: {opened.overflow} pixels too wide"
    mean = model.predict(x)
    close = np.allclose(
        found[:, 0], mean, rtol=1e-6, atol=1e-6 * np.ptp(model.training_data_.top.y)
    )
    return "opened" if close else f"BROKEN: {found[:, 0]} instead of {mean}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=100)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    counts: Counter[str] = Counter()
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        for number in range(options.number):
            seed = options.seed + number
            try:
                found = outcome(browser, Path(folder, "page.html"), np.random.default_rng(seed))
            except Exception as error:  # whatever it is, it is a finding
                found = f"BROKEN: {type(error).__name__}: {str(error)[:150]}"
            if found.startswith("BROKEN"):
                print(f"seed {seed}: {found}", flush=True)
            counts[found.split(":")[0]] += 1
    print(dict(counts))
    sys.exit(any(name == "BROKEN" for name in counts))


if __name__ == "__main__":
    main()
