"""Studies: ask which runs to make, tell what they found, stop and go on at any time."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DataError, unknown
from .asking import propose
from .definition import Definition, define
from .informed import informed
from .keeping import Models
from .modelling import can_be_modelled, points_frame
from .opening import (
    at_least,
    check_same,
    created,
    fidelities_of,
    options_of,
    seconds_of,
    who,
)
from .requirements import violation
from .results import Reader
from .store import ChangedError, Proposal, Store, budget_left
from .telling import check_agrees, outcome_of
from .trials import ASKED, DONE, FAILED, RUNNING, Best, Trial

if TYPE_CHECKING:
    import pandas as pd

    from .runner import Event
    from .standing import Standing

#: How often suggestions are made again because another process asked in the meantime.
_TRIES = 5


class Study:
    """A search for an optimum, or for an accurate surrogate, that pays for its runs.

    A study lives in one file. It says which runs to make (:meth:`ask`), learns what they found
    (:meth:`tell`), and can be stopped and opened again at any time, by several processes at once.

    Parameters
    ----------
    path : path
        The study's file, as ``wing.study``. A file that exists is opened; then everything else may
        be left out, and what is given must agree with the file. Only the budget may change.
    inputs : mapping of name to range, integer or levels
        ``(0.5, 0.9)``, ``mastgp.integer(2, 6)`` or ``["steel", "alu"]``.
    costs : mapping of fidelity to cost of one run
        The most expensive fidelity is the one that counts.
    target : str or sequence of str
        What a run measures. The goal is about the first.
    goal : str
        ``minimum``, ``maximum``, ``accuracy`` (a surrogate that is good everywhere) or
        ``target=VALUE`` (where the response has this value). ``minimum`` by default.
    budget : float, optional
        What all runs together may cost. Results from elsewhere cost nothing.
    constraints : sequence of str
        On inputs, as ``"mach + 0.1*span <= 1.5"``, or on targets, as ``"stress <= 250"``. A target
        that only a constraint names is one more target.
    candidates : DataFrame or path of a table, optional
        A pool: the only places that can be run. Without `inputs` its columns are the inputs. A
        column that is called like a fidelity has results that are known already.
    method : str
        Of the surrogate; ``auto`` by default, ``ar1`` is quicker.
    scouting : float
        Share of the budget that is spent, at most, to find out whether cheap fidelities help.
    random_state : int

    Examples
    --------
    >>> import mastgp, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "wing.study")
    >>> study = mastgp.Study(path, inputs={"x": (0.0, 1.0)}, costs={"coarse": 1, "fine": 10},
    ...                      target="y", goal="minimum", budget=60, method="ar1")
    >>> def simulate(x, level):
    ...     return (x - 0.3) ** 2 + (0.1 * x if level == "coarse" else 0.0)
    >>> while trials := study.ask(2):
    ...     for trial in trials:
    ...         study.tell(trial, simulate(**trial.inputs, level=trial.fidelity))
    >>> best = study.best()
    >>> bool(abs(best.inputs["x"] - 0.3) < 0.05), best.observed
    (True, True)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        inputs: Mapping[str, Any] | Sequence[str] | None = None,
        costs: Mapping[Any, float] | None = None,
        target: str | Sequence[str] | None = None,
        goal: str | None = None,
        budget: float | None = None,
        *,
        constraints: Sequence[str] | None = None,
        candidates: pd.DataFrame | str | os.PathLike[str] | None = None,
        method: str | None = None,
        scouting: float | None = None,
        random_state: int | None = None,
    ) -> None:
        self.path = Path(path)
        given: dict[str, Any] = {
            "goal": goal,
            "budget": budget,
            "constraints": constraints,
            "method": method,
            "scouting": scouting,
            "random_state": random_state,
        }
        options = {name: value for name, value in given.items() if value is not None}
        if Store.exists(path):
            self.store = Store(path)
            self._agree(inputs, costs, target, candidates, options)
        else:
            self.store = created(self.path, inputs, costs, target, candidates, options)
        self.models = Models(self.store.definition)

    def _agree(
        self, inputs: Any, costs: Any, target: Any, candidates: Any, options: dict[str, Any]
    ) -> None:
        """Refuse what contradicts the file; take over a budget that was changed."""
        known = self.definition
        if inputs is None and candidates is not None:
            inputs = known.domain.inputs
        elif inputs is not None and not isinstance(inputs, Mapping):
            inputs = {name: known.domain.inputs.get(name, (0.0, 1.0)) for name in inputs}
        wanted = define(
            known.domain.inputs if inputs is None else inputs,
            known.costs if costs is None else costs,
            known.targets if target is None else target,
            **{**options_of(known), **options},
        )
        check_same(self.path, known, wanted)
        if wanted.budget != known.budget:
            self.store.write_definition(known.with_budget(wanted.budget))

    @property
    def definition(self) -> Definition:
        """What the study is about."""
        return self.store.definition

    @cached_property
    def note_columns(self) -> list[str]:
        """Columns of the pool that are no inputs."""
        return list(self.store.candidates[0].notes) if self.store.candidates else []

    def trials(self) -> list[Trial]:
        """All trials, in the order in which they were asked for."""
        return self.store.trials()

    @property
    def spent(self) -> float:
        """What the runs so far have cost."""
        return sum(trial.spent for trial in self.trials())

    @property
    def left(self) -> float:
        """What of the budget is neither spent nor promised to open trials; infinite without one."""
        return max(budget_left(self.definition.budget, self.trials()), 0.0)

    def ask(
        self, n: int = 1, *, allow: Sequence[Any] | None = None, runner: str | None = None
    ) -> list[Trial]:
        """Ask which runs to make next.

        Parameters
        ----------
        n : int
            How many; they are chosen together, and runs under way are taken into account.
        allow : sequence of fidelities, optional
            Fidelities that may be asked for; all by default.
        runner : str, optional
            Token of a program that begins with them at once.

        Returns
        -------
        list of Trial
            Fewer than n, or none, when the budget is spent or a pool has no more.
        """
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise DataError(f"n is {n!r}; ask for one trial or more")
        allowed = None if allow is None else fidelities_of(allow, self.definition.costs)
        pool = self.store.candidates
        for number in range(_TRIES):
            trials = self.trials()
            proposals = propose(self.definition, trials, pool, n, self.models, allowed)
            if not proposals:
                return []
            last = number == _TRIES - 1
            try:
                return self._add(_new(proposals, self.trials()) if last else proposals,
                                 None if last else len(trials), runner)  # fmt: skip
            except ChangedError:
                continue
        return []

    def _add(
        self, proposals: Sequence[Proposal], seen: int | None, runner: str | None
    ) -> list[Trial]:
        return self.store.add(proposals, by=who(), seen=seen, runner=runner)

    def tell(
        self,
        trial: Trial | int,
        result: float | Mapping[str, float] | None = None,
        *,
        failed: str | bool | None = None,
        replace: bool = False,
    ) -> None:
        """Tell what became of a trial.

        Parameters
        ----------
        trial : Trial or int
            The trial or its id.
        result : float, or mapping of target to float
            NaN and infinite results count as failures.
        failed : str, optional
            Why the run failed, instead of a result.
        replace : bool
            Whether a result that was told before is replaced; otherwise another one is refused.
        """
        self.tell_all({_id_of(trial): self._outcome(trial, result, failed)}, replace=replace)

    def _outcome(self, trial: Trial | int, result: Any, failed: Any) -> dict[str, float] | str:
        """Values by target, or why there are none."""
        if failed is not None and failed is not False:
            if result is not None:
                raise DataError(f"trial {_id_of(trial)} has both a result and failed; give one")
            return "failed" if failed is True else (str(failed).strip() or "failed")
        if result is None:
            raise DataError(f"trial {_id_of(trial)} needs a result, or failed=...")
        return outcome_of(result, self.definition.targets, f"trial {_id_of(trial)}")

    def tell_all(
        self, outcomes: Mapping[int, Mapping[str, float] | str], *, replace: bool = False
    ) -> int:
        """Tell what became of several trials, all or none; return how many were open.

        Parameters
        ----------
        outcomes : mapping of id to values by target, or to the reason of a failure
        replace : bool
        """
        known = {trial.id: trial for trial in self.trials()}
        for id, outcome in outcomes.items():
            if id not in known:
                raise unknown("trial", id, known, or_else="")
            if not replace:
                check_agrees(known[id], outcome)
        return self.store.finish(outcomes, replace=replace)

    def add_results(self, table: Any, fidelity: str | None = None) -> int:
        """Add results from elsewhere; they cost nothing. Returns how many there were.

        Parameters
        ----------
        table : DataFrame or path
            With a column for every input and target, and one named ``fidelity`` unless it is
            given. An empty target, NaN, or text in a column ``failure`` is a run that failed.
            With a pool, a column that names its candidates may stand for the inputs.
        fidelity : str, optional
            Of all rows.
        """
        from .trial_tables import results_of

        found = results_of(self.definition, table, fidelity, self.store.candidates)
        return self.store.add_results(found, who())

    def add_new(self, results: Sequence[tuple[Proposal, Mapping[str, float] | str]]) -> int:
        """Add results of runs that nobody asked for, as :func:`trial_tables.told` found them.

        Those that the study has already, the same in all inputs and results, are left out. Returns
        how many were added.
        """
        known = [(t.inputs, t.fidelity, t.failure or t.values) for t in self.trials()]
        new = [
            (run, found) for run, found in results if (run.inputs, run.fidelity, found) not in known
        ]
        return self.store.add_results(new, who()) if new else 0

    def table(self) -> pd.DataFrame:
        """All trials as a table."""
        from .trial_tables import trial_table

        return trial_table(self.definition, self.trials())

    def model(self, target: str | None = None) -> Any:
        """The surrogate of a target, of the first by default, fitted to all results so far."""
        trials = self.trials()
        name = self.definition.target if target is None else target
        if name not in self.definition.targets:
            raise unknown("target", name, self.definition.targets)
        if not can_be_modelled(self.definition, trials):
            raise DataError(
                f"there are too few results of {self.definition.top!r} for a model; run more trials"
            )
        return self.models.of(trials, name)

    def best(self) -> Best:
        """The best expensive run so far, among those that satisfy all limits.

        While none does, it is the one that comes nearest to satisfying them.
        """
        definition = self.definition
        if definition.goal == "accuracy":
            raise DataError("a study for accuracy has no best run; see model() and standing()")
        trials = self.trials()
        found = [t for t in trials if t.status == DONE and t.fidelity == definition.top]
        if not found:
            raise DataError(f"no run of {definition.top!r} has ended well yet")
        limits = definition.limits
        best = min(
            found,
            key=lambda t: (
                violation(limits, t.values),
                definition.loss(t.values[definition.target]),
            ),
        )
        feasible = violation(limits, best.values) == 0.0
        value = best.values[definition.target]
        return Best(best.inputs, value, self._interval(best), True, feasible, best)

    def _interval(self, trial: Trial) -> tuple[float, float]:
        """The interval of the response at a trial, by the model that searches."""
        definition, trials, inputs = self.definition, self.trials(), trial.inputs
        if not can_be_modelled(definition, trials):
            return (math.nan, math.nan)
        models, view = self.models, informed(definition, trials, self.store.candidates)
        if view is not None and trial.candidate is not None:
            definition, trials = view.definition, view.trials
            models, inputs = models.for_view(view), view.pool[trial.candidate].inputs
        model = models.extended(trials, definition.target)
        low, high = model.predict_interval(points_frame(definition, [inputs]))
        return float(low[0]), float(high[0])

    def standing(self) -> Standing:
        """Where the study stands: spent, best, accuracy, and whether to go on."""
        from .standing import standing_of

        return standing_of(self)

    def run(
        self,
        command: str,
        *,
        results: str | Sequence[str] = (),
        result_file: str | None = None,
        plausible: Mapping[str, tuple[float, float]] | None = None,
        jobs: int = 1,
        retries: int = 1,
        time_limits: Mapping[str, float] | float | None = None,
        logs: str | os.PathLike[str] | None = None,
        most_failures: int = 10,
        scheduler: str | None = None,
        listener: Callable[[Event], None] | None = None,
    ) -> int:
        """Run a command of the user's for every trial, in parallel, until the budget is spent.

        Killed and started again it goes on where it was. See :mod:`mastgp.next.results` for the
        rules by which results are read.

        Parameters
        ----------
        command : str
            As ``python solver.py --mach {mach} --mesh {fidelity}``. Names in braces are inputs, or
            ``trial``, ``fidelity`` and ``folder``. No shell is used.
        results : str or sequence of str
            Rules, as ``last``, ``regex:drag = (.*)``, ``json:drag``, or ``drag=json:forces.drag``.
        result_file : str, optional
            File to read instead of standard output, as ``{folder}/out.json``.
        plausible : mapping of target to (low, high), optional
            A run whose result lies outside has failed, and is tried again.
        jobs : int
            Runs at a time.
        retries : int
            How often a run that crashed, hung or printed no result is tried again; each attempt
            that has ended costs what the run costs.
        time_limits : float, or mapping of fidelity to float, optional
            Seconds that one run may take.
        logs : path, optional
            Folder of what runs say; ``wing.runs`` beside ``wing.study`` by default.
        most_failures : int
            Trials that may fail in a row before the runner gives up.
        scheduler : str, optional
            Address of a Dask scheduler whose workers make the runs.
        listener : function of an Event, optional
            Is called whenever something happens.

        Returns
        -------
        int
            How many trials have ended.
        """
        from .command import Command
        from .runner import Plan, default_logs, run

        names = [*self.definition.domain.names, *self.note_columns]
        rules = [results] if isinstance(results, str) else list(results)
        plan = Plan(
            Command.of(command, names),
            Reader.of(self.definition.targets, rules, result_file, plausible),
            Path(logs) if logs is not None else default_logs(self.path),
            at_least(jobs, 1, "jobs"),
            at_least(retries, 0, "retries"),
            seconds_of(time_limits, self.definition.costs),
            at_least(most_failures, 1, "most_failures"),
            scheduler,
        )
        return run(self, plan, listener)

    def __repr__(self) -> str:
        counts = dict.fromkeys((ASKED, RUNNING, DONE, FAILED), 0)
        for trial in self.trials():
            counts[trial.status] += 1
        shown = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        return f"<Study {self.path.name}: {shown or 'no trials'}>"


def _new(proposals: Sequence[Proposal], trials: Sequence[Trial]) -> list[Proposal]:
    """Those proposals that nobody has asked for."""
    there = {(trial.fidelity, tuple(trial.inputs.items())) for trial in trials}
    return [p for p in proposals if (p.fidelity, tuple(p.inputs.items())) not in there]


def _id_of(trial: Trial | int) -> int:
    return trial.id if isinstance(trial, Trial) else int(trial)
