"""Application state shared by all pages."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request

from sightline.web.viewer.grades import GradesDatabase
from sightline.web.viewer.journal_tail import JournalTails
from sightline.web.viewer.reader_cache import ReaderCache
from sightline.web.viewer.run_index import RunEntry, RunIndex


class AppState:
    """Run index, grades database, sample readers and journal tails of one server."""

    def __init__(self, runs: Path) -> None:
        self.runs = RunIndex(runs)
        self.grades = GradesDatabase()
        self.reader_cache = ReaderCache()
        self.journal_tails = JournalTails()

    def close(self) -> None:
        """Close all files and databases."""
        self.grades.close()
        self.reader_cache.close()


def app_state(request: Request) -> AppState:
    """Return the application state of a request."""
    state: AppState = request.app.state.sightline
    return state


def find_run(request: Request, name: str) -> RunEntry:
    """Find a run by its id; raises 404 if there is none."""
    entry = app_state(request).runs.find(name)
    if entry is None:
        raise HTTPException(404)
    return entry
