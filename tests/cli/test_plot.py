"""``mast plot``: a figure of a model."""

from __future__ import annotations

import pytest

import mastgp
from wing import AUTO_FIT, COSTS


@pytest.mark.parametrize(
    ("arguments", "name", "start"),
    [
        (["-o", "a.png"], "a.png", b"\x89PNG"),
        (["-o", "a.svg", "--kind", "slices"], "a.svg", b"<?xml"),
        (["--kind", "trust"], "wing.png", b"\x89PNG"),
        (["--kind", "calibration"], "wing.png", b"\x89PNG"),
    ],
)
def test_a_figure_is_written(mast, model_file, tmp_path, arguments, name, start):
    code, out, _ = mast("plot", "wing.mast", *arguments)
    assert code == 0
    assert f"Drew {name}." in out
    assert (tmp_path / name).read_bytes().startswith(start)


def test_wrong_requests(mast, model_file):
    assert "endings" in mast("plot", "wing.mast", "-o", "a.docx")[2]
    assert "unknown kind 'pie'" in mast("plot", "wing.mast", "--kind", "pie")[2]
    assert "nowhere does not exist" in mast("plot", "wing.mast", "-o", "nowhere/a.png")[2]


def test_other_methods_can_be_drawn(mast):
    assert mast(*AUTO_FIT, *COSTS, "--method", "ar1", "-o", "a.mast", "--no-check")[0] == 0
    assert mast("plot", "a.mast", "--kind", "slices")[0] == 0


def test_names_are_no_markup(mast, tmp_path, rng):
    X = rng.random((20, 2))
    labels = ["[/b]"] * 14 + ["[red]"] * 6
    mastgp.MAST(order=["[/b]", "[red]"]).fit(X, X[:, 0], fidelity=labels).save("a.mast")
    assert mast("plot", "a.mast")[0] == 0
    assert (tmp_path / "a.png").exists()


def test_one_expensive_point_can_be_drawn(mast, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n0.1,1\n0.5,2\n0.9,3\n")
    (tmp_path / "b.csv").write_text("x,y\n0.2,1\n")
    code, _, err = mast("fit", "a.csv", "b.csv", "--target", "y", "--order", "a,b")
    assert code == 0
    assert "Note: fidelity 'b' has only 1 point:" in err
    assert mast("plot", "model.mast")[0] == 0
