"""LRU cache of open sample readers."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from sightline.core.errors import SightlineError
from sightline.reports.sample_view.reader import Reader
from sightline.web.viewer.run_index import RunEntry

_MAX_READERS = 4


class ReaderCache:
    """LRU cache of open sample readers, by run."""

    def __init__(self) -> None:
        self._readers: OrderedDict[str, tuple[str, Reader]] = OrderedDict()
        self._lock = Lock()

    def of(self, entry: RunEntry) -> Reader | SightlineError:
        """The reader of a run, or why there is none."""
        with self._lock:
            stamp = f"{entry.folder.path} {entry.manifest.key} {entry.journaled}"
            if (known := self._readers.get(entry.id)) and known[0] == stamp:
                self._readers.move_to_end(entry.id)
                return known[1]
            try:
                reader = Reader(entry.folder, entry.manifest)
            except SightlineError as error:
                return error
            self._readers[entry.id] = stamp, reader
            if len(self._readers) > _MAX_READERS:
                self._readers.popitem(last=False)[1][1].close()
            return reader

    def close(self) -> None:
        """Let all files go."""
        with self._lock:
            for _, reader in self._readers.values():
                reader.close()
            self._readers.clear()
