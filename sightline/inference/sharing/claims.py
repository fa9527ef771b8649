"""Work claims: each chunk of samples is claimed by one process, and taken over by another if that process dies.

A claim is the file `.asking/NUMBER.share`. It contains the name of the process that holds it, `done` when the chunk is
finished, or `left` when its process stopped before.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from time import time

from sightline.core.errors import JournalError
from sightline.inference.sharing.participants import LEASE_SECONDS, RunMember

CHUNK_SIZE = 64
"""Samples per chunk: few enough for an even distribution at the end, enough to keep the number of files low."""
_DONE, _LEFT = "done", "left"


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
            handle = os.open(self._claim_file(number), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            return False
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            os.write(handle, self._member.name.encode())
        except OSError as error:
            raise self._unwritable(error) from None
        finally:
            os.close(handle)
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
            with suppress(JournalError):
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
        path = self._claim_file(number)
        temporary = path.with_suffix(f".{os.getpid()}.part")
        try:
            temporary.write_text(content, encoding="utf-8")
            temporary.replace(path)
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> JournalError:
        return JournalError(
            "Can't write into {folder}: {why}",
            hint="Make room or mend the rights, then give the same command again: it goes on where it stopped.",
            folder=self._member.claims_dir,
            why=error.strerror or error,
        )
