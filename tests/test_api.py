from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp import MAST, AutoSurrogate, DataError
from mastgp.models.cokriging import CoKriging
from support import COSTS


@pytest.fixture
def tables(two_fidelities):
    X, y, labels, _ = two_fidelities
    return {name: (X[labels == name], y[labels == name]) for name in ("fine", "coarse")}


def test_public_names():
    assert all(hasattr(mastgp, name) for name in mastgp.__all__)
    assert dir(mastgp) == sorted(mastgp.__all__)
    with pytest.raises(AttributeError, match="magic"):
        mastgp.magic  # noqa: B018


def test_mapping_and_table_give_the_same_model(tables, two_fidelities):
    X, y, labels, _ = two_fidelities
    from_mapping = mastgp.fit(tables, costs=COSTS, method="mast")
    from_table = MAST(COSTS).fit(X, y, fidelity=labels)
    np.testing.assert_array_equal(from_mapping.predict(X), from_table.predict(X))


def test_by_name():
    x1, x2 = np.linspace(0, 1, 20), np.linspace(0, 1, 5)
    tables = {"coarse": (x1[:, None], x1**2 + 0.1), "fine": (x2[:, None], x2**2)}
    model = mastgp.fit(tables, costs=COSTS)
    assert isinstance(model, AutoSurrogate)
    assert model.predict([[0.5]])[0] == pytest.approx(0.25, abs=0.02)
    assert isinstance(mastgp.fit(tables, costs=COSTS, method="ar1"), CoKriging)


def test_options_reach_the_estimator(tables):
    model = mastgp.fit(tables, order=["coarse", "fine"], method="ar1", kernel="matern52")
    assert model.kernel == "matern52"
    assert model.process_.model.components[0].kernel == "matern52"


def test_an_unknown_option_or_method_is_refused_by_name(tables):
    with pytest.raises(
        DataError, match="'auto' has no option 'metric'; method='mast' has 'metric'"
    ):
        mastgp.fit(tables, costs=COSTS, metric="euclidean")
    with pytest.raises(DataError, match=r"method 'ar1' has no option 'magic'$"):
        mastgp.fit(tables, costs=COSTS, method="ar1", magic=3)
    with pytest.raises(DataError, match="unknown method 'magic'"):
        mastgp.fit(tables, costs=COSTS, method="magic")


def test_names_of_inputs_and_target_come_from_frames(tables):
    frames = {
        name: (pd.DataFrame(X, columns=["span", "sweep"]), pd.Series(y, name="drag"))
        for name, (X, y) in tables.items()
    }
    frames["coarse"] = (frames["coarse"][0][["sweep", "span"]], frames["coarse"][1])
    model = mastgp.fit(frames, costs=COSTS, method="mast")
    assert model.target_name_ == "drag"
    assert list(model.feature_names_in_) == ["span", "sweep"]
    plain = mastgp.fit(tables, costs=COSTS, method="mast")
    assert plain.target_name_ is None
    Q = tables["fine"][0]
    np.testing.assert_array_equal(
        model.predict(pd.DataFrame(Q, columns=["span", "sweep"])), plain.predict(Q)
    )


def test_known_noise_of_a_fidelity(tables):
    noisy = {**tables, "fine": (*tables["fine"], 0.05)}
    model = mastgp.fit(noisy, costs=COSTS, method="mast")
    assert model.noise_var_ == pytest.approx(0.0025)
    given = MAST(COSTS, noise_std={"fine": 0.05})
    X, y = (np.concatenate([tables[name][i] for name in ("fine", "coarse")]) for i in (0, 1))
    labels = ["fine"] * 8 + ["coarse"] * 30
    np.testing.assert_array_equal(model.predict(X), given.fit(X, y, fidelity=labels).predict(X))


def test_what_is_no_mapping_is_refused():
    for data in (None, {}, [(1, 2)]):
        with pytest.raises(DataError, match=r'\{"coarse": \(X1, y1\), "fine": \(X2, y2\)\}'):
            mastgp.fit(data)


def test_a_saved_model_is_loaded(tables, tmp_path):
    model = mastgp.fit(tables, costs=COSTS, method="ar1")
    model.save(tmp_path / "a.mast")
    again = mastgp.load(tmp_path / "a.mast")
    assert type(again) is CoKriging
    np.testing.assert_array_equal(again.predict([[0.2, 0.3]]), model.predict([[0.2, 0.3]]))


def test_tables_are_read_with_numbers_and_units(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(
        "x;y;case\nm;[N];\n1,5;2;a\n2;;b\n3;4;c\n4;6;d\n5;7;e\n6;9;f\n", encoding="latin-1"
    )
    frame = mastgp.read_table(path)
    np.testing.assert_array_equal(frame[["x", "y"]][:2], [[1.5, 2.0], [2.0, np.nan]])
    assert frame.attrs["units"] == {"x": "m", "y": "N"}
    with pytest.warns(mastgp.MissingWarning):
        data = mastgp.Dataset.from_frame(frame, "y", ignore=["case"], skip_missing=True)
    assert data.with_unit("x") == "x (m)"
