"""File lock (flock); the operating system releases it when the process ends, even after a kill."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from sightline.core.errors import JournalError


class FileLock:
    """An exclusive lock, held from `acquire` to `release`, or within a `with` block, which waits for it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self) -> None:
        """Acquire the lock without waiting; raises `JournalError` if another process holds it."""
        if not self.try_acquire():
            raise run_in_use_error(self._path.parent)

    def try_acquire(self) -> bool:
        """Acquire the lock without waiting; False if another process holds it."""
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(self._handle)
        except OSError:
            self.release()
            return False
        return True

    def release(self) -> None:
        """Release the lock."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> Self:
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        _lock_when_free(self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def run_in_use_error(folder: Path) -> JournalError:
    """The error for a run folder that another process is using."""
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
        """Do nothing: a folder can't be locked on Windows."""
        yield
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _lock_when_free(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

    @contextmanager
    def lock_folder(folder: Path) -> Iterator[None]:
        """Lock the folder itself, so that no lock file remains in it."""
        try:
            handle = os.open(folder, os.O_RDONLY)
        except OSError:  # reported when a file is written into it
            yield
            return
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)
