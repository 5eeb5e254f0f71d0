"""The bundled example as arguments of the commands."""

from __future__ import annotations

from mastgp import examples

#: The example's files: panel, cfd, queries.
WING = {name: str(examples.FOLDER / f"{name}.csv") for name in ("panel", "cfd", "queries")}
#: A fit by the default method without costs, which fails.
AUTO_FIT = ["fit", WING["panel"], WING["cfd"], "--target", "drag_counts"]
#: A quicker one.
FIT = [*AUTO_FIT[:3], "--method", "mast", *AUTO_FIT[3:]]
COSTS = ["--cost", "panel=1", "--cost", "cfd=20"]
