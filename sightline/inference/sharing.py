"""Sharing of one run folder among processes: file locks, leases with heartbeats, and claims on chunks of samples.

Each process has a file `.asking/JOURNAL~HOST~PID.alive` that it keeps locked and touches every few seconds. A process
on the same machine is dead when its lock is free; one on another machine when its lease has expired.

A claim is the file `.asking/NUMBER.share`. It contains the name of the process that holds the chunk, `done` when the
chunk is finished, or `left` when its process stopped before; the chunks of a dead process are taken over by another.
"""

from __future__ import annotations

import os
import platform
import re
import secrets
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import time
from typing import Self

from sightline.core.atomic_io import atomic_path
from sightline.core.errors import StorageError
from sightline.core.records import Invalid, Sample
from sightline.core.run_paths import RunPaths
from sightline.inference.journal import MAIN, journal_file, journal_files, move_torn_line, write_error

HEARTBEAT_SECONDS = 5.0
LEASE_SECONDS = 60.0
"""Seconds without a heartbeat after which a process on another machine counts as dead."""
CHUNK_SIZE = 64
"""Samples per chunk: few enough for an even distribution at the end, enough to keep the number of files low."""
GRADED_MARKER = "graded"
"""Name of the file which marks that one of several processes has graded the run."""
_EXCLUSIVE = "alone~"
_DONE, _LEFT = "done", "left"
Samples = Iterator[tuple[int, Sample | Invalid]]


class FileLock:
    """An exclusive lock, held from `acquire` to `release`, or within a `with` block, which waits for it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self) -> None:
        """Acquire the lock without waiting; raises `StorageError` if another process holds it."""
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


def run_in_use_error(folder: Path) -> StorageError:
    """The error for a run folder that another process is using."""
    return StorageError(
        "Another process is running inference in {folder}.",
        hint="Use --join to share its work, wait for it to finish, stop it, or use --fresh to start a separate run.",
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


def _journal_name(name: str) -> str:
    return name.removeprefix(_EXCLUSIVE).partition("~")[0]


def host_name() -> str:
    """The name of this machine, safe for file names."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", platform.node())[:40] or "host"


class RunMember:
    """Membership of this process in a run: its lease and its journal file."""

    def __init__(self, run: RunPaths) -> None:
        self.claims_dir = run.claims
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
        self._run.refuse_links()
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
            raise write_error(self._run.path, error) from None
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
        return abs(self.age(path)) < LEASE_SECONDS  # in the future: copied from elsewhere

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


class WorkClaims:
    """The claims of one process on chunks of samples, and a view of those of the others."""

    def __init__(self, member: RunMember) -> None:
        self._member = member
        self._claimed: set[int] = set()
        self._finished: set[int] = set()
        self._checked_at = time()

    def claim(self, number: int) -> bool:
        """Claim a chunk that no process has claimed yet; False if one has."""
        try:
            with self._claim_file(number).open("x", encoding="utf-8") as file:
                file.write(self._member.name)
        except FileExistsError:
            return False
        except OSError as error:
            raise write_error(self._member.claims_dir, error) from None
        self._claimed.add(number)
        return True

    def is_held(self, number: int) -> bool:
        """Whether this process still holds a chunk: its lease may have expired while it was suspended."""
        if time() - self._checked_at > LEASE_SECONDS / 2:
            self._checked_at = time()
            self._claimed = {number for number in self._claimed if self._holder(number) == self._member.name}
        return number in self._claimed

    def finish(self, number: int) -> None:
        """Mark a chunk as finished."""
        if number not in self._claimed:
            return
        self._claimed.discard(number)
        self._finished.add(number)
        self._write(number, _DONE)

    def release_all(self) -> None:
        """Release all unfinished chunks to other processes."""
        for number in list(self._claimed):
            self._claimed.discard(number)
            with suppress(StorageError):
                self._write(number, _LEFT)

    def unfinished(self, count: int) -> list[int]:
        """Those of the first `count` chunks that no process has finished yet."""
        for number in range(count):
            if number not in self._finished and self._holder(number) == _DONE:
                self._finished.add(number)
        return [number for number in range(count) if number not in self._finished]

    def take_over(self, numbers: list[int]) -> set[int]:
        """Claim chunks whose process has ended; the caller must reread the journal, which has some of their replies."""
        alive: dict[str, bool] = {}
        if not any(self._is_free(number, alive) for number in numbers):
            return set()
        taken_over = set()
        with self._member.lock:
            for number in numbers:
                if self._is_free(number, {}):
                    self._write(number, self._member.name)
                    taken_over.add(number)
        self._claimed |= taken_over
        return taken_over

    def _is_free(self, number: int, alive: dict[str, bool]) -> bool:
        holder = self._holder(number)
        if holder == "":  # a process was killed between claiming it and writing its name, or is just doing so
            path = self._claim_file(number)
            return not path.exists() or self._member.age(path) > LEASE_SECONDS
        if holder in (_DONE, _LEFT):
            return holder == _LEFT
        if holder not in alive:
            alive[holder] = self._member.is_alive(holder)
        return not alive[holder]

    def _holder(self, number: int) -> str:
        try:
            return self._claim_file(number).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def _claim_file(self, number: int) -> Path:
        return self._member.claims_dir / f"{number}.share"

    def _write(self, number: int, content: str) -> None:
        try:
            with atomic_path(self._claim_file(number)) as temporary:
                temporary.write_text(content, encoding="utf-8")
        except OSError as error:
            raise write_error(self._member.claims_dir, error) from None


class ClaimedSamples:
    """One pass over the dataset. A chunk is finished when it has been read and all its samples are finished.

    Each sample is given out once per repeat, so that the repeats of few samples are asked concurrently too.
    """

    def __init__(self, samples: Samples, claims: WorkClaims, claim: Callable[[int], bool], repeats: int = 1) -> None:
        self._repeats = range(1, repeats + 1)
        self._claims = claims
        self._claim = claim
        self._in_progress: Counter[int] = Counter()
        self._chunk = -1
        self._is_claimed = False
        self.skipped = 0
        self.chunk_count = 0
        """The number of chunks, known once all samples have been read."""
        self._samples = self._claim_chunks(samples)

    def __iter__(self) -> Iterator[tuple[int, int, Sample | Invalid, int]]:
        return self._samples

    def _claim_chunks(self, samples: Samples) -> Iterator[tuple[int, int, Sample | Invalid, int]]:
        for index, (position, sample) in enumerate(samples):
            if index // CHUNK_SIZE != self._chunk:
                self._leave_chunk()
                self._chunk = index // CHUNK_SIZE
                self._is_claimed = self._claim(self._chunk)
                self._in_progress[self._chunk] += self._is_claimed  # the chunk itself, until it has been read
            for repeat in self._repeats:
                if self._is_claimed and self._claims.is_held(self._chunk):
                    self._in_progress[self._chunk] += 1
                    yield self._chunk, position, sample, repeat
                else:
                    self.skipped += 1
        self._leave_chunk()
        self.chunk_count = self._chunk + 1

    def _leave_chunk(self) -> None:
        if self._is_claimed:
            self._is_claimed = False
            self.finish_sample(self._chunk)

    def finish_sample(self, chunk: int) -> None:
        """Register that one sample of a chunk is finished."""
        self._in_progress[chunk] -= 1
        if not self._in_progress[chunk]:
            del self._in_progress[chunk]
            self._claims.finish(chunk)
