"""What commands say of a model as a whole, be it of one target or of several."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from ..progress import QUIET_SECONDS, progress
from . import printing, terminal
from .commands import command_line

if TYPE_CHECKING:
    from ..models.estimator import MultiFidelityRegressor
    from ..models.targets import SeveralTargets

    Model = MultiFidelityRegressor | SeveralTargets

#: Rows of the held-out check of each target; None where there is none.
Checks = dict[str, list[dict[str, Any]] | None]


def remember_command(model: Model) -> None:
    """Keep with a model, be it of one target or of several, the command that made it."""
    from ..models.targets import models_of

    for one in models_of(model).values():
        one.origin_ = one.origin_.then(command_line())


def check_all(model: Model) -> Checks:
    """Check a model on held-out points, once; it keeps what was found."""
    from ..models.targets import models_of

    return {name: _checked(one) for name, one in models_of(model).items()}


def _checked(model: MultiFidelityRegressor) -> list[dict[str, Any]]:
    """Rows of the held-out check. Where the data allow none, there are no rows but a note."""
    from ..check.validation import records, validate

    rows, reason = [], "there are too few expensive points"
    try:
        with terminal.notes(), progress():
            rows = records(validate(model))
    except DataError as error:
        reason = str(error)
    if not rows:
        terminal.note(f"no held-out check: {reason}")
    return rows


def known_checks(model: Model) -> Checks:
    """The checks that a model has already."""
    from ..check.validation import kept_check
    from ..models.targets import models_of

    return {name: kept_check(one) for name, one in models_of(model).items()}


def print_models(model: Model, checks: Checks) -> None:
    """Print each target's summary, held-out check and verdict."""
    from ..models.targets import models_of
    from ..output.summary import summarise

    for number, (name, one) in enumerate(models_of(model).items()):
        if number:
            terminal.say("")
        facts = summarise(one)
        printing.print_summary(facts)
        printing.print_check(checks.get(name) or [], one.training_data_)
        printing.print_verdict(facts)


def facts_of(model: Model, checks: Checks) -> dict[str, Any]:
    """Everything there is to say of a model, as plain data; by target where there are several."""
    from ..models.targets import SeveralTargets, models_of
    from ..output.summary import summarise

    facts = {name: summarise(one) for name, one in models_of(model).items()}
    for name, rows in checks.items():
        if rows is not None:
            facts[name].setdefault("validation", rows)
    if isinstance(model, SeveralTargets):
        return {"targets": facts}
    (only,) = facts.values()
    return only


def print_fitted(model: Model, checks: Checks, fitting: float, checking: float, file: str) -> None:
    """Print what a new model is worth, how long that took, and where the model is."""
    print_models(model, checks)
    fitted = f"Fitted in {fitting:.2f} s"
    if checking > QUIET_SECONDS:
        fitted += f", checked in {checking:.2f} s"
    terminal.say(f"{fitted} and saved to {file}.")


def timed(work: Any) -> tuple[Any, float]:
    """What a function returns, and the seconds that it took."""
    started = time.perf_counter()
    done = work()
    return done, time.perf_counter() - started
