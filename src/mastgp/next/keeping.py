"""Models of a study, kept between questions: extended by a few results, fitted again for more."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import MastWarning, RefitWarning, silenced
from .definition import Definition
from .informed import View
from .modelling import at_mode, fitted, points_frame, thinned
from .trials import DONE, Trial

#: New results, as a share of those of the last fit, after which a model is fitted again: of all
#: results, and of the expensive ones, which tell more.
REFIT_SHARE, REFIT_EXPENSIVE = 0.1, 0.2

#: Values by the ids of the trials that found them.
Known = Mapping[int, float]


@dataclass
class Models:
    """Models of a study's targets, fitted when they are asked for and kept until results change.

    Attributes
    ----------
    definition : Definition
    """

    definition: Definition
    _fitted: dict[str, tuple[Known, Any]] = field(default_factory=dict)
    _extended: dict[str, tuple[Known, Any]] = field(default_factory=dict)
    _n_expensive: dict[str, int] = field(default_factory=dict)
    _seen: tuple[View, Models] | None = None

    def for_view(self, view: View) -> Models:
        """Models of the same study as a search sees it, kept until results of its pool change."""
        if self._seen is None or not view.has_pool_of(self._seen[0]):
            self._seen = (view, Models(view.definition))
        return self._seen[1]

    def of(self, trials: Sequence[Trial], target: str) -> Any:
        """The model of a target, fitted to these trials."""
        known = _results(trials, target)
        if target not in self._fitted or self._fitted[target][0] != known:
            self._fitted[target] = (known, fitted(self.definition, trials, target))
            if not at_mode(self.definition, trials) and self._is_small(trials):
                self._extended[target] = self._fitted[target]
                self._n_expensive[target] = self._expensive(trials, known)
        return self._fitted[target][1]

    def extended(self, trials: Sequence[Trial], target: str) -> Any:
        """A model that knows these trials: the last one, extended, while few results are new.

        It is fitted again when the new results are more than a tenth of those of the last fit, or
        the expensive ones more than a fifth, when one of them was a surprise, and when a result
        changed or is of another fidelity. In a search for an optimum draws and the best
        hyperparameters take turns, see :func:`at_mode`.
        """
        known = _results(trials, target)
        before = self._extended.get(target)
        if before is not None and before[0] == known:
            return before[1]
        grown = None if before is None else self._grown(before, trials, known, target)
        if grown is None:
            grown = self._anew(trials, target)
            self._n_expensive[target] = self._expensive(trials, known)
        self._extended[target] = (known, grown)
        return grown

    def _anew(self, trials: Sequence[Trial], target: str) -> Any:
        """A new fit; of very many cheap results only a part, where a fit would take long."""
        if at_mode(self.definition, trials):
            return fitted(self.definition, trials, target, mode=True)
        if self._is_small(trials):
            return self.of(trials, target)
        return fitted(self.definition, thinned(self.definition, trials), target)

    def _is_small(self, trials: Sequence[Trial]) -> bool:
        """Whether a search can model all results."""
        return len(thinned(self.definition, trials)) == len(trials)

    def _expensive(self, trials: Sequence[Trial], known: Known) -> int:
        return sum(t.fidelity == self.definition.top and t.id in known for t in trials)

    def _grown(
        self, before: tuple[Known, Any], trials: Sequence[Trial], known: Known, target: str
    ) -> Any:
        """A model with the results that are new, or None where a fit is due."""
        old, model = before
        earlier = [trial for trial in trials if trial.id in old]
        if at_mode(self.definition, earlier) != at_mode(self.definition, trials):
            return None
        if any(known.get(id) != value for id, value in old.items()):
            return None
        new = [trial for trial in trials if trial.id in known and trial.id not in old]
        names = {fidelity.name for fidelity in model.training_data_.fidelities}
        n_fitted = model.training_data_.n_points - model.n_added_
        if model.n_added_ + len(new) > max(1.0, REFIT_SHARE * n_fitted):
            return None
        if any(trial.fidelity not in names for trial in new):
            return None
        n_before = self._n_expensive[target]
        if self._expensive(trials, known) - n_before > max(1.0, REFIT_EXPENSIVE * n_before):
            return None
        return _updated(self.definition, model, new, target)


def _results(trials: Sequence[Trial], target: str) -> Known:
    return {trial.id: trial.values[target] for trial in trials if trial.status == DONE}


def _updated(definition: Definition, model: Any, new: Sequence[Trial], target: str) -> Any:
    """A model with further results, or None where they ask for a new fit."""
    frame = points_frame(definition, [trial.inputs for trial in new])
    with silenced(MastWarning), warnings.catch_warnings():
        warnings.simplefilter("error", RefitWarning)
        try:
            return model.update(
                frame,
                [trial.values[target] for trial in new],
                fidelity=[trial.fidelity for trial in new],
            )
        except RefitWarning:
            return None
