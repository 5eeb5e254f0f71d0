from __future__ import annotations

import numpy as np

from mastgp.output.studies import plot_study
from studies import finish, new_study


def test_the_best_of_the_figure_is_the_best_of_the_study(tmp_path):
    study = finish(new_study(tmp_path, budget=100.0), 3)
    figure = plot_study(study)
    progress = figure.axes[0]
    (best,) = [line for line in progress.lines if line.get_label() == "best cfd"]
    steps = np.asarray(best.get_ydata())
    assert steps[-1] == study.best().value
    assert (np.diff(steps) <= 0.0).all()
    assert len(figure.axes) == 4
    assert [text.get_text() for text in figure.axes[3].get_xticklabels()] == ["alu", "steel"]


def test_failed_runs_are_drawn_and_an_empty_study_too(tmp_path):
    study = new_study(tmp_path)
    assert "too few" in plot_study(study).axes[1].texts[0].get_text()
    (trial,) = study.ask()
    study.tell(trial, failed="no")
    crosses = [line for line in plot_study(study).axes[0].lines if line.get_label() == "failed"]
    assert len(crosses) == 1
