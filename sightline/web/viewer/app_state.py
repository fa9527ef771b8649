"""Application state shared by all pages: run index, sample readers, grades database, journal tails."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request

from sightline.core.errors import SightlineError
from sightline.reports.sample_view.reader import SampleReader, is_regular_file
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.scoring.summary import Summary, load_summary
from sightline.web.viewer.grades import GradesDatabase
from sightline.web.viewer.journal_tail import JournalTails


class RunEntry(Struct, frozen=True, kw_only=True):
    """A run in the index."""

    id: str
    folder: RunFolder
    manifest: Manifest
    summary: Summary | None

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.folder.path.name

    @property
    def is_running(self) -> bool:
        """Whether its manifest says that it is running."""
        return self.manifest.state == "running"

    @property
    def is_graded(self) -> bool:
        """Whether there are grades to page through."""
        return is_regular_file(self.folder.grades)

    @property
    def has_journal(self) -> bool:
        """Whether it was asked, and not scored from files."""
        return is_regular_file(self.folder.journal)


class RunIndex:
    """All runs directly below a folder, or one folder deeper as scoring several models leaves them."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._cache: dict[Path, tuple[tuple[int, ...], Any]] = {}

    def entries(self) -> list[RunEntry]:
        """Newest first."""
        found = [entry for path in self._run_paths() if (entry := self._entry(path)) is not None]
        return sorted(found, key=lambda entry: (entry.manifest.started, entry.name), reverse=True)

    def find(self, name: str) -> RunEntry | None:
        """The run with that id."""
        return next((self._entry(path) for path in self._run_paths() if run_id(path, self.root) == name), None)

    def _run_paths(self) -> Iterator[Path]:
        if is_regular_file(self.root / "manifest.json"):
            yield self.root
            return
        for path in _folders(self.root):
            if is_regular_file(path / "manifest.json"):
                yield path
            else:
                yield from (inner for inner in _folders(path) if is_regular_file(inner / "manifest.json"))

    def _entry(self, path: Path) -> RunEntry | None:
        folder = RunFolder(path)
        manifest = self._load(folder.manifest, lambda: folder.load_manifest())
        if manifest is None:
            return None
        summary = self._load(folder.report_json, lambda: load_summary(folder.report_json))
        return RunEntry(id=run_id(path, self.root), folder=folder, manifest=manifest, summary=summary)

    def _load(self, path: Path, load: Any) -> Any:
        """What a file holds, read again only where it has changed; None where it can't be read."""
        try:
            status = path.stat() if is_regular_file(path) else None
        except OSError:  # it was moved away just now
            status = None
        if status is None:
            self._cache.pop(path, None)
            return None
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        if self._cache.get(path, (None,))[0] != stamp:
            try:
                self._cache[path] = (stamp, load())
            except SightlineError:
                self._cache[path] = (stamp, None)
        return self._cache[path][1]


def run_id(path: Path, root: Path) -> str:
    """What addresses call a run."""
    return hashlib.sha256(str(path.relative_to(root)).encode("utf-8", "replace")).hexdigest()[:12]


def _folders(path: Path) -> list[Path]:
    try:
        return [inner for inner in sorted(path.iterdir()) if inner.is_dir() and not inner.is_symlink()]
    except OSError:
        return []


_MAX_READERS = 4


class ReaderCache:
    """LRU cache of open sample readers, by run."""

    def __init__(self) -> None:
        self._readers: OrderedDict[str, tuple[str, SampleReader]] = OrderedDict()
        self._lock = Lock()

    def of(self, entry: RunEntry) -> SampleReader | SightlineError:
        """The reader of a run, or why there is none."""
        with self._lock:
            stamp = f"{entry.folder.path} {entry.manifest.key} {entry.has_journal}"
            if (known := self._readers.get(entry.id)) and known[0] == stamp:
                self._readers.move_to_end(entry.id)
                return known[1]
            try:
                reader = SampleReader(entry.folder, entry.manifest)
            except SightlineError as error:
                return error
            self._readers[entry.id] = stamp, reader
            if len(self._readers) > _MAX_READERS:
                self._readers.popitem(last=False)[1][1].close()
            return reader

    def close(self) -> None:
        """Close all readers."""
        with self._lock:
            for _, reader in self._readers.values():
                reader.close()
            self._readers.clear()


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
