from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

from mastgp import MAST
from mastgp.storage.archive import _content_hash
from support import COSTS


@pytest.fixture
def saved(two_fidelities, tmp_path):
    """A fitted model, and the file that it was written to."""
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS).fit(X, y, fidelity=labels)
    path = tmp_path / "model.mast"
    model.save(path)
    return model, path


@pytest.fixture
def rewrite():
    """Write an archive anew with something changed; `reseal` makes the checksum fit again."""

    def rewritten(
        path, change=None, replace=None, compression=zipfile.ZIP_STORED, reseal=False
    ) -> None:
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        members |= replace or {}
        manifest = json.loads(members["model.json"])
        if change:
            change(manifest)
        if reseal:
            arrays = {
                name.removesuffix(".npy"): np.load(io.BytesIO(content))
                for name, content in members.items()
                if name.endswith(".npy")
            }
            manifest["sha256"] = _content_hash(manifest, arrays)
        members["model.json"] = json.dumps(manifest).encode()
        with zipfile.ZipFile(path, "w", compression) as archive:
            for name, content in members.items():
                archive.writestr(name, content)

    return rewritten
