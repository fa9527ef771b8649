"""A lock on a file. The system lets it go when the process ends, however it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from sightline.core.errors import JournalError


class FileLock:
    """Held from `take` to `release`, or within a `with`, which waits for it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def take(self) -> None:
        """Lock, or say that somebody else is at work here."""
        if not self.try_to_take():
            raise run_in_use(self._path.parent)

    def try_to_take(self) -> bool:
        """Lock, or return False."""
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(self._handle)
        except OSError:
            self.release()
            return False
        return True

    def release(self) -> None:
        """Unlock."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> Self:
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        _lock_when_free(self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def run_in_use(folder: Path) -> JournalError:
    """What somebody is told who came second."""
    return JournalError(
        "Another process is asking in {folder}.",
        hint="Help it with --join, wait for it, end it, or start a run of its own with --fresh.",
        folder=folder,
    )


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _lock_when_free(handle: int) -> None:
        while True:
            try:
                msvcrt.locking(handle, msvcrt.LK_LOCK, 1)  # gives up after ten seconds
                return
            except OSError:
                continue

    @contextmanager
    def lock_folder(folder: Path) -> Iterator[None]:
        """A folder can't be locked here: of several processes that start at once, let the first begin."""
        yield
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _lock_when_free(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

    @contextmanager
    def lock_folder(folder: Path) -> Iterator[None]:
        """Hold the folder itself, so that no file of ours stays in it."""
        try:
            handle = os.open(folder, os.O_RDONLY)
        except OSError:  # told by who writes into it
            yield
            return
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)
