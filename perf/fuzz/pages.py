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
from mastgp.data.origin import Origin, SourceFile
from mastgp.models import TransformedResponse
from mastgp.models.cokriging import CoKriging
from mastgp.models.estimator import MultiFidelityRegressor
from mastgp.models.single import SingleFidelity
from mastgp.output.report import sensitivity
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


FOREST = 0.1  # share of models that no page can compute
LARGE = 0.05  # share of models with hundreds of points


def odd_table(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series, np.ndarray, dict]:
    """Inputs, target, labels and kinds whose names, sizes and scales are odd."""
    d, n_cheap, n_dear = rng.integers(1, 6), rng.integers(0, 25), rng.integers(1, 12)
    if rng.random() < LARGE:
        d, n_cheap, n_dear = rng.integers(6, 15), 200, 60
    names = [f"{rng.choice(NAMES)}{i}" if rng.random() < 0.7 else f"x{i}" for i in range(d)]
    scale = 10.0 ** rng.integers(-8, 9, d)
    X = pd.DataFrame((0.01 + rng.random((n_cheap + n_dear, d))) * scale, columns=names)
    y = np.sin(3 * X.iloc[:, 0] / scale[0]) * 10.0 ** rng.integers(-9, 10) + rng.integers(-3, 4)
    if rng.random() < 0.1:
        y = y * 0.0 + 1.0
    kinds = {}
    if rng.random() < 0.2:
        X[names[0]] = X.iloc[0, 0]
    elif rng.random() < 0.2:
        kinds["log_inputs"] = names[:1]
    if d > 1 and rng.random() < 0.2:
        X[names[1]] = rng.integers(0, rng.integers(2, 60), len(X))
        kinds["integer"] = names[1:2]
    if rng.random() < 0.4:
        levels = [f"L{rng.choice(NAMES)}{i}" for i in range(rng.integers(1, 7))]
        X["level"] = [levels[i % len(levels)] for i in range(len(X))]
        kinds["categorical"] = ["level"]
    labels = np.repeat(["<cheap>", "</dear>"], [n_cheap, n_dear])
    return X, pd.Series(y, name=str(rng.choice(NAMES))), labels, kinds


def odd_model(rng: np.random.Generator) -> tuple[MultiFidelityRegressor, pd.DataFrame]:
    """A model of an odd table, with odd units; what is known of its origin may be missing."""
    X, y, labels, kinds = odd_table(rng)
    order = ["<cheap>", "</dear>"] if "<cheap>" in labels else None
    builders = (
        lambda: MAST(order=order),
        lambda: SingleFidelity(order=order),
        lambda: CoKriging(order=order, inference="map"),
    )
    model = builders[rng.integers(3)]()
    if rng.random() < FOREST:
        model = MAST(order=order, surrogate="extra-trees", random_state=0)
    elif (y > 0).all() and rng.random() < 0.3:
        model = TransformedResponse(model)
    model.fit(X, y, fidelity=labels, **kinds)
    units = {name: unit for name in [*X, y.name] if (unit := UNITS[rng.integers(len(UNITS))])}
    model.training_data_ = replace(model.training_data_, units=units)
    words = [str(rng.choice(NAMES)) for _ in range(3)]
    model.origin_ = (Origin(), Origin(*words[:1], words, (SourceFile(words[0]),), words))[
        rng.integers(2)
    ]
    return model, X


def outcome(browser, path: Path, rng: np.random.Generator) -> str:
    """What became of a page of one odd model, or of two."""
    try:
        made = [odd_model(rng) for _ in range(1 + (rng.random() < 0.25))]
        named = [(f"{rng.choice(NAMES)}{i}", model) for i, (model, _) in enumerate(made)]
        advice = {name: Advice(why_none=str(rng.choice(NAMES))) for name, _ in named[:1]}
        write_page(named, path, title=str(rng.choice(NAMES)), advice=advice)
    except MastError as error:
        return f"refused: {str(error)[:60]}"
    with Opened(browser, path, int(rng.choice([360, 800, 1600]))) as opened:
        wrong = [_wrong(opened, i, *own, rng) for i, own in enumerate(made)]
        if opened.complaints:
            return f"BROKEN: {opened.complaints[0][:100]}"
        if opened.overflow > 0:
            return f"BROKEN: {opened.overflow} pixels too wide"
    return next((words for words in wrong if words), "opened")


def _wrong(
    opened: Opened, entry: int, model: MultiFidelityRegressor, X: pd.DataFrame, rng
) -> str | None:
    """What a page says that its model does not, after a slider was moved."""
    if "export" not in model.abilities:
        return None
    x = X.iloc[rng.integers(0, len(X), 2)]
    rows = [list(row) for row in x.itertuples(index=False)]
    found = np.array(opened.predict(rows, entry))
    opened.page.evaluate(
        "(changes) => window.mast.move(changes)", dict(zip(X.columns, rows[0], strict=True))
    )
    opened.page.wait_for_timeout(100)
    mean = model.predict(x)
    close = np.allclose(
        found[:, 0], mean, rtol=1e-6, atol=1e-6 * np.ptp(model.training_data_.top.y)
    )
    return None if close else f"BROKEN: {found[:, 0]} instead of {mean}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=100)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sensitivity.MOST_POINTS = sensitivity.FEWEST_POINTS  # digits of indices are not looked at here
    counts: Counter[str] = Counter()
    refused: Counter[str] = Counter()
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
            if found.startswith("refused"):
                refused[found] += 1
            if number % 25 == 24:
                print(f"{number + 1}: {dict(counts)}", flush=True)
    print(dict(counts))
    for words, times in refused.most_common():
        print(f"{times:4d}  {words}")
    sys.exit(any(name == "BROKEN" for name in counts))


if __name__ == "__main__":
    main()
