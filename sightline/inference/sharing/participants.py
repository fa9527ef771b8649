"""The processes that ask in one run folder: who is there, who is alive, and which part of the journal each one writes.

Each has a file `.asking/PART~HOST~NUMBER.alive` that it keeps locked and touches every few seconds. A process of the
same machine is dead when its lock is free; one of another machine when its file has not been touched for a while.
"""

from __future__ import annotations

import os
import platform
import re
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from sightline.core.errors import JournalError
from sightline.core.run_paths import RunPaths
from sightline.inference.journal.files import MAIN, journal_file, journal_files
from sightline.inference.journal.writer import set_torn_line_aside
from sightline.inference.sharing.lock import FileLock, run_in_use

HEARTBEAT_SECONDS = 5.0
LEASE_SECONDS = 60.0
"""Seconds without a beat after which a process of another machine counts as dead."""

GRADED_MARKER = "graded"
"""Says that what a company asked has been graded by one of them."""
_EXCLUSIVE = "alone~"


def _journal_name(name: str) -> str:
    return name.removeprefix(_EXCLUSIVE).partition("~")[0]


def host_name() -> str:
    """This machine, as part of a file name."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", platform.node())[:40] or "host"


class RunMember:
    """One process among those that ask in a folder."""

    def __init__(self, folder: RunPaths) -> None:
        self.place = folder.path / ".asking"
        self.had_others = False
        self.name = ""
        self.torn_bytes = 0
        self._folder = folder
        self._alive: FileLock | None = None
        self._ended = Event()
        self._heart: Thread | None = None

    @property
    def lock(self) -> FileLock:
        """Held for a moment by who changes what belongs to all."""
        return FileLock(self._folder.lock)

    @property
    def journal(self) -> Path:
        """The part of the journal that is this process's own."""
        return journal_file(self._folder.journal, _journal_name(self.name))

    def enter(self, join: bool, alone: bool = False) -> None:
        """Take a place; the first one clears what an earlier company left."""
        try:
            with self.lock:
                others = self.living() if self.place.is_dir() else []
                if others and (not join or alone or any(name.startswith(_EXCLUSIVE) for name in others)):
                    raise run_in_use(self._folder.path)
                if not others:
                    shutil.rmtree(self.place, ignore_errors=True)
                self.place.mkdir(exist_ok=True)
                self.had_others = bool(others)
                self._take_part(others, alone)
                self._set_torn_lines_aside(others)
        except OSError as error:
            raise JournalError(
                "Can't write into {folder}: {why}", folder=self._folder.path, why=error.strerror or error
            ) from None
        self._heart = Thread(target=self._beat, daemon=True)
        self._heart.start()

    def leave(self) -> bool:
        """Give the place up; True for the last one, who takes all traces along."""
        self._ended.set()
        if self._heart is not None:
            self._heart.join()
        with self.lock:
            if self._alive is not None:
                self._alive.release()
                self._alive = None
            with suppress(OSError):
                self._file(self.name).unlink()
            if self.living():
                self.had_others = True
                return False
            for path in self.place.glob("*"):
                if path.name != GRADED_MARKER:
                    path.unlink(missing_ok=True)
            with suppress(OSError):
                self.place.rmdir()  # stays where it holds the mark of a common end
            return True

    def living(self) -> list[str]:
        """The names of all other processes that are alive."""
        names = [path.name.removesuffix(".alive") for path in self.place.glob("*.alive")]
        return [name for name in names if name != self.name and self.is_alive(name)]

    def is_alive(self, name: str) -> bool:
        """Whether the process of a name is at work."""
        path = self._file(name)
        if name == self.name:
            return True
        if not path.exists():
            return False
        if name.removeprefix(_EXCLUSIVE).split("~")[1:2] == [host_name()]:
            trial = FileLock(path)
            free = trial.try_to_take()
            trial.release()
            return not free
        return self.seconds_since(path) < LEASE_SECONDS

    def seconds_since(self, path: Path) -> float:
        """The age of a file, by the clock of the file system, which all machines share."""
        now = self.place / ".now"
        try:
            now.touch()
            return now.stat().st_mtime - path.stat().st_mtime
        except OSError:
            return LEASE_SECONDS

    def _file(self, name: str) -> Path:
        return self.place / f"{name}.alive"

    def _take_part(self, others: list[str], alone: bool) -> None:
        used = {_journal_name(name) for name in others}
        host = host_name()
        numbered = (f"{host}-{number}" for number in range(2, 10_000))
        part = MAIN if not others else next(name for name in numbered if name not in used)
        kind = _EXCLUSIVE if alone else ""
        self.name = f"{kind}{part}~{host}~{os.getpid()}-{secrets.token_hex(3)}"
        self._alive = FileLock(self._file(self.name))
        self._alive.take()

    def _set_torn_lines_aside(self, others: list[str]) -> None:
        """In all parts that nobody writes."""
        used = {journal_file(self._folder.journal, _journal_name(name)) for name in others}
        for path in journal_files(self._folder.journal):
            if path not in used:
                self.torn_bytes += set_torn_line_aside(path)

    def _beat(self) -> None:
        while not self._ended.wait(HEARTBEAT_SECONDS):
            with suppress(OSError):
                os.utime(self._file(self.name))
