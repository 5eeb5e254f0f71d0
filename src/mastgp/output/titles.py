"""Words of figures: titles, labels, and where the inputs are that a panel does not vary."""

from __future__ import annotations

from collections.abc import Collection
from textwrap import fill

from ..models.estimator import MultiFidelityRegressor
from .levels import category_of, centre_of

#: Letters of a title, of a label across and of a label up that fit into a panel.
TITLE_LETTERS, LABEL_LETTERS, UPRIGHT_LETTERS = 44, 38, 34
#: Fixed inputs that the title of a panel names; more of them are named once, below all panels.
MOST_IN_TITLE = 3
#: A space at which no line is broken.
_FIRM_SPACE = "\u00a0"


def wrapped(text: str, letters: int = LABEL_LETTERS) -> str:
    """Break a text into lines that fit into a panel; at firm spaces only where it must be.

    >>> wrapped("at a = 1, b = 2", 10).splitlines()
    ['at a = 1,', 'b = 2']
    """
    words = text.split(" ")
    soft = [word.replace(_FIRM_SPACE, " ") if len(word) > letters else word for word in words]
    return fill(" ".join(soft), letters)


def target_with_unit(model: MultiFidelityRegressor) -> str:
    """Name of the response with its unit."""
    return model.training_data_.with_unit(model.target_name_) or "y"


def page_title(model: MultiFidelityRegressor) -> str:
    """What the model is, for the head of a figure."""
    counts = [f"{len(f.y)} {f.name}" for f in reversed(model.training_data_.fidelities)]
    name = model.target_name_ or "y"
    return f"{model.label} surrogate of {name} from {' + '.join(counts)} points"


def panel_title(
    model: MultiFidelityRegressor,
    what: str,
    varied: Collection[int],
    brief: bool = False,
    letters: int = TITLE_LETTERS,
) -> str:
    """What a panel shows, and the values of all inputs that it does not vary.

    Parameters
    ----------
    model : fitted estimator
    what : str
    varied : numbers of the inputs that vary in the panel
    brief : bool
        Whether the page says below where many inputs are, so that the title need not.
    letters : int
        How many fit into a line.
    """
    names = fixed_inputs(model, varied)
    head = wrapped(what, letters)
    if not names:
        return head
    if brief and len(names) > MOST_IN_TITLE:
        return f"{head}\nother inputs fixed as said below"
    return f"{head}\n{wrapped('at ' + ', '.join(names), letters)}"


def fixed_note(model: MultiFidelityRegressor) -> str:
    """Where inputs are in panels with brief titles; nothing where no title is brief."""
    names = fixed_inputs(model, ())
    if len(names) <= MOST_IN_TITLE + 1:
        return ""
    return f"Inputs that a panel does not vary are fixed at {', '.join(names)}."


def fixed_inputs(model: MultiFidelityRegressor, varied: Collection[int]) -> list[str]:
    """Inputs that are not varied, with their values in the middle of the expensive points."""
    data = model.training_data_
    centre = centre_of(data)
    return [
        f"{name} = {_shown(model, i, centre[i])}".replace(" ", _FIRM_SPACE)
        for i, name in enumerate(data.feature_names)
        if i not in varied
    ]


def _shown(model: MultiFidelityRegressor, i: int, value: float) -> str:
    """A value of an input as the user knows it."""
    category = category_of(model.training_data_, i)
    return f"{value:.4g}" if category is None else category.levels[round(value)]
