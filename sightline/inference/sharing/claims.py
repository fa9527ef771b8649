"""Shares of a run's samples, claimed one by one: each is asked by one process, and taken over when that one is gone.

A share is the file `.asking/NUMBER.share`. It holds the name of the process that asks it, `done` when all is asked, or
`left` when its process stopped before.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from time import time

from sightline.core.errors import JournalError
from sightline.inference.sharing.participants import LEASE_SECONDS, RunMember

CHUNK_SIZE = 64
"""So many samples are claimed at once: few enough for an even end, enough for few files."""
_DONE, _LEFT = "done", "left"


class WorkClaims:
    """What one process has claimed, and what the others have."""

    def __init__(self, company: RunMember) -> None:
        self._company = company
        self._mine: set[int] = set()
        self._over: set[int] = set()
        self._looked = time()

    def claim(self, number: int) -> bool:
        """Claim a share that nobody has touched; False where somebody has."""
        try:
            handle = os.open(self._file(number), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            return False
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            os.write(handle, self._company.name.encode())
        except OSError as error:
            raise self._unwritable(error) from None
        finally:
            os.close(handle)
        self._mine.add(number)
        return True

    def holds(self, number: int) -> bool:
        """Whether a share is still this process's own: one that slept for minutes may have been taken for dead."""
        if time() - self._looked > LEASE_SECONDS / 2:
            self._looked = time()
            self._mine = {one for one in self._mine if self._holder(one) == self._company.name}
        return number in self._mine

    def finish(self, number: int) -> None:
        """All samples of a share are asked."""
        if number not in self._mine:
            return
        self._mine.discard(number)
        self._over.add(number)
        self._write(number, _DONE)

    def give_back(self) -> None:
        """Leave all that is unfinished to others."""
        for number in list(self._mine):
            self._mine.discard(number)
            with suppress(JournalError):
                self._write(number, _LEFT)

    def open_ones(self, count: int) -> list[int]:
        """Those of the first `count` shares that are not done yet, by anybody."""
        for number in range(count):
            if number not in self._over and self._holder(number) == _DONE:
                self._over.add(number)
        return [number for number in range(count) if number not in self._over]

    def take_over(self, numbers: list[int]) -> set[int]:
        """Claim those whose process is gone; who calls must read the journal anew, for it holds part of them."""
        alive: dict[str, bool] = {}
        if not any(self._is_free(number, alive) for number in numbers):
            return set()
        taken = set()
        with self._company.lock:
            for number in numbers:
                if self._is_free(number, {}):
                    self._write(number, self._company.name)
                    taken.add(number)
        self._mine |= taken
        return taken

    def _is_free(self, number: int, alive: dict[str, bool]) -> bool:
        holder = self._holder(number)
        if holder == "":  # somebody was ended between claiming it and writing the name, or is just doing so
            path = self._file(number)
            return not path.exists() or self._company.seconds_since(path) > LEASE_SECONDS
        if holder in (_DONE, _LEFT):
            return holder == _LEFT
        if holder not in alive:
            alive[holder] = self._company.is_alive(holder)
        return not alive[holder]

    def _holder(self, number: int) -> str:
        try:
            return self._file(number).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def _file(self, number: int) -> Path:
        return self._company.place / f"{number}.share"

    def _write(self, number: int, word: str) -> None:
        path = self._file(number)
        part = path.with_suffix(f".{os.getpid()}.part")
        try:
            part.write_text(word, encoding="utf-8")
            part.replace(path)
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> JournalError:
        return JournalError(
            "Can't write into {folder}: {why}",
            hint="Make room or mend the rights, then give the same command again: it goes on where it stopped.",
            folder=self._company.place,
            why=error.strerror or error,
        )
