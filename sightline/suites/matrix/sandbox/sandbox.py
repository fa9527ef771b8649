"""Sandbox with a pool of isolated worker processes; each untrusted program runs in a process of its own."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import LifoQueue
from types import TracebackType
from typing import Any, Literal, Self

from sightline.suites.matrix.sandbox.outcomes import (
    IsolationMethod,
    Limits,
    Outcome,
    ProcessResult,
    SandboxUnavailableError,
    read_outcomes,
)
from sightline.suites.matrix.sandbox.probe import find_isolation, unavailable_reason
from sightline.suites.matrix.sandbox.unsandboxed import run_unsandboxed
from sightline.suites.matrix.sandbox.worker import Worker, WorkerLostError

MAX_REQUEST_BYTES = 8 << 20
Calls = Sequence[tuple[str, Sequence[Any]]]


class Sandbox:
    """Runs model-written Python in isolation. Thread-safe; up to `workers` programs run at once."""

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        unsafe: bool = False,
        workers: int = 1,
        method: IsolationMethod | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.method: IsolationMethod = _choose_method(method, unsafe)
        # The kernel ends a worker with the thread that started it, so threads of our own start them, and stay.
        self._starter = ThreadPoolExecutor(max(1, workers), thread_name_prefix="sandbox")
        self._workers: LifoQueue[Worker | None] = LifoQueue()
        for _ in range(max(1, workers)):
            self._workers.put(None)
        self._size = max(1, workers)
        self.peak_mb = 0.0
        """Peak memory of any worker process so far."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def start(self) -> None:
        """Start all workers now; otherwise each starts with its first program."""
        if self.method == "unsafe":
            return
        workers = [self._workers.get() for _ in range(self._size)]
        try:
            futures = [self._starter.submit(self._ensure_worker, worker) for worker in workers]
            faults = [future.exception() for future in futures]
            workers = [None if future.exception() else future.result() for future in futures]
        finally:
            for worker in workers:
                self._workers.put(worker)
        for fault in filter(None, faults):
            raise _unavailable(str(fault)) from fault

    def close(self) -> None:
        """Stop all workers once their programs have ended."""
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
        """Execute a program, then call one of its functions or return the picture it drew."""
        return self._run(code, [(call, arguments)] if call else [], picture, limits or self.limits)[0]

    def run_many(self, code: str, calls: Calls, *, limits: Limits | None = None) -> list[Outcome]:
        """Execute a program once and call its functions in turn under one limit; return an outcome per call.

        Where a call ends the process, it and those after it share its state.
        """
        return self._run(code, calls, False, limits or self.limits) if calls else []

    def _run(self, code: str, calls: Calls, picture: bool, limits: Limits) -> list[Outcome]:
        mark = secrets.token_bytes(16)
        max_result_bytes = limits.output_kb << 10
        request = {"code": code, "calls": calls, "picture": picture, "mark": mark.hex(), "most": max_result_bytes}
        try:
            payload = json.dumps(request, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            return [Outcome(state="refused", error=str(error))] * max(1, len(calls))
        if len(payload) > MAX_REQUEST_BYTES:
            return [Outcome(state="refused", error="The program and its arguments are too large.")] * max(1, len(calls))
        max_reply_bytes = (len(calls) + 2) * (max_result_bytes + 64) + (limits.file_mb << 20 if picture else 0)
        if self.method == "unsafe":
            result = run_unsandboxed(request, limits, max_reply_bytes)
        else:
            result = self._run_in_worker(payload, limits, max_reply_bytes)
        return read_outcomes(result, mark, len(calls), picture, limits)

    def _run_in_worker(self, request: bytes, limits: Limits, max_reply_bytes: int) -> ProcessResult:
        worker = self._workers.get()
        try:
            for _ in range(2):  # a worker that died while it was idle is replaced, and the program begun anew
                try:
                    if worker is None or not worker.is_alive:
                        worker = self._starter.submit(self._ensure_worker, worker).result()
                    ending = worker.run(request, limits, max_reply_bytes)
                    self.peak_mb = max(self.peak_mb, worker.peak_kb / 1024)
                    return ending
                except WorkerLostError as error:
                    fault = str(error)
                    if worker:
                        worker.close()
                    worker = None
            return ProcessResult(state="refused", error=fault)
        finally:
            self._workers.put(worker)

    def _ensure_worker(self, worker: Worker | None) -> Worker:
        if worker and worker.is_alive:
            return worker
        if worker:
            worker.close()
        return Worker(self.method, self.limits)


def _choose_method(method: IsolationMethod | None, unsafe: bool) -> IsolationMethod:
    """Choose the isolation method: the requested or best one that works, or `unsafe` if the user allows it."""
    chosen: IsolationMethod | Literal[""]
    if method == "unsafe":
        chosen, reason = "", "The unsafe way has to be allowed with unsafe=True."
    elif method:
        chosen, reason = method, unavailable_reason(method)
    else:
        chosen, reason = find_isolation().method, find_isolation().reason
    if chosen and not reason:
        return chosen
    if unsafe:
        return "unsafe"
    raise _unavailable(reason)


def _unavailable(reason: str) -> SandboxUnavailableError:
    return SandboxUnavailableError(
        "Cannot run untrusted code safely here: {why}",
        hint="Install bubblewrap or use Linux 5.13 or newer. --unsafe-local-execution runs it without protection.",
        why=reason,
    )
