"""What all pages share."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request

from sightline.web.viewer.grades import Grades
from sightline.web.viewer.journal_tail import Watches
from sightline.web.viewer.reader_cache import Readers
from sightline.web.viewer.run_index import Entry, Shelf


class Desk:
    """Runs, grades, samples and journals of one server."""

    def __init__(self, runs: Path) -> None:
        self.shelf = Shelf(runs)
        self.grades = Grades()
        self.readers = Readers()
        self.watches = Watches()

    def close(self) -> None:
        """Let everything go."""
        self.grades.close()
        self.readers.close()


def desk_of(request: Request) -> Desk:
    """The desk of the server that was asked."""
    desk: Desk = request.app.state.desk
    return desk


def entry_of(request: Request, name: str) -> Entry:
    """The run that a request names, or 404."""
    entry = desk_of(request).shelf.find(name)
    if entry is None:
        raise HTTPException(404)
    return entry
