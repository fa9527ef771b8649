"""How much of a job's files has been read, whoever reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Lock

from sightline.data.storage import AnyPath
from sightline.scoring.files.progress import Watcher

_MEGABYTE = 1_000_000


class ReadingMeter:
    """Adds up what the readers of all files tell, and passes it on in MB."""

    def __init__(self, paths: Iterable[AnyPath], watch: Watcher) -> None:
        self.watch, self._lock = watch, Lock()
        self._total = sum(path.stat().st_size for path in paths if path.is_file())
        self._done = 0

    def reader(self) -> Callable[[int], None]:
        """What the reader of one file calls with the bytes that it has read of it so far."""
        before = 0

        def tell(count: int) -> None:
            nonlocal before
            with self._lock:
                self._done += count - before
                before = count
                self.watch("MB read", self._done // _MEGABYTE, self._total // _MEGABYTE)

        return tell
