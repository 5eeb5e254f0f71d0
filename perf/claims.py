"""Are the figures in README and docs those of the recorded results?

    python perf/claims.py

A claim is a piece of text with `{}` where its numbers stand, and what they should be, computed
from docs/results/recorded.csv or from tables of other pages. The text must be on a page, with these
numbers to the digits shown. Every decimal number and percentage in the prose of a page of `COVERED`
must be part of a claim, or of a text in `NOT_RECORDED`. docs/results.md must be what `mast bench
report` makes of the record. Prints what is wrong and ends with 1, or prints how many claims hold.
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

AUTO_NOTES = "docs/notes/auto.md"
DRAWS_NOTES = "docs/notes/cokriging.md"

#: Pages, and beginnings of their paths, on which every decimal number and percentage of the prose
#: must be part of a claim.
COVERED = ("README.md", NOTES, "docs/benchmarks.md", "docs/guide/", "docs/notes/")
#: Patterns of texts, by page, whose numbers are of other measurements, of the protocol, or
#: properties of the methods. Those of "" may be on any page.
NOT_RECORDED = {
    "": (
        "95 % interval",
        r"mastgp 0\.1\.0",
        r"Python 3\.11",
        r"BoTorch 0\.18",
        "10 % and 90 % quantiles",
    ),
    NOTES: (
        "coverage of 50 % and 80 % intervals",
        r"\(3\.28, 2\.43, .*? on the first four seeds\)",
        r"Tried without effect: .*? everywhere \(0\.95\)",
        r"taken as absolute, 0\.01 and 0\.02, as the paper prints",
    ),
    "docs/benchmarks.md": (
        r"two fidelities ⌈0\.7 B⌉ and 3 B points, three ⌈0\.5 B⌉, 1\.5 B",
        r"correlation 0\.86 instead of 0\.71",
        r"\+0\.34 for the middle one and −0\.56",
    ),
    "docs/guide/auto.md": ("a 90 % interval", r"of power\s+0\.5 or 1\.5, 0 or 2"),
    "docs/guide/checking.md": ("A difference of 10 or 20 % means nothing",),
    "docs/guide/intervals.md": (
        r"a probability of 2\.5 %",
        "should hold 95 % of new results",
        r"minus 1\.96 standard deviations",
    ),
    AUTO_NOTES: (
        r"the error with two fidelities was 2 % larger",
        r"on Hartmann3 the power 0 has a larger density than 0\.5",
        r"the RMSE changed by these factors: .*? by up to 0\.6",
        r"left out and\s+kept: Branin .*? 2\.50",
        r"intervals that promise 0\.95, 0\.8 and 0\.5",
        r"The factor stays between 0\.7 and 2",
        r"Nowhere is the error larger than \d\.\d+ times that of a GP",
        r"0\.3 was chosen for its coverage",
        "well below 1 % of the target",
        "50, 80 and 95 % intervals",
        r"a standard deviation of 0\.5/√n of the log ratio",
        r"a standard deviation of about 0\.8/√n",
    ),
    "docs/notes/baselines.md": (
        r"0\.01 for the cheapest fidelity, 0\.001 for the most",
        r"With standardised units they do not \(3\.5\)",
        r"levels as 0\.5 to 1",
        r"its RMSE is 0\.03, where linear co-kriging has 0\.4 to 0\.5",
        r"the error is 0\.11 of the truth.*? has 0\.91",
    ),
    "docs/notes/categories.md": (
        r"has 0\.058 instead of 0\.079 on the same seeds",
        r"\+0\.34 \(middle\) and −0\.56 \(cheapest\)",
    ),
    DRAWS_NOTES: (
        r"a standard deviation of 0\.2",
        r"Cauchy\(1, 0\.2\)",
        r"Between 0\.1 and 0\.3 the differences",
        r"Pareto shape is at most 0\.7",
        r"log mean is 1\.5 less",
        r"The draws take 0\.39 s for `ar1` and 0\.08 s",
    ),
    "docs/notes/engine.md": (r"comes within 0\.3 of an optimum",),
}

_SMALL = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
WORDS = {word: n for n, word in enumerate((*_SMALL, "twelve"), start=1)}
NUMBER = rf"([-+]?\d[\d,]*(?:\.\d+)?|\b(?:{'|'.join(WORDS)})\b)"


class Record:
    """The recorded results, and the tables of other pages."""

    def __init__(self, root: Path) -> None:
        self.root = root
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

    def row(self, page: str, label: str) -> list[float]:
        """Numbers in a row of a table on a page, without its first cell, which is `label`."""
        text = (self.root / page).read_text(encoding="utf-8").replace("−", "-")
        (rest,) = re.findall(rf"^\| {re.escape(label)} \|(.*)$", text, re.MULTILINE)
        return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", rest)]

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


def without_fire(r: Record) -> list[float]:
    """RMSE ratios on `extra` of the rule and without FIRE, and the same with two and three."""
    rule = r.row(AUTO_NOTES, "**errors by 0.3, posterior by 0.05: the rule**")[::3]
    less = r.row(AUTO_NOTES, "… all without fire")[::3]
    return [number for pair in zip(rule, less, strict=True) for number in pair]


def gain_of_draws(r: Record) -> list[float]:
    """Coverage of `ar1` at the optimum and with draws, and by how many percent RMSE falls."""
    optimum = r.row(DRAWS_NOTES, "optimum, with its own priors")
    draws = r.row(DRAWS_NOTES, "the same, as the method does it")
    return [optimum[3], draws[3], 100 * (1 - draws[0])]


def calibrated_mast(r: Record) -> list[float]:
    """Coverage of MAST's 95 % intervals as they are and calibrated."""
    return r.row(AUTO_NOTES, "mean of MAST, as it is and calibrated")[4:6]


CLAIMS = (
    Claim(
        "95 % intervals of MAST hold {} of the test points without and {} with calibration",
        calibrated_mast,
    ),
    Claim("about [{} times as fast as BoTorch]", lambda r: [geometric(r.speed_ratios())]),
    Claim("Geometric mean of the ratios: **{}**", lambda r: [geometric(r.speed_ratios())]),
    Claim("hold [{} to {} % of the test points]", mast_coverage),
    Claim(
        "hold {} of the test points at the optimum and {} with draws, at an RMSE that is {} % "
        "smaller",
        gain_of_draws,
    ),
    Claim(
        "the RMSE ratio on `extra` rises from {} to {}. With two and three fidelities of the "
        "paper's problems it makes no difference ({} and {}, {} and {})",
        without_fire,
    ),
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
        "density ratio with two fidelities is {} for co-kriging and {} for `auto`, and with three "
        "{} for co-kriging and {} for `auto`",
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
    """Text without blocks of code, tables and targets of links, on one line."""
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
    for name in texts:
        if name.startswith(COVERED):
            text = unexplained(name, prose(texts[name]))
            for match in re.finditer(r"(?<![\w.])(\d+\.\d+|\d+ ?%)", text):
                around = text[max(0, match.start() - 40) : match.end() + 20]
                yield f"{name}: no claim is about {match[0]} in '...{around}...'"


def unexplained(name: str, text: str) -> str:
    """A page's text without claims, exceptions and code."""
    exceptions = (*NOT_RECORDED[""], *NOT_RECORDED.get(name, ()))
    for pattern in [*(claim.pattern for claim in CLAIMS), *map(re.compile, exceptions)]:
        text = pattern.sub(" ", text)
    return re.sub(r"`[^`]*`", "", text)


def unused_exceptions(texts: dict[str, str]) -> Iterator[str]:
    """Exceptions that their page does not need any more."""
    for name, patterns in NOT_RECORDED.items():
        text = prose(texts[name]) if name else " ".join(map(prose, texts.values()))
        for pattern in patterns:
            if not re.search(pattern, text):
                yield f"{name or 'no page'} has no {pattern!r} any more; mend perf/claims.py"


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
    return [
        *wrong_claims(texts, record),
        *unclaimed(texts),
        *unused_exceptions(texts),
        *stale_page(root, record),
    ]


def main() -> None:
    wrong = check()
    print("\n".join(wrong) or f"{len(CLAIMS)} claims hold.")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
