from __future__ import annotations

import pytest

from mastgp import DataError
from mastgp.bench.experiments import EXPERIMENTS, default_methods, experiment, find_problem
from mastgp.bench.problems import problem


def test_unknown_names():
    with pytest.raises(DataError, match="unknown experiment 'magic'"):
        experiment("magic")
    with pytest.raises(DataError, match="unknown problem 'magic'"):
        find_problem("magic")


@pytest.mark.parametrize("name", sorted(set(EXPERIMENTS) - {"collocated"}))
def test_every_experiment_draws_its_data(name):
    chosen = experiment(name)
    for setting in chosen.settings:
        draw = chosen.draw(problem("branin"), 0, setting, 20)
        assert len(draw.y) == len(draw.X) == len(draw.fidelity) > 0
        assert set(draw.costs) == set(draw.fidelity)


def test_settings_and_yardsticks():
    noise = experiment("sweep-discrepancy")
    assert noise.settings_of("branin")[-1] == "2"
    assert noise.settings_of("concrete")[-1] == "50"
    assert noise.baseline_setting("0.5") == "0.5"
    assert experiment("ablation-weight").baseline_setting("W3") == ""


def test_default_methods():
    assert default_methods(experiment("ablation-radius")) == ["mast"]
    assert {"mast", "ar1", "auto"} <= set(default_methods(experiment("two-fidelity")))


def test_the_users_own_problem_comes_first():
    mine = problem("hartmann3")
    assert find_problem("branin", {"branin": mine}) is mine
    assert find_problem("branin") is problem("branin")
