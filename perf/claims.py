"""Are the figures in README and docs those of the recorded results?

    python perf/claims.py [--mend]

A claim is a piece of text with `{}` where its numbers stand, and what they should be, computed
from the record in docs/results or from tables of other pages. The text must be on a page, with
these numbers to the digits shown. Every decimal number and percentage in the prose of a page of
`COVERED` must be part of a claim, or of a text in `NOT_RECORDED`. The results pages must be what
`mast bench report` makes of the record, and the notes must name every row of MAST that is not
the paper's. Prints what is wrong and ends with 1, or prints how many claims hold. `--mend` writes
the numbers of the record into the claims, and writes the results pages anew.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mastgp.bench.experiments import SYNTHETIC
from mastgp.bench.report.agreement import differing_rows, rank_correlation
from mastgp.bench.report.cells import Key
from mastgp.bench.report.overview import Standing, standings
from mastgp.bench.report.pages import page_texts, write_pages
from mastgp.bench.report.recorded import read_recorded
from mastgp.errors import MixedVersionsWarning
from mastgp.methods import METHODS

ROOT = Path(__file__).parents[1]
#: One row per unit; and means whose units are lost.
RECORDS = ("docs/results/runs.csv.gz",)
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
        r"Python 3\.11",
        r"BoTorch 0\.18",
        "10 % and 90 % quantiles",
    ),
    "docs/notes/paper.md": (
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
    "docs/guide/targets.md": (
        r"clearly more probable \(0\.8 nats for each row\)",
        r"the mean distance of the three from 0\.95",
        r"without that 0\.57 of the rates .*? no less than 0\.23",
    ),
    "docs/guide/report.md": (r"room for 5\.5 MB of such numbers",),
    "docs/guide/studies.md": (r"for 9 to 16 % of their budgets",),
    "docs/notes/report.md": (
        r"page has 0\.24 MB with the model",
        r"1980: 0\.28 s .*? 1\.35 s to think",
    ),
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
        r"or within 0\.05 of it, on nine .*? better by 0\.1",
        r"over the draws is 0\.99 times",
        r"with eight of them the ratio is 0\.76",
        r"Against it the RMSE is .*? and 0\.12\.",
        r"its intervals hold 0\.7 to\s+0\.8 of the test points",
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
        r"a standard error of 0\.05",
        r"expensive rows alone 0\.964 .*? 1\.058",
        r"0\.0255 without, 0\.0270 with",
    ),
    DRAWS_NOTES: (
        r"a standard deviation of 0\.2",
        r"Cauchy\(1, 0\.2\)",
        r"Between 0\.1 and 0\.3 the differences",
        r"Pareto shape is at most 0\.7",
        r"log mean is 1\.5 less",
        r"The draws take 0\.39 s for `ar1` and 0\.08 s",
        r"by a factor of 0\.982, .*? by 13 %",
    ),
    "docs/guide/many-rows.md": (
        r"where these take 5 % of the error away",
        r"it would average out, and .*? held 31 %",
        r"between 0\.93 and 0\.98 everywhere",
        r"its 95 % quantile over .*? by 1\.35 at least",
        r"those of the best tool \(one draw, seed 100\) are .*? \(Levy\)",
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
        self.results = read_recorded(*(root / name for name in RECORDS))
        self._standings = {e: standings(self.results.cells, e) for e in (TWO, THREE, EXTRA)}
        self.performance = (root / PERFORMANCE).read_text(encoding="utf-8")

    def cell(self, experiment: str, problem: str, method: str, metric: str = "rmse") -> float:
        return self.results.cells[Key(experiment, problem, method, "", metric)].mean

    def paper(self, experiment: str, problem: str, method: str, metric: str = "rmse") -> float:
        return self.results.cells[Key(experiment, problem, method, "", metric)].paper

    def standings(self, experiment: str) -> dict[str, Standing]:
        return self._standings[experiment]

    def standing(self, experiment: str, method: str) -> Standing:
        return self.standings(experiment)[method]

    def column(self, experiment: str, method: str, metric: str = "rmse") -> dict[str, float]:
        """A method's cells by problem."""
        where = (experiment, method, metric)
        return {
            k.problem: c.mean
            for k, c in self.results.cells.items()
            if (k.experiment, k.method, k.metric) == where and k.setting == ""
        }

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
        fits = self.performance.partition("## Auto")[0]
        return [float(ratio) for ratio in re.findall(row, fits, re.MULTILINE)]


@dataclass(frozen=True)
class Claim:
    """A piece of text with `{}` for numbers, and what these should be."""

    text: str
    numbers: Callable[[Record], Sequence[float]]

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(NUMBER.join(map(re.escape, self.text.split("{}"))))

    @property
    def anywhere(self) -> re.Pattern[str]:
        """The same with any white space for a blank."""
        parts = [r"\s+".join(map(re.escape, p.split(" "))) for p in self.text.split("{}")]
        return re.compile(NUMBER.join(parts))


TWO, THREE, EXTRA = "two-fidelity", "three-fidelity", "extra"
ABLATIONS = ("ablation-weight", "ablation-metric", "ablation-radius")


def beaten(ours: dict[str, float], theirs: dict[str, float], or_equal: bool = False) -> int:
    """On how many synthetic problems ours is the smaller."""
    return sum(ours[p] < theirs[p] or (or_equal and ours[p] == theirs[p]) for p in SYNTHETIC)


def paper_column(r: Record, experiment: str, method: str) -> dict[str, float]:
    return {p: r.paper(experiment, p, method) for p in r.column(experiment, method)}


def near_paper(r: Record) -> tuple[int, int, int, int]:
    """Rows of MAST within 0.15 of the paper's RMSE ratio, all rows, and better and worse ones."""
    off = [
        round(ours - paper, 2)
        for e in (TWO, THREE)
        for ours, paper in zip(
            r.column(e, "mast").values(), paper_column(r, e, "mast").values(), strict=True
        )
    ]
    better, worse = sum(d < -0.15 for d in off), sum(d > 0.15 for d in off)
    return len(off) - better - worse, len(off), better, worse


def worse_than_auto(r: Record, experiment: str, method: str) -> float:
    """By how many percent a method's errors are larger than those of auto, on common seeds."""
    return 100 * (r.standing(experiment, method).rmse_over_auto - 1)


def best_of_others(r: Record, experiment: str) -> float:
    """By how many percent BoTorch's model, the best of other people's, is worse than auto."""
    known = r.standings(experiment)
    over = {m: s.rmse_over_auto for m, s in known.items() if METHODS[m].python_only}
    first = min((m for m in over if over[m] > 0), key=over.__getitem__)
    if first != "botorch":
        raise ValueError(f"{first} is the best of other people's methods in {experiment}")
    return worse_than_auto(r, experiment, "botorch")


def auto_errors(r: Record) -> list[float]:
    """RMSE ratio of auto and its standard deviation over seeds in the three experiments."""
    own = [r.standing(e, "auto") for e in (TWO, THREE, EXTRA)]
    for e in (TWO, THREE, EXTRA):
        if next(iter(r.standings(e))) != "auto":
            raise ValueError(f"auto has not the smallest error of {e}")
    return [number for s in own for number in (s.rmse, s.rmse_std)]


def auto_seeds(r: Record) -> list[int]:
    """Fewest seeds of auto on a problem of the three experiments."""
    return [min(r.standing(e, "auto").seeds[0] for e in (TWO, THREE, EXTRA))]


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
        "Its RMSE is {} ± {} times that of a GP that spends the same budget on expensive points "
        "alone with two fidelities, {} ± {} times with three, and {} ± {} times on the `extra` "
        "problems",
        auto_errors,
    ),
    Claim("(at least {} seeds per problem)", auto_seeds),
    Claim(
        "our own co-kriging, `ar1`, is worse by {} %, {} % and {} %",
        lambda r: [worse_than_auto(r, e, "ar1") for e in (TWO, THREE, EXTRA)],
    ),
    Claim(
        "the best of other people's methods, by {} % with two fidelities and {} % with three",
        lambda r: [best_of_others(r, e) for e in (TWO, THREE)],
    ),
    Claim(
        "Its 95 % intervals hold {} % of the test points with two fidelities, {} % with three and "
        "{} % on `extra`",
        lambda r: [100 * r.standing(e, "auto").coverage for e in (TWO, THREE, EXTRA)],
    ),
    Claim(
        "Those of MAST hold {} % with two fidelities",
        lambda r: [100 * r.standing(TWO, "mast").coverage],
    ),
    Claim(
        "Of the rows of its two main tables {} of {} are within 0.15 of the paper's RMSE ratio, {} "
        "are better and {} worse by more than that",
        near_paper,
    ),
    Claim(
        "`mast-raw` has {} and {} with two fidelities",
        lambda r: [r.cell(TWO, p, "mast-raw") for p in ("levy", "rosenbrock")],
    ),
    Claim(
        "beats the paper's MAST on {} of the ten synthetic two-fidelity problems",
        lambda r: [beaten(r.column(TWO, "ar1"), paper_column(r, TWO, "mast"))],
    ),
    Claim(
        "{} on Borehole where ours has {}",
        lambda r: [r.paper(TWO, "borehole", "ar1"), r.cell(TWO, "borehole", "ar1")],
    ),
    Claim(
        "correlate with the paper's at {} to {} (Spearman)",
        lambda r: [f(r.correlation(a).pooled for a in ABLATIONS) for f in (min, max)],
    ),
    Claim(
        "{} for weights, {} for metrics and {} for radii",
        lambda r: [r.correlation(a).within for a in ABLATIONS],
    ),
    Claim(
        "ours is *better* than the paper's, {} against {}",
        lambda r: [r.cell(THREE, "borehole", "mast"), r.paper(THREE, "borehole", "mast")],
    ),
    Claim(
        "MAST's ratio is {} with two fidelities where the paper has {}",
        lambda r: [r.cell(TWO, "rosenbrock", "mast"), r.paper(TWO, "rosenbrock", "mast")],
    ),
    Claim(
        "on Hartmann3 Reification has {} and MISO {}",
        lambda r: [r.paper(THREE, "hartmann3", m) for m in ("reification", "miso")],
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
    """Text of README and docs by path, but of the results pages, which are checked as a whole."""
    found = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in found}
    return {
        name: text
        for name, text in texts.items()
        if name != RESULTS and not name.startswith("docs/results/")
    }


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


def stale_pages(root: Path, record: Record) -> Iterator[str]:
    """Results pages that are not what the report makes of the record."""
    comment = (root / NOTES).read_text(encoding="utf-8")
    for name, text in page_texts(record.results, Path(RESULTS).stem, comment).items():
        path = root / Path(RESULTS).parent / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield f"docs/{name} is not what the record gives; run perf/claims.py --mend"


def unnamed_rows(texts: dict[str, str], record: Record) -> Iterator[str]:
    """Rows of MAST that are not the paper's and that the notes neither explain nor admit."""
    said = texts[NOTES].lower()
    for key, _ in differing_rows(record.results.cells):
        if key.problem not in said:
            yield f"{NOTES} does not name {key.problem}, whose row of MAST is not the paper's"


def mend(root: Path = ROOT) -> None:
    """Write the numbers of the record into the claims, and the results pages anew."""
    record, texts = Record(root), pages(root)
    for name, text in texts.items():
        mended = text
        for claim in CLAIMS:
            truths = claim.numbers(record)
            mended = claim.anywhere.sub(lambda m, t=truths: with_numbers(m, t), mended)
        if mended != text:
            (root / name).write_text(mended, encoding="utf-8")
    comment = (root / NOTES).read_text(encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MixedVersionsWarning)  # the pages say it
        write_pages(record.results, root / RESULTS, comment)


def with_numbers(match: re.Match[str], truths: Sequence[float]) -> str:
    """A claim's text with the true numbers, to the digits that were shown."""
    text, end, parts = match[0], 0, []
    for i, truth in enumerate(truths, start=1):
        shown = match[i]
        digits = len(shown.partition(".")[2])
        words = {n: word for word, n in WORDS.items()}
        is_word = shown in WORDS and round(truth) in words
        new = words[round(truth)] if is_word else f"{truth:.{digits}f}"
        start = match.start(i) - match.start()
        parts += [text[end:start], shown if holds(shown, truth) else new]
        end = match.end(i) - match.start()
    return "".join([*parts, text[end:]])


def check(root: Path = ROOT) -> list[str]:
    """Everything that is wrong, in sentences."""
    record, texts = Record(root), pages(root)
    return [
        *wrong_claims(texts, record),
        *unclaimed(texts),
        *unused_exceptions(texts),
        *unnamed_rows(texts, record),
        *stale_pages(root, record),
    ]


def main() -> None:
    if "--mend" in sys.argv[1:]:
        mend()
    wrong = check()
    print("\n".join(wrong) or f"{len(CLAIMS)} claims hold.")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
