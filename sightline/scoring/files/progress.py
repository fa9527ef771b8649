"""Progress of scoring: callback type, plain lines for pipes and notebooks, and bytes read over all files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Lock
from time import monotonic

from sightline.data.storage import AnyPath
from sightline.i18n import tr

Watcher = Callable[[str, int, int], None]
"""Progress callback: stage, amount done, total."""


class LineStages:
    """Prints a line every few seconds."""

    def __init__(self, every: float = 5.0, out: Callable[[str], None] = print) -> None:
        self._every, self._out = every, out
        self._reported = monotonic()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """See `Watcher`."""
        if monotonic() - self._reported >= self._every:
            self._reported = monotonic()
            self._out(f"{tr(stage)}: {done:,} / {total:,}")


_MEGABYTE = 1_000_000


class ReadingMeter:
    """Adds up the bytes read from all files and reports them in MB."""

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
