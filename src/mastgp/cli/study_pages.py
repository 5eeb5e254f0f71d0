"""Pages of studies: ``mast study show --html`` and ``mast study serve``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from . import terminal

if TYPE_CHECKING:
    from ..next.study import Study

StudyFile = Annotated[str, typer.Argument(metavar="STUDY", help="File of the study.")]
Port = Annotated[
    int, typer.Option(help="Port on this machine; 0 takes a free one.", min=0, max=65535)
]
Every = Annotated[
    int, typer.Option(metavar="SECONDS", help="How often the page is renewed.", min=1)
]


def write_page(study: Study, path: str) -> None:
    """Write the page of a study."""
    from ..output.report.study_page import write_study_page

    with terminal.notes():
        write_study_page(study, path)
    terminal.say(f"Wrote {path}. Open it in any browser.")


def serve(study_file: StudyFile, port: Port = 8765, every: Every = 10) -> None:
    """Show a study live in a browser of this machine, while it runs."""
    from ..errors import DataError
    from ..next.store import Store
    from ..next.study import Study
    from ..output.report.serving import LOOPBACK, page_server
    from ..output.report.study_page import StudyPage

    if not Store.exists(study_file):
        raise DataError(f"there is no study {study_file}; 'mast study new' begins one")
    server = page_server(StudyPage(lambda: Study(study_file), every), port, every / 2)
    terminal.say(f"http://{LOOPBACK}:{server.server_address[1]}/ shows {study_file}; Ctrl-C ends.")
    with server:
        server.serve_forever()
