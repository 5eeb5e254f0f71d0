"""Are the figures in README and docs those of the recorded results?

    python perf/claims.py

A claim is a piece of text with `{}` where its numbers stand, and what they should be, computed
from docs/results/recorded.csv or from the tables of docs/performance.md. The text must be on a
page, with these numbers to the digits shown. Every decimal number and percentage of the pages in
`COVERED` must be part of a claim, or of a text in `NOT_RECORDED`. docs/results.md must be what
`mast bench report` makes of the record. Prints what is wrong and ends with 1, or prints how many
claims hold.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mastgp.bench.experiments import SYNTHETIC
from mastgp.bench.report.agreement import rank_correlation
from mastgp.bench.report.cells import Key
from mastgp.bench.report.marks import FEWEST_SEEDS
from mastgp.bench.report.recorded import read_recorded
from mastgp.bench.report.summaries import GEOMETRIC_MEAN, OVER_AUTO
from mastgp.bench.report.write import page_text

ROOT = Path(__file__).parents[1]
RECORD = "docs/results/recorded.csv"
PERFORMANCE = "docs/performance.md"
RESULTS = "docs/results.md"
NOTES = "docs/results-notes.md"

#: Pages on which every decimal number and percentage must be part of a claim.
COVERED = ("README.md", NOTES)
#: Patterns of texts on them whose numbers are of other measurements, or of the protocol.
NOT_RECORDED = (
    "95 % interval",
    "coverage of 50 % and 80 % intervals",
    r"mastgp 0\.1\.0",
    r"Python 3\.11",
    r"\(3\.28, 2\.43, .*? on the first four seeds\)",
    r"Tried without effect: .*? everywhere \(0\.95\)",
    r"taken as absolute, 0\.01 and 0\.02, as the paper prints",
)

_SMALL = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
WORDS = {word: n for n, word in enumerate((*_SMALL, "twelve"), start=1)}
NUMBER = rf"([-+]?\d[\d,]*(?:\.\d+)?|\b(?:{'|'.join(WORDS)})\b)"


class Record:
    """The recorded results, and the tables of docs/performance.md."""

    def __init__(self, root: Path) -> None:
        self.results = read_recorded(root / RECORD)
        self.performance = (root / PERFORMANCE).read_text(encoding="utf-8")

    def cell(self, experiment: str, problem: str, method: str, metric: str = "rmse") -> float:
        return self.results.cells[Key(experiment, problem, method, "", metric)].mean

    def paper(self, experiment: str, problem: str, method: str, metric: str = "rmse") -> float:
        return self.results.cells[Key(experiment, problem, method, "", metric)].paper

    def summary(self, experiment: str, what: str, method: str, metric: str = "rmse") -> float:
        return self.results.summaries[Key(experiment, what, method, "", metric)].mean

    def column(self, experiment: str, method: str, metric: str = "rmse") -> dict[str, float]:
        """A method's cells by problem."""
        where = (experiment, method, metric)
        return {
            k.problem: c.mean
            for k, c in self.results.cells.items()
            if (k.experiment, k.method, k.metric) == where and k.setting == ""
        }

    def geometric_means(self, experiment: str) -> dict[str, float]:
        """Geometric means of the RMSE ratios, best first, of methods with enough seeds."""
        enough = {
            k.method
            for k, c in self.results.cells.items()
            if k.experiment == experiment and k.metric == "rmse" and c.n >= FEWEST_SEEDS
        }
        means = {m: self.summary(experiment, GEOMETRIC_MEAN, m) for m in enough}
        return dict(sorted(means.items(), key=lambda pair: pair[1]))

    def over_best(self, experiment: str, method: str) -> dict[str, float]:
        """A method's cells over the best cells with enough seeds, on synthetic problems."""
        cells = {k: c for k, c in self.results.cells.items() if k.metric == "rmse"}
        return {
            p: self.cell(experiment, p, method)
            / min(
                c.mean
                for k, c in cells.items()
                if (k.experiment, k.problem) == (experiment, p) and c.n >= FEWEST_SEEDS
            )
            for p in SYNTHETIC
        }

    def coverage(self, experiment: str, method: str) -> float:
        """Mean coverage of 95 % intervals over the synthetic problems, in percent."""
        column = self.column(experiment, method, "coverage95")
        return 100 * float(np.mean([v for p, v in column.items() if p in SYNTHETIC]))

    def correlation(self, ablation: str):
        cells = {k: c for k, c in self.results.cells.items() if k.experiment == ablation}
        return rank_correlation(cells)

    def speed_ratios(self) -> list[float]:
        """Time of the same pipeline on BoTorch over ours, per problem."""
        row = r"^\| [a-z0-9]+ \| \d+ \|.*\| ([\d.]+) \| [\d.]+ \|$"
        return [float(ratio) for ratio in re.findall(row, self.performance, re.MULTILINE)]


@dataclass(frozen=True)
class Claim:
    """A piece of text with `{}` for numbers, and what these should be."""

    text: str
    numbers: Callable[[Record], Sequence[float]]

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(NUMBER.join(map(re.escape, self.text.split("{}"))))


TWO, THREE, EXTRA = "two-fidelity", "three-fidelity", "extra"
ABLATIONS = ("ablation-weight", "ablation-metric", "ablation-radius")


def beaten(ours: dict[str, float], theirs: dict[str, float], or_equal: bool = False) -> int:
    """On how many synthetic problems ours is the smaller."""
    return sum(ours[p] < theirs[p] or (or_equal and ours[p] == theirs[p]) for p in SYNTHETIC)


def paper_column(r: Record, experiment: str, method: str) -> dict[str, float]:
    return {p: r.paper(experiment, p, method) for p in r.column(experiment, method)}


def near_paper(r: Record, experiment: str) -> tuple[int, int]:
    """How many rows of MAST are within 0.15 of the paper's RMSE ratio, and of how many."""
    ours, theirs = r.column(experiment, "mast"), paper_column(r, experiment, "mast")
    return sum(round(abs(ours[p] - theirs[p]), 2) <= 0.15 for p in ours), len(ours)


def next_best(r: Record, experiment: str) -> str:
    """The method after auto by its geometric mean."""
    first, second, *_ = r.geometric_means(experiment)
    if first != "auto":
        raise ValueError(f"{first} has the lowest geometric mean of {experiment}, not auto")
    return second


def worse_than_auto(r: Record, experiment: str, method: str) -> float:
    """By how many percent a method's errors are larger than those of auto."""
    return 100 * (r.summary(experiment, OVER_AUTO, method) - 1)


def auto_over_alone(r: Record) -> float:
    """The largest ratio of auto's error to that of its own expensive points alone."""
    columns = [(r.column(e, "auto"), r.column(e, "hf-only")) for e in (TWO, THREE, EXTRA)]
    return max(auto[p] / alone[p] for auto, alone in columns for p in auto)


def mast_coverage(r: Record) -> tuple[float, float]:
    """Lowest and highest coverage of MAST's 95 % intervals on the paper's problems, in percent."""
    both = [*r.column(TWO, "mast", "coverage95").values()]
    both += r.column(THREE, "mast", "coverage95").values()
    return 100 * min(both), 100 * max(both)


CLAIMS = (
    Claim("about [{} times as fast as BoTorch]", lambda r: [geometric(r.speed_ratios())]),
    Claim("Geometric mean of the ratios: **{}**", lambda r: [geometric(r.speed_ratios())]),
    Claim("hold [{} to {} % of the test points]", mast_coverage),
    Claim("hold {} to {} % of the test points of the paper's problems", mast_coverage),
    Claim(
        "on {} of the ten synthetic two-fidelity problems",
        lambda r: [beaten(r.column(TWO, "ar1"), paper_column(r, TWO, "mast"))],
    ),
    Claim(
        "{} on Borehole where ours has {}",
        lambda r: [r.paper(TWO, "borehole", "ar1"), r.cell(TWO, "borehole", "ar1")],
    ),
    Claim(
        "at least as accurate as the paper's on {} of ten two-fidelity rows",
        lambda r: [beaten(r.column(TWO, "ar1"), paper_column(r, TWO, "ar1"), or_equal=True)],
    ),
    Claim(
        "({} against {}, standard error {})",
        lambda r: [
            r.cell(TWO, "hartmann6", "ar1"),
            r.paper(TWO, "hartmann6", "ar1"),
            r.results.cells[Key(TWO, "hartmann6", "ar1", "", "rmse")].std / 5,
        ],
    ),
    Claim(
        "{} with two fidelities, {} with three and {} on the `extra` problems",
        lambda r: [r.geometric_means(e)["auto"] for e in (TWO, THREE, EXTRA)],
    ),
    Claim(
        "co-kriging with two and three fidelities ({} and {}) and FIRE on `extra` ({})",
        lambda r: [r.geometric_means(e)[next_best(r, e)] for e in (TWO, THREE, EXTRA)],
    ),
    Claim(
        "these are worse than `auto` by {} %, {} % and {} %",
        lambda r: [worse_than_auto(r, e, next_best(r, e)) for e in (TWO, THREE, EXTRA)],
    ),
    Claim(
        "BoTorch's, is worse by {} % with two fidelities and by {} % with three",
        lambda r: [worse_than_auto(r, e, "botorch") for e in (TWO, THREE)],
    ),
    Claim(
        "within 5 % of the best on {} of ten synthetic rows with two fidelities and on {} of ten",
        lambda r: [sum(v <= 1.05 for v in r.over_best(e, "auto").values()) for e in (TWO, THREE)],
    ),
    Claim(
        "Park1 with two fidelities ({} %)",
        lambda r: [100 * (r.over_best(TWO, "auto")["park1"] - 1)],
    ),
    Claim("its error is at most {} times that GP's", lambda r: [auto_over_alone(r)]),
    Claim(
        "hold {} % of the test points with two fidelities and {} % with three",
        lambda r: [r.coverage(e, "ar1") for e in (TWO, THREE)],
    ),
    Claim(
        "co-kriging is sharper (geometric mean of the density ratio {} against {}), with three "
        "`auto` is ({} against {})",
        lambda r: [
            r.summary(e, GEOMETRIC_MEAN, m, "mean_pdf")
            for e in (TWO, THREE)
            for m in ("ar1", "auto")
        ],
    ),
    Claim(
        "Those of `auto` hold {} % and {} %",
        lambda r: [r.coverage(e, "auto") for e in (TWO, THREE)],
    ),
    Claim(
        "makes that worse ({} % and {} %",
        lambda r: [r.coverage(e, "auto-calibrated") for e in (TWO, THREE)],
    ),
    Claim(
        "all {} two-fidelity rows, real data included, are within 0.15",
        lambda r: near_paper(r, TWO)[:1],
    ),
    Claim("and {} of {} three-fidelity rows", lambda r: near_paper(r, THREE)),
    Claim(
        "correlate with the paper's at {} to {} (Spearman)",
        lambda r: [f(r.correlation(a).pooled for a in ABLATIONS) for f in (min, max)],
    ),
    Claim(
        "{} for weights, {} for metrics and {} for radii",
        lambda r: [r.correlation(a).within for a in ABLATIONS],
    ),
    Claim(
        "off by more than 0.3: ours is *better* than the paper's, {} against {}",
        lambda r: [r.cell(THREE, "borehole", "mast"), r.paper(THREE, "borehole", "mast")],
    ),
    Claim(
        "stable at {} where the paper has {} and {}",
        lambda r: [
            r.cell(TWO, "rosenbrock", "mast"),
            r.paper(TWO, "rosenbrock", "mast"),
            r.paper(THREE, "rosenbrock", "mast"),
        ],
    ),
    Claim(
        "worse than the yardstick ({}; the paper has {}), and worse than its own expensive points "
        "alone ({})",
        lambda r: [
            r.cell(THREE, "hoip", "mast"),
            r.paper(THREE, "hoip", "mast"),
            r.cell(THREE, "hoip", "hf-only"),
        ],
    ),
    Claim(
        "on Hartmann3 Reification has {} and MISO {}, where ours have {}",
        lambda r: [
            r.paper(THREE, "hartmann3", "reification"),
            r.paper(THREE, "hartmann3", "miso"),
            r.cell(THREE, "hartmann3", "miso"),
        ],
    ),
    Claim(
        "the paper's numbers come out (Borehole {}, the paper has {})",
        lambda r: [r.cell(TWO, "borehole", "miso"), r.paper(TWO, "borehole", "reification")],
    ),
)


def geometric(values: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(values))))


def value(shown: str) -> float:
    return float(WORDS.get(shown, shown.replace(",", "")))


def holds(shown: str, truth: float) -> bool:
    """Whether a number in the text is the true one, to the digits shown."""
    digits = len(shown.partition(".")[2])
    return abs(value(shown) - truth) <= 0.5 * 10.0**-digits + 1e-9


def pages(root: Path) -> dict[str, str]:
    """Text of README and docs by path, but of results.md, which is checked as a whole."""
    found = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in found}
    return {name: text for name, text in texts.items() if name != RESULTS}


def one_line(text: str) -> str:
    """Text with white space as single blanks."""
    return " ".join(text.split())


def prose(text: str) -> str:
    """Text without code, tables and targets of links, on one line."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    return one_line(re.sub(r"\]\([^)]*\)", "]", text))


def wrong_claims(texts: dict[str, str], record: Record) -> Iterator[str]:
    """Claims that no page makes, or that a page makes with another number."""
    lines = {name: one_line(text) for name, text in texts.items()}
    for claim in CLAIMS:
        found = [(name, m) for name, line in lines.items() for m in claim.pattern.finditer(line)]
        if not found:
            yield f"no page says: {claim.text!r}; mend perf/claims.py if the sentence has changed"
        truths = claim.numbers(record)
        for name, match in found:
            for shown, truth in zip(match.groups(), truths, strict=True):
                if not holds(shown, truth):
                    yield f"{name}: {match[0]!r} says {shown}, but the record has {truth:.4g}"


def unclaimed(texts: dict[str, str]) -> Iterator[str]:
    """Decimal numbers and percentages of the covered pages that no claim is about."""
    known = [claim.pattern for claim in CLAIMS] + [re.compile(text) for text in NOT_RECORDED]
    for name in COVERED:
        text = prose(texts[name])
        for pattern in known:
            text = pattern.sub(" ", text)
        for match in re.finditer(r"(?<![\w.])(\d+\.\d+|\d+ ?%)", text):
            around = text[max(0, match.start() - 40) : match.end() + 20]
            yield f"{name}: no claim is about {match[0]} in '...{around}...'"


def stale_page(root: Path, record: Record) -> Iterator[str]:
    """Whether docs/results.md is what the report makes of the record."""
    comment = (root / NOTES).read_text(encoding="utf-8")
    if page_text(record.results, comment) != (root / RESULTS).read_text(encoding="utf-8"):
        yield (
            f"{RESULTS} is not what the record gives; run mast bench report --recorded {RECORD} "
            f"--page {RESULTS} --comment {NOTES}"
        )


def check(root: Path = ROOT) -> list[str]:
    """Everything that is wrong, in sentences."""
    record, texts = Record(root), pages(root)
    return [*wrong_claims(texts, record), *unclaimed(texts), *stale_page(root, record)]


def main() -> None:
    wrong = check()
    print("\n".join(wrong) or f"{len(CLAIMS)} claims hold.")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
