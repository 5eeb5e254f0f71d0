"""The bundled example as arguments of the commands."""

from __future__ import annotations

from mastgp import examples

#: The example's files: panel, cfd, queries.
WING = {name: str(examples.FOLDER / f"{name}.csv") for name in ("panel", "cfd", "queries")}
#: A fit without costs, which fails.
FIT = ["fit", WING["panel"], WING["cfd"], "--target", "drag_counts"]
COSTS = ["--cost", "panel=1", "--cost", "cfd=20"]
