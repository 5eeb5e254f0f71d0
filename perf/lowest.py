"""The lowest versions of the core dependencies that pyproject.toml allows, as constraints of pip.

python perf/lowest.py > versions
"""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def lowest(root: Path = ROOT) -> list[str]:
    """Every core dependency at its lowest version, as ``numpy==2.0``."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [requirement.replace(">=", "==") for requirement in project["dependencies"]]


if __name__ == "__main__":
    print("\n".join(lowest()))
