"""Processes that take part in a run, with leases renewed by heartbeats, and the journal file that each one writes.

Each process has a file `.asking/JOURNAL~HOST~PID.alive` that it keeps locked and touches every few seconds. A process
on the same machine is dead when its lock is free; one on another machine when its lease has expired.
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
from sightline.inference.journal.writer import move_torn_line
from sightline.inference.sharing.lock import FileLock, run_in_use_error

HEARTBEAT_SECONDS = 5.0
LEASE_SECONDS = 60.0
"""Seconds without a heartbeat after which a process on another machine counts as dead."""

GRADED_MARKER = "graded"
"""Name of the file which marks that one of several processes has graded the run."""
_EXCLUSIVE = "alone~"


def _journal_name(name: str) -> str:
    return name.removeprefix(_EXCLUSIVE).partition("~")[0]


def host_name() -> str:
    """The name of this machine, safe for file names."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", platform.node())[:40] or "host"


class RunMember:
    """Membership of this process in a run: its lease and its journal file."""

    def __init__(self, run: RunPaths) -> None:
        self.claims_dir = run.path / ".asking"
        self.had_others = False
        self.name = ""
        self.torn_bytes = 0
        self._run = run
        self._lease: FileLock | None = None
        self._left = Event()
        self._heartbeat: Thread | None = None

    @property
    def lock(self) -> FileLock:
        """Lock on the state that all processes of the run share; held briefly."""
        return FileLock(self._run.lock)

    @property
    def journal(self) -> Path:
        """The journal file that this process writes."""
        return journal_file(self._run.journal, _journal_name(self.name))

    def enter(self, join: bool, exclusive: bool = False) -> None:
        """Join the run; the first process removes claims and leases of earlier ones. Raises if the run is in use."""
        try:
            with self.lock:
                others = self.live_members() if self.claims_dir.is_dir() else []
                if others and (not join or exclusive or any(name.startswith(_EXCLUSIVE) for name in others)):
                    raise run_in_use_error(self._run.path)
                if not others:
                    shutil.rmtree(self.claims_dir, ignore_errors=True)
                self.claims_dir.mkdir(exist_ok=True)
                self.had_others = bool(others)
                self._take_lease(others, exclusive)
                self._move_torn_lines(others)
        except OSError as error:
            raise JournalError(
                "Can't write into {folder}: {why}", folder=self._run.path, why=error.strerror or error
            ) from None
        self._heartbeat = Thread(target=self._send_heartbeats, daemon=True)
        self._heartbeat.start()

    def leave(self) -> bool:
        """Leave the run; True for the last process, which removes all claims and leases."""
        self._left.set()
        if self._heartbeat is not None:
            self._heartbeat.join()
        with self.lock:
            if self._lease is not None:
                self._lease.release()
                self._lease = None
            with suppress(OSError):
                self._lease_file(self.name).unlink()
            if self.live_members():
                self.had_others = True
                return False
            for path in self.claims_dir.glob("*"):
                if path.name != GRADED_MARKER:
                    path.unlink(missing_ok=True)
            with suppress(OSError):
                self.claims_dir.rmdir()  # fails, as intended, if the marker of grading is in it
            return True

    def live_members(self) -> list[str]:
        """The names of all other processes that are alive."""
        names = [path.name.removesuffix(".alive") for path in self.claims_dir.glob("*.alive")]
        return [name for name in names if name != self.name and self.is_alive(name)]

    def is_alive(self, name: str) -> bool:
        """Whether the process with that name is alive."""
        path = self._lease_file(name)
        if name == self.name:
            return True
        if not path.exists():
            return False
        if name.removeprefix(_EXCLUSIVE).split("~")[1:2] == [host_name()]:
            lock = FileLock(path)
            free = lock.try_acquire()
            lock.release()
            return not free
        return self.age(path) < LEASE_SECONDS

    def age(self, path: Path) -> float:
        """Seconds since a file was modified, by the clock of the file system, which all machines share."""
        now = self.claims_dir / ".now"
        try:
            now.touch()
            return now.stat().st_mtime - path.stat().st_mtime
        except OSError:
            return LEASE_SECONDS

    def _lease_file(self, name: str) -> Path:
        return self.claims_dir / f"{name}.alive"

    def _take_lease(self, others: list[str], exclusive: bool) -> None:
        used = {_journal_name(name) for name in others}
        host = host_name()
        numbered = (f"{host}-{number}" for number in range(2, 10_000))
        journal_name = MAIN if not others else next(name for name in numbered if name not in used)
        kind = _EXCLUSIVE if exclusive else ""
        self.name = f"{kind}{journal_name}~{host}~{os.getpid()}-{secrets.token_hex(3)}"
        self._lease = FileLock(self._lease_file(self.name))
        self._lease.acquire()

    def _move_torn_lines(self, others: list[str]) -> None:
        """Move torn last lines out of all journal files that no other process writes."""
        used = {journal_file(self._run.journal, _journal_name(name)) for name in others}
        for path in journal_files(self._run.journal):
            if path not in used:
                self.torn_bytes += move_torn_line(path)

    def _send_heartbeats(self) -> None:
        while not self._left.wait(HEARTBEAT_SECONDS):
            with suppress(OSError):
                os.utime(self._lease_file(self.name))
