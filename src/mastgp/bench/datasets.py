"""Real data sets of the paper: where their files are looked for, and how they are fetched.

Nothing is downloaded unless asked for. Files are looked for in the folder the user names, in the
folder of the environment variable ``MASTGP_DATA``, and in the user's cache.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ..downloads import fetch_file
from ..errors import FileError, unknown

ENVIRONMENT_VARIABLE = "MASTGP_DATA"

_FIRE = (
    "https://raw.githubusercontent.com/rosenyu304/FIRE/"
    "6721ef673dd815e9db7f7343a7751964cb8f682d/data/eng_csv"
)
_GP_PLUS = (
    "https://raw.githubusercontent.com/Bostanabad-Research-Group/GP-Plus/"
    "87c90a8eeeb29153582045d339f7476d4c69c39e/datasets"
)


@dataclass(frozen=True)
class DataFile:
    """A file of a data set, under the data folder.

    Attributes
    ----------
    path : str
        Relative to the data folder.
    sha256 : str
    url : str or None
        Where it can be fetched as it is; None where the public source has another format.
    """

    path: str
    sha256: str
    url: str | None


@dataclass(frozen=True)
class DataSet:
    """A published data set.

    Attributes
    ----------
    name, about, licence : str
    files : tuple of DataFile
    by_hand : str
        How to get the files where they cannot be fetched as they are.
    """

    name: str
    about: str
    licence: str
    files: tuple[DataFile, ...]
    by_hand: str = ""


DATA_SETS = {
    data_set.name: data_set
    for data_set in (
        DataSet(
            "concrete",
            "UCI Concrete Compressive Strength (Yeh 1998): 1030 mixes, 8 inputs",
            "free reuse with a notice of Prof. I-C. Yeh",
            (
                DataFile(
                    "concrete/concrete.csv",
                    "55cb74d00d9d0e8327a8f43fdc22fa9522f10d2651eb16d5080c6e8cb074bf78",
                    None,
                ),
            ),
            by_hand="Save the sheet of UCI data set 165 (Concrete_Data.xls) as CSV with the header "
            "cement,slag,fly_ash,water,superplasticizer,coarse_aggregate,fine_aggregate,age,"
            "strength",
        ),
        DataSet(
            "hoip",
            "hybrid perovskites, inter-molecular binding energy at three levels of theory, "
            "3 categorical inputs (files of the GP+ library)",
            "MIT",
            tuple(
                DataFile(f"hoip/{name}", sha256, f"{_GP_PLUS}/{name}")
                for name, sha256 in (
                    (
                        "HOIP_noisy.csv",
                        "b104126ab8a6306514cab0fbace8f5e47f874bb55dca8938787da6e32a0534dc",
                    ),
                    (
                        "sample_low2.csv",
                        "8d05f9d5df9d18f4c5d6d9a004f46db536600d0bf97bab500bc6b681b74ff8f0",
                    ),
                    (
                        "sample_low3.csv",
                        "9ebd5406f5546eb54f2e7ce7ed7f7436d479761175f79131325d4c2982a5d9f1",
                    ),
                )
            ),
        ),
        DataSet(
            "drivaernet",
            "drag of 3991 car bodies, CFD and an analytical estimate, 23 inputs (file of the FIRE "
            "benchmark)",
            "CC BY-NC 4.0: never redistribute",
            (
                DataFile(
                    "drivaernet/data_car.csv",
                    "a3d3c1663190d8ad17405514ea68dcdb6a5d5b0a35860a55a7d2bdcdb7851c99",
                    f"{_FIRE}/data_car.csv",
                ),
            ),
        ),
    )
}


def cache_folder() -> Path:
    """The user's own folder for downloaded data."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "mastgp" / "data"


def search_path(folder: str | Path | None = None) -> list[Path]:
    """Folders in which data are looked for, first to last."""
    named = [folder, os.environ.get(ENVIRONMENT_VARIABLE)]
    return [*(Path(place) for place in named if place), cache_folder()]


def find_files(name: str, folder: str | Path | None = None) -> list[Path]:
    """Paths of a data set's files, or an error that says which file to put where."""
    data_set = _data_set(name)
    found = []
    for file in data_set.files:
        places = [place / file.path for place in search_path(folder)]
        present = [path for path in places if path.is_file()]
        if not present:
            raise FileError(_how_to_get(data_set, file, places))
        found.append(present[0])
    return found


def is_available(name: str, folder: str | Path | None = None) -> bool:
    """Whether all files of a data set are there."""
    try:
        find_files(name, folder)
    except FileError:
        return False
    return True


def download(name: str, folder: str | Path | None = None) -> list[Path]:
    """Fetch a data set from its public source into `folder` (default: the user's cache).

    Files that are there already are kept. A new file is checked against its hash before it is put
    in place.
    """
    data_set = _data_set(name)
    base = Path(folder) if folder is not None else cache_folder()
    paths = []
    for file in data_set.files:
        target = base / file.path
        if not target.is_file():
            if file.url is None:
                raise FileError(_how_to_get(data_set, file, [target]))
            fetch_file(file.url, target, sha256=file.sha256)
        paths.append(target)
    return paths


def _data_set(name: str) -> DataSet:
    if name not in DATA_SETS:
        raise unknown("data set", name, DATA_SETS)
    return DATA_SETS[name]


def _how_to_get(data_set: DataSet, file: DataFile, places: list[Path]) -> str:
    fetch = (
        f"run 'mast bench download {data_set.name}', or fetch {file.url}"
        if file.url
        else data_set.by_hand
    )
    return (
        f"the data set {data_set.name!r} ({data_set.about}) is not here. Put {places[0].name} at "
        f"{' or '.join(str(place) for place in places)}. To get it: {fetch}. "
        f"Licence: {data_set.licence}"
    )
