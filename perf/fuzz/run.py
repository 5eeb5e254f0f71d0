"""Run the fuzzers for some time and count what came of it: ``make fuzz``.

Every case is a right answer or an error of ours. Anything else is a defect: another exception, an
answer that is wrong, a case that takes more than a minute, or more than 2 GB of memory. Each defect
is printed with the command that repeats it. Seeds are drawn anew unless one is given.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import resource
import secrets
import sys
import tempfile
import time
import traceback
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from cases import generator

#: The fuzzers, with their shares of the cases.
FUZZERS = {
    "api": 4,
    "tables": 12,
    "model_files": 8,
    "study_files": 4,
    "command_line": 2,
    "kills": 1,
}
SLOWEST_SECONDS = 60.0
#: A case of kills starts whole programs, and now and then a benchmark to its end.
SLOWEST = {"kills": 600.0}
MOST_KILOBYTES = 2 * 1024**2
MOST_DEFECTS_SHOWN = 20


def work(name: str, seed: int, channel: Connection) -> None:
    """Do one fuzzer's cases as they are asked for, in a process of its own."""
    fuzzer = importlib.import_module(name)
    with tempfile.TemporaryDirectory(prefix="mastgp-fuzz-") as folder:
        context = fuzzer.prepare(Path(folder))
        channel.send(("ready", ""))
        while (index := channel.recv()) is not None:
            try:
                outcome = fuzzer.case(generator(name, seed, index), context)
                defect = ""
            except Exception:
                outcome, defect = "DEFECT", traceback.format_exc(limit=-6)
            if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > MOST_KILOBYTES:
                outcome, defect = "DEFECT", "more than 2 GB of memory"
            channel.send((outcome, defect))


class Worker:
    """A process that does cases of one fuzzer; it is started anew after a case that hangs."""

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.seed, self.index = name, seed, 0
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.channel, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(self.name, self.seed, theirs))
        self.process.start()
        theirs.close()
        self._answer(10 * SLOWEST_SECONDS)

    def _answer(self, seconds: float) -> tuple[str, str]:
        try:
            if self.channel.poll(seconds):
                return self.channel.recv()
        except EOFError:
            return "DEFECT", f"the process died ({self.process.exitcode})"
        return "DEFECT", f"no answer after {seconds:g} s"

    def case(self, index: int) -> tuple[str, str]:
        """Do a case: its outcome, and what went wrong."""
        self.channel.send(index)
        outcome, defect = self._answer(SLOWEST.get(self.name, SLOWEST_SECONDS))
        if defect.startswith(("no answer", "the process died", "more than 2 GB")):
            self.process.kill()
            self.process.join()
            self._start()
        return outcome, defect

    def stop(self) -> None:
        """End the process."""
        self.channel.send(None)
        self.process.join(SLOWEST_SECONDS)
        self.process.kill()


def turns(names: list[str], weights: dict[str, int]) -> list[str]:
    """One round of all fuzzers, each as often as its weight says."""
    return [name for name in names for _ in range(weights[name])]


def fuzz(names: list[str], seed: int, cases: int | None, minutes: float) -> Counter[str]:
    """Do cases until their number or the time is reached; print and count what came of them."""
    workers = {name: Worker(name, seed) for name in names}
    counts: Counter[str] = Counter()
    ends, done = time.monotonic() + 60.0 * minutes, 0
    try:
        while (cases is None or done < cases) and time.monotonic() < ends:
            for name in turns(names, FUZZERS):
                if (cases is not None and done >= cases) or time.monotonic() >= ends:
                    break
                worker = workers[name]
                outcome, defect = worker.case(worker.index)
                counts[f"{name}: {outcome}"] += 1
                if defect and counts["shown"] < MOST_DEFECTS_SHOWN:
                    counts["shown"] += 1
                    print(f"\nDEFECT in case {worker.index} of {name}, repeat it with\n  python "
                          f"perf/fuzz/run.py --only {name} --seed {seed} --case {worker.index}\n"
                          f"{defect}", flush=True)  # fmt: skip
                worker.index += 1
                done += 1
    finally:
        for worker in workers.values():
            worker.stop()
    del counts["shown"]
    return counts


def one_case(name: str, seed: int, index: int) -> None:
    """Repeat a case in this process, with its whole traceback."""
    fuzzer = importlib.import_module(name)
    with tempfile.TemporaryDirectory(prefix="mastgp-fuzz-") as folder:
        context = fuzzer.prepare(Path(folder))
        print(fuzzer.case(generator(name, seed, index), context))


def report(counts: Counter[str], seed: int, seconds: float) -> int:
    """Print the counts by outcome; return the number of defects."""
    print(f"\n{counts.total()} cases in {seconds:.0f} s, seed {seed}:")
    for outcome, count in sorted(counts.items()):
        print(f"  {count:6d}  {outcome}")
    defects = sum(count for outcome, count in counts.items() if outcome.endswith("DEFECT"))
    print(f"{defects} defects")
    return defects


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--cases", type=int, help="stop after so many cases")
    parser.add_argument("--seed", type=int, help="default: a new one")
    parser.add_argument("--only", help=f"some of {','.join(FUZZERS)}")
    parser.add_argument("--case", type=int, help="repeat this case of the one fuzzer in --only")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(FUZZERS)
    if unknown := set(names) - set(FUZZERS):
        parser.error(f"unknown fuzzers: {', '.join(sorted(unknown))}")
    seed = secrets.randbits(32) if options.seed is None else options.seed
    if options.case is not None:
        one_case(names[0], seed, options.case)
        return
    started = time.monotonic()
    counts = fuzz(names, seed, options.cases, options.minutes)
    sys.exit(1 if report(counts, seed, time.monotonic() - started) else 0)


if __name__ == "__main__":
    main()
