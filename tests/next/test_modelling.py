from __future__ import annotations

from dataclasses import replace

import numpy as np

from mastgp.next import modelling
from mastgp.next.modelling import can_be_modelled, fitted, points_frame, thinned, training_data
from mastgp.next.trials import DONE, FAILED, Trial
from studies import definition, drag


def trials(n=5, cheap=8, **changed):
    found = []
    for i in range(n + cheap):
        level = "cfd" if i < n else "panel"
        inputs = {"x": (i * 0.37) % 1.0, "material": ["steel", "alu"][i % 2]}
        values = {"drag": drag(**inputs, level=level)}
        found.append(Trial(id=i + 1, inputs=inputs, fidelity=level, cost=1.0, reason="",
                           status=DONE, values=values, **changed))  # fmt: skip
    return found


def test_results_become_a_data_set_in_the_box_of_the_study():
    data = training_data(definition(), trials(), "drag")
    assert [(f.name, len(f.y)) for f in data.fidelities] == [("panel", 8), ("cfd", 5)]
    assert (data.box.low[0], data.box.high[0]) == (0.0, 1.0)
    assert data.categories == definition().domain.categories


def test_unit_cubes_of_study_and_model_are_the_same():
    """The probability of success is learned in the one and asked for in the other."""
    made, rows = definition(), trials()
    data = training_data(made, rows, "drag")
    own = made.domain.unit([t.inputs for t in rows if t.fidelity == "cfd"])
    np.testing.assert_allclose(sorted(data.unit(data.top).tolist()), sorted(own.tolist()))


def test_a_fidelity_with_one_result_is_left_out():
    assert len(training_data(definition(), trials(cheap=1), "drag").fidelities) == 1


def test_a_model_needs_expensive_results_at_different_places():
    made = definition()
    assert can_be_modelled(made, trials(3))
    assert not can_be_modelled(made, trials(2, 20))
    assert not can_be_modelled(made, [trials(1)[0]] * 5)
    failed = [Trial(**{**vars(t), "status": FAILED, "values": {}}) for t in trials(5)]
    assert not can_be_modelled(made, failed)


def test_levels_that_are_numbers_are_known_by_their_names():
    made = definition(inputs={"x": (0, 1), "layers": [1, 2]})
    frame = points_frame(made, [{"x": 0.5, "layers": 2}])
    assert frame["layers"].tolist() == ["2"]


def test_a_fitted_model_knows_the_target():
    model = fitted(definition(method="ar1-map"), trials(8, 16), "drag")
    assert model.target_name_ == "drag"
    frame = points_frame(definition(), [{"x": 0.3, "material": "alu"}])
    assert abs(model.predict(frame)[0] - drag(0.3, "alu")) < 0.5


def test_a_search_for_an_optimum_takes_smooth_results_as_exact():
    search = fitted(definition(method="ar1-map"), trials(8, 16), "drag")
    everywhere = fitted(definition(method="ar1-map", goal="accuracy"), trials(8, 16), "drag")
    assert all(f.noise_var is not None for f in search.training_data_.fidelities)
    assert all(f.noise_var is None for f in everywhere.training_data_.fidelities)


def test_of_many_cheap_results_those_beside_expensive_ones_stay(monkeypatch):
    monkeypatch.setattr(modelling, "MOST_CHEAP", 5)
    rows = trials(n=3, cheap=9)
    rows[8] = replace(rows[8], inputs=rows[1].inputs)
    kept = thinned(definition(), rows)
    assert [t.fidelity for t in kept].count("cfd") == 3
    assert [t.fidelity for t in kept].count("panel") == 5
    assert rows[8] in kept
    assert thinned(definition(), rows) == kept
    assert thinned(definition(goal="accuracy"), rows) == rows
