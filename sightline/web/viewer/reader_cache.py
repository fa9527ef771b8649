"""The runs that somebody looks into, kept open for the next look."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from sightline.core.errors import SightlineError
from sightline.reports.sample_view.reader import Reader
from sightline.web.viewer.run_index import Entry

_READERS_KEPT = 4


class Readers:
    """The runs that somebody looks into."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[str, Reader]] = OrderedDict()
        self._lock = Lock()

    def of(self, entry: Entry) -> Reader | SightlineError:
        """The reader of a run, or why there is none."""
        with self._lock:
            stamp = f"{entry.folder.path} {entry.manifest.key} {entry.journaled}"
            if (known := self._known.get(entry.id)) and known[0] == stamp:
                self._known.move_to_end(entry.id)
                return known[1]
            try:
                reader = Reader(entry.folder, entry.manifest)
            except SightlineError as error:
                return error
            self._known[entry.id] = stamp, reader
            if len(self._known) > _READERS_KEPT:
                self._known.popitem(last=False)[1][1].close()
            return reader

    def close(self) -> None:
        """Let all files go."""
        with self._lock:
            for _, reader in self._known.values():
                reader.close()
            self._known.clear()
