"""One process at a time in a run folder. The system lets the lock go when the process ends, however it ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sightline.errors import JournalError


class FolderLock:
    """Held from `take` to `release`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def take(self) -> None:
        """Lock, or say that somebody else is at work here."""
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(self._handle)
        except OSError:
            os.close(self._handle)
            self._handle = None
            raise JournalError(
                "Another process is asking in {folder}.",
                hint="Wait for it, end it, or start a run of its own with --fresh.",
                folder=self._path.parent,
            ) from None

    def release(self) -> None:
        """Unlock."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
