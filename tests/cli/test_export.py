"""``mast export``: a model's predictor for other programs."""

from __future__ import annotations

import json

import pytest


def test_json_is_written(mast, model_file, tmp_path):
    code, out, _ = mast("export", "wing.mast", "--to", "json")
    assert code == 0
    assert "Wrote 'wing.json'." in out
    assert json.loads((tmp_path / "wing.json").read_text())["format"] == "mastgp-predictor"


def test_c_has_a_header_with_a_name_that_c_accepts(mast, model_file, tmp_path):
    assert mast("export", "wing.mast", "--to", "c", "-o", "my wing.c")[0] == 0
    assert '#include "my_wing.h"' in (tmp_path / "my wing.c").read_text()
    assert "int my_wing_predict(" in (tmp_path / "my_wing.h").read_text()


def test_an_fmu_is_written(mast, model_file, tmp_path):
    assert mast("export", "wing.mast", "--to", "fmu")[0] == 0
    assert (tmp_path / "wing.fmu").read_bytes().startswith(b"PK")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--to", "pdf"], "unknown format 'pdf'"),
        (["--to", "json", "--target", "lift"], "unknown target 'lift'"),
        (["--to", "json", "-o", "wing.mast"], "wing.mast"),
    ],
)
def test_wrong_requests(mast, model_file, arguments, said):
    code, _, err = mast("export", "wing.mast", *arguments)
    assert code != 0
    assert said in err
