"""A few Java processes shared by all threads: started when first needed, retried once, ended with the last user."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from sightline.scoring.metrics.captions.java import LostError, MissingError, Unavailable


class Asked(Protocol):
    """A program that gives one answer a request, and is started when it is first asked."""

    def ask(self, requests: Sequence[str]) -> list[str]:
        """The answers; raises `MissingError` or `LostError`."""

    def close(self) -> None:
        """End the process."""


class Pool:
    """Up to `size` processes of one program. A call with many requests uses all of them that are free."""

    def __init__(self, make: Callable[[], Asked], size: int, worthwhile: int) -> None:
        self._make = make
        self._size = size
        self._worthwhile = worthwhile
        """From so many requests a process it pays to start another."""
        self._forget()
        atexit.register(self.close)
        if hasattr(os, "register_at_fork"):
            # The pipes of a forked process are the parent's: it starts programs of its own.
            os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._turn = threading.Condition()
        self._free: list[Asked] = []
        self._busy = 0
        self._users = 0

    def ask(self, requests: Sequence[str]) -> list[str] | Unavailable:
        """The answers in order, or why there are none."""
        if not requests:
            return []
        parts = min(self._size, 1 + len(requests) // self._worthwhile)
        if parts == 1:
            return self._ask_one(requests)
        cuts = [len(requests) * part // parts for part in range(parts + 1)]
        with ThreadPoolExecutor(parts) as threads:
            answers = list(threads.map(lambda part: self._ask_one(requests[cuts[part] : cuts[part + 1]]), range(parts)))
        whole: list[str] = []
        for answer in answers:
            if isinstance(answer, Unavailable):
                return answer
            whole += answer
        return whole

    def _ask_one(self, requests: Sequence[str]) -> list[str] | Unavailable:
        with self._turn:
            self._turn.wait_for(lambda: self._busy < self._size)
            self._busy += 1
            program = self._free.pop() if self._free else self._make()
        try:
            return _tried_twice(program, requests)
        finally:
            with self._turn:
                self._busy -= 1
                self._free.append(program)
                self._turn.notify()

    def hold(self) -> None:
        """Keep processes for a user who will ask again."""
        with self._turn:
            self._users += 1

    def release(self) -> None:
        """A user has done; with the last one the processes end."""
        with self._turn:
            self._users -= 1
            last = self._users <= 0
        if last:
            self.close()

    def close(self) -> None:
        """End the processes that nobody is using; the next question starts them again."""
        with self._turn:
            done, self._free = self._free, []
        for program in done:
            program.close()


def _tried_twice(program: Asked, requests: Sequence[str]) -> list[str] | Unavailable:
    why = ""
    for _ in range(2):
        try:
            return program.ask(requests)
        except MissingError as missing:
            return Unavailable(str(missing))
        except LostError as lost:
            why = str(lost)
    return Unavailable(why)
