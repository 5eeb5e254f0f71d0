"""A model's predictor as an FMU: FMI 2.0, co-simulation and model exchange, made of the C file.

Whoever uses the FMU needs no Python. It holds the C sources and, where a C compiler is found, the
library of this machine's platform.
"""

from __future__ import annotations

import hashlib
import io
import platform
import shutil
import subprocess
import sys
import zipfile
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.sax.saxutils import quoteattr

from ...errors import DataError, MastWarning, warn
from ...models.estimator import MultiFidelityRegressor
from ..levels import centre_of
from .c_source import c_files, c_identifier, c_number
from .predictor import predictor_document

#: What follows the target's name in the names of the outputs.
_OUTPUTS = (
    ("", "mean of the response"),
    (" std", "standard deviation"),
    (" low95", "lower end of the 95 % interval"),
    (" high95", "upper end of the 95 % interval"),
)
#: FMI's names of platforms, and the ending of a shared library.
_PLATFORMS = {"linux": ("linux", ".so"), "darwin": ("darwin", ".dylib"), "win32": ("win", ".dll")}


def fmu_bytes(model: MultiFidelityRegressor, name: str) -> bytes:
    """The FMU as bytes of a file.

    Parameters
    ----------
    model : fitted estimator
    name : str
        What the FMU is called.
    """
    document, name = predictor_document(model), c_identifier(name)
    starts = [float(value) for value in centre_of(model.training_data_)]
    source, header = c_files(document, name)
    guid = hashlib.sha256((source + header).encode()).hexdigest()[:32]
    written = {
        f"{name}.c": source,
        f"{name}.h": header,
        "fmi2.c": _wrapper(document, name, guid, starts),
    }
    return _packed(_description(document, name, guid, starts), written, name)


def _wrapper(document: dict[str, Any], name: str, guid: str, starts: list[float]) -> str:
    """The functions of FMI, told what they wrap."""
    levels = ", ".join(str(len(own.get("levels", []))) for own in document["inputs"])
    text = (files(__package__) / "assets" / "fmi2.c").read_text(encoding="utf-8")
    return "\n".join(
        [
            f'#include "{name}.h"',
            f"#define prepare {name}_prepare\n#define predict {name}_predict",
            f'#define release {name}_free\n#define GUID "{guid}"',
            f"#define N_INPUTS_ {len(document['inputs'])}\n#define N_OUTPUTS {len(_OUTPUTS)}",
            f"static const double starts[] = {{{', '.join(map(c_number, starts))}}};",
            f"static const int n_levels[] = {{{levels}}};",
            text,
        ]
    )


def _description(document: dict[str, Any], name: str, guid: str, starts: list[float]) -> str:
    """The file modelDescription.xml."""
    inputs, n = document["inputs"], len(document["inputs"])
    variables = [
        _input(i, own, start) for i, (own, start) in enumerate(zip(inputs, starts, strict=True))
    ]
    taken = {own["name"] for own in inputs}
    target = document["target"]["name"]
    label = target
    while taken & {label + more for more, _ in _OUTPUTS}:
        label += " (predicted)"
    variables += [
        f"<ScalarVariable name={_attribute(label + more)} valueReference='{n + i}' "
        f"causality='output' description={_attribute(said)}><Real/></ScalarVariable>"
        for i, (more, said) in enumerate(_OUTPUTS)
    ]
    known = " ".join(str(i + 1) for i in range(n))
    unknowns = "".join(
        f"<Unknown index='{n + i + 1}' dependencies='{known}'/>" for i in range(len(_OUTPUTS))
    )
    return _DESCRIPTION.format(
        name=_attribute(name),
        guid=guid,
        tool=_attribute(document["made_by"]),
        sources=f"<SourceFiles><File name='{name}.c'/><File name='fmi2.c'/></SourceFiles>",
        variables="\n".join(variables),
        unknowns=f"<Outputs>{unknowns}</Outputs><InitialUnknowns>{unknowns}</InitialUnknowns>",
    )


def _input(i: int, own: dict[str, Any], start: float) -> str:
    """One input; a category is an integer, the number of its level."""
    head = f"<ScalarVariable name={_attribute(own['name'])} valueReference='{i}' causality='input'"
    if "levels" in own:
        listed = ", ".join(f"{code}: {level}" for code, level in enumerate(own["levels"]))
        kind = f"<Integer start='{int(start)}' min='0' max='{len(own['levels']) - 1}'/>"
        said = f"number of the level ({listed})"
        return (
            f"{head} variability='discrete' description={_attribute(said)}>{kind}</ScalarVariable>"
        )
    unit = f" in {own['unit']}" if own["unit"] else ""
    said = f"trained from {own['low']:g} to {own['high']:g}{unit}"
    return f"{head} description={_attribute(said)}><Real start='{start!r}'/></ScalarVariable>"


def _attribute(text: str) -> str:
    """A quoted attribute; control characters, which XML cannot hold, are left out."""
    return quoteattr("".join(letter for letter in text if letter.isprintable()))


_DESCRIPTION = """\
<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName={name} guid="{guid}" generationTool={tool}
  variableNamingConvention="flat" numberOfEventIndicators="0">
<ModelExchange modelIdentifier={name}>{sources}</ModelExchange>
<CoSimulation modelIdentifier={name} canHandleVariableCommunicationStepSize="true">
{sources}</CoSimulation>
<DefaultExperiment startTime="0" stopTime="1"/>
<ModelVariables>
{variables}
</ModelVariables>
<ModelStructure>{unknowns}</ModelStructure>
</fmiModelDescription>
"""


def _packed(description: str, sources: dict[str, str], name: str) -> bytes:
    """The FMU's archive; the same model always gives the same sources and description."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", description)
        for file, text in sources.items():
            archive.writestr(f"sources/{file}", text)
        library = _compiled(sources, name)
        if library is not None:
            folder, ending = _platform()
            archive.writestr(f"binaries/{folder}/{name}{ending}", library)
    return packed.getvalue()


def _platform() -> tuple[str, str]:
    """FMI's name of this platform, and the ending of its libraries."""
    system, ending = _PLATFORMS.get(sys.platform, ("linux", ".so"))
    bits = 64 if platform.architecture()[0] == "64bit" else 32
    return f"{system}{bits}", ending


def _compiled(sources: dict[str, str], name: str) -> bytes | None:
    """The library for this platform; None, with a warning, where no C compiler is found."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        warn(
            "no C compiler was found (cc, gcc or clang), so the FMU holds sources only; most "
            "programs compile them when they load it",
            MastWarning,
        )
        return None
    with TemporaryDirectory() as folder:
        for file, text in sources.items():
            Path(folder, file).write_text(text, encoding="utf-8")
        library = Path(folder, "library")
        files_in = [str(Path(folder, file)) for file in sources if file.endswith(".c")]
        options = ["-std=c99", "-O2", "-shared", "-fPIC", "-fvisibility=hidden"]
        command = [compiler, *options, *files_in, "-lm", "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise DataError(f"{compiler} could not compile the FMU: {done.stderr.strip()[:300]}")
        return library.read_bytes()
