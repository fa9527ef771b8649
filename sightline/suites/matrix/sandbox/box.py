"""Runs untrusted programs, each in a process of its own behind a wall."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import LifoQueue
from types import TracebackType
from typing import Any, Literal, Self

from sightline.suites.matrix.sandbox.probe import isolation, why_not
from sightline.suites.matrix.sandbox.records import Limits, Outcome, SandboxUnavailableError, Way
from sightline.suites.matrix.sandbox.result_reader import Ending, outcomes
from sightline.suites.matrix.sandbox.unsandboxed import run_plainly
from sightline.suites.matrix.sandbox.worker import Worker, WorkerLostError

REQUEST_BYTES = 8 << 20
Calls = Sequence[tuple[str, Sequence[Any]]]


class Sandbox:
    """A place where model-written Python can do no harm. Several threads may use it; `workers` programs run at once."""

    def __init__(
        self, limits: Limits | None = None, *, unsafe: bool = False, workers: int = 1, way: Way | None = None
    ) -> None:
        self.limits = limits or Limits()
        self.way: Way = _chosen(way, unsafe)
        # The kernel ends a worker with the thread that started it, so threads of our own start them, and stay.
        self._starter = ThreadPoolExecutor(max(1, workers), thread_name_prefix="sandbox")
        self._workers: LifoQueue[Worker | None] = LifoQueue()
        for _ in range(max(1, workers)):
            self._workers.put(None)
        self._size = max(1, workers)
        self.peak_mb = 0.0
        """The largest of the clean processes so far."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def start(self) -> None:
        """Start all workers now, so that no program waits for one; else each starts with its first program."""
        if self.way == "unsafe":
            return
        taken = [self._workers.get() for _ in range(self._size)]
        try:
            started = [self._starter.submit(self._living, worker) for worker in taken]
            faults = [each.exception() for each in started]
            taken = [None if each.exception() else each.result() for each in started]
        finally:
            for worker in taken:
                self._workers.put(worker)
        for fault in filter(None, faults):
            raise _unavailable(str(fault)) from fault

    def close(self) -> None:
        """End all workers, once their programs have ended."""
        for _ in range(self._size):
            if worker := self._workers.get():
                worker.close()
        for _ in range(self._size):
            self._workers.put(None)
        self._starter.shutdown()

    def run(
        self,
        code: str,
        *,
        call: str = "",
        arguments: Sequence[Any] = (),
        picture: bool = False,
        limits: Limits | None = None,
    ) -> Outcome:
        """Execute a program; then call one of its functions, or take the picture it drew."""
        return self._run(code, [(call, arguments)] if call else [], picture, limits or self.limits)[0]

    def run_many(self, code: str, calls: Calls, *, limits: Limits | None = None) -> list[Outcome]:
        """Execute a program once and call its functions in turn, within one limit; an outcome for each call.

        Where a call ends the process, it and those after it share its state.
        """
        return self._run(code, calls, False, limits or self.limits) if calls else []

    def _run(self, code: str, calls: Calls, picture: bool, limits: Limits) -> list[Outcome]:
        mark = secrets.token_bytes(16)
        most = limits.output_kb << 10
        asked = {"code": code, "calls": calls, "picture": picture, "mark": mark.hex(), "most": most}
        try:
            request = json.dumps(asked, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as problem:
            return [Outcome(state="refused", error=str(problem))] * max(1, len(calls))
        if len(request) > REQUEST_BYTES:
            return [Outcome(state="refused", error="The program and its arguments are too large.")] * max(1, len(calls))
        whole = (len(calls) + 2) * (most + 64) + (limits.file_mb << 20 if picture else 0)
        if self.way == "unsafe":
            ending = run_plainly(asked, limits, whole)
        else:
            ending = self._behind_the_wall(request, limits, whole)
        return outcomes(ending, mark, len(calls), picture, limits)

    def _behind_the_wall(self, request: bytes, limits: Limits, most: int) -> Ending:
        worker = self._workers.get()
        try:
            for _ in range(2):  # a worker that died while it was idle is replaced, and the program begun anew
                try:
                    if worker is None or not worker.lives:
                        worker = self._starter.submit(self._living, worker).result()
                    ending = worker.run(request, limits, most)
                    self.peak_mb = max(self.peak_mb, worker.peak_kb / 1024)
                    return ending
                except WorkerLostError as problem:
                    fault = str(problem)
                    if worker:
                        worker.close()
                    worker = None
            return Ending(state="refused", error=fault)
        finally:
            self._workers.put(worker)

    def _living(self, worker: Worker | None) -> Worker:
        if worker and worker.lives:
            return worker
        if worker:
            worker.close()
        return Worker(self.way, self.limits)


def _chosen(way: Way | None, unsafe: bool) -> Way:
    """The way to use: the best that holds, a certain one if it holds, or none at all where the user insists on it."""
    found: Way | Literal[""]
    if way == "unsafe":
        found, why = "", "The unsafe way has to be allowed with unsafe=True."
    elif way:
        found, why = way, why_not(way)
    else:
        found, why = isolation().way, isolation().why
    if found and not why:
        return found
    if unsafe:
        return "unsafe"
    raise _unavailable(why)


def _unavailable(why: str) -> SandboxUnavailableError:
    return SandboxUnavailableError(
        "Untrusted code can't be run safely here: {why}",
        hint="Install bubblewrap or use Linux 5.13 or newer. --unsafe-local-execution runs it without protection.",
        why=why,
    )
