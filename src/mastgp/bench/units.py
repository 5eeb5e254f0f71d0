"""Units of work: one method on one draw of one problem in one setting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .experiments import BASELINE, Experiment
from .protocol import TEST_SIZE
from .searches import Search
from .version import code_of, code_version, version_of

Record = dict[str, Any]


@dataclass(frozen=True)
class Unit:
    """The smallest piece of work: one method on one draw of one problem in one setting."""

    experiment: str
    problem: str
    method: str
    seed: int
    setting: str = ""
    test_size: int = TEST_SIZE

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Unit:
        """The unit that a stored result is of."""
        return cls(**{name: record[name] for name in cls.__dataclass_fields__})

    def record(self, **outcome: Any) -> Record:
        """What is stored of this unit: its names, the version of the code, and its outcome."""
        return {**asdict(self), "version": code_version(self.method), **outcome}


def searches_of(
    chosen: Search,
    *,
    methods: Sequence[str],
    problems: Iterable[str],
    seeds: Iterable[int],
    test_size: int = TEST_SIZE,
) -> list[Unit]:
    """All units of a search experiment: whole searches, without a yardstick.

    Parameters
    ----------
    chosen : Search
    methods : sequence of str
        Names of strategies.
    problems : iterable of str
    seeds : iterable of int
    test_size : int
        Points on which accuracy is measured.
    """
    where = [(problem, name) for problem in problems for name in methods]
    return [Unit(chosen.name, p, m, seed, "", test_size) for seed in seeds for p, m in where]


def latest(records: Iterable[Mapping[str, Any]]) -> dict[Unit, Mapping[str, Any]]:
    """The last result of every unit; a failure does not replace an earlier success."""
    found: dict[Unit, Mapping[str, Any]] = {}
    for record in records:
        unit = Unit.of(record)
        if unit not in found or record["status"] == "ok" or found[unit]["status"] != "ok":
            found[unit] = record
    return found


def still_valid(records: Iterable[Mapping[str, Any]]) -> dict[Unit, Mapping[str, Any]]:
    """Results of units that the code of today would compute again: its sources are the same."""
    return {
        unit: record
        for unit, record in latest(records).items()
        if code_of(version_of(record)) == code_of(code_version(unit.method))
    }


def units_of(
    chosen: Experiment,
    *,
    methods: Sequence[str],
    problems: Iterable[str],
    seeds: int | Iterable[int],
    test_size: int = TEST_SIZE,
) -> list[Unit]:
    """All units of an experiment, the yardstick's first for every draw.

    Parameters
    ----------
    chosen : Experiment
    methods, problems : sequences of str
    seeds : int or iterable of int
        A number of seeds, which are counted from zero, or the seeds themselves.
    test_size : int
        Test points of synthetic problems.

    Examples
    --------
    >>> from mastgp.bench.experiments import experiment
    >>> two = experiment("two-fidelity")
    >>> len(units_of(two, methods=["mast"], problems=["branin"], seeds=range(25, 50)))
    50
    """
    problems = list(problems)
    units: dict[Unit, None] = {}
    for seed in range(seeds) if isinstance(seeds, int) else seeds:
        for name in problems:
            for setting in chosen.settings_of(name):
                where = (chosen.name, name)
                yardstick = chosen.baseline_setting(setting)
                units[Unit(*where, BASELINE, seed, yardstick, test_size)] = None
                for method in methods:
                    units[Unit(*where, method, seed, setting, test_size)] = None
    return list(units)
