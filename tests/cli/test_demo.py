"""``mast demo``: the main job on the bundled example."""

from __future__ import annotations

from mastgp import examples
from wing import WING


def test_demo(mast, tmp_path):
    code, out, _ = mast("demo")
    assert code == 0
    folder = tmp_path / "mast-demo"
    assert {path.name for path in folder.iterdir()} == {
        "panel.csv", "cfd.csv", "queries.csv", "wing.mast", "predictions.csv", "wing.png",
        "wing.html", "runs.csv",
    }  # fmt: skip
    errors = [float(line.split()[-1]) for line in out.splitlines()[-5:-2]]
    assert errors[2] < 0.6 * errors[1] < errors[0]


def test_the_commands_it_shows_are_those_of_the_guide(mast):
    out = mast("demo", "here")[1]
    costs = "--cost panel=1 --cost cfd=20"
    fit = f"$ mast fit here/panel.csv here/cfd.csv --target drag_counts {costs} -o here/wing.mast"
    assert fit in out
    assert "$ mast predict here/wing.mast here/queries.csv -o here/predictions.csv" in out
    assert "$ mast plot here/wing.mast -o here/wing.png" in out
    assert "$ mast next here/wing.mast -n 3 -o here/runs.csv" in out
    assert " run is expected to remove " in out


def test_nothing_of_the_users_is_touched(mast, tmp_path):
    assert "is a file; name a folder" in mast("demo", WING["cfd"])[2]
    (tmp_path / "queries.csv").write_text("my,own\n1,2\n")
    code, _, err = mast("demo", ".")
    assert code == 1
    assert "queries.csv exists and is not the example's; name another folder" in err
    assert (tmp_path / "queries.csv").read_text() == "my,own\n1,2\n"
    assert (tmp_path / "cfd.csv").read_text() == (examples.FOLDER / "cfd.csv").read_text()
