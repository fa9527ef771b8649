"""Supervised Dask worker processes on this machine; a worker that dies is restarted.

Dask's nannies do the same, but a nanny that is closed while it restarts a dead worker never ends, and a worker that
dies before it has registered is not replaced.
"""

from __future__ import annotations

import subprocess
from contextlib import suppress
from threading import Lock, Thread

import msgspec

from sightline.scoring.engines import SINGLE_THREAD_ENVIRONMENT
from sightline.scoring.engines.child_processes import child_environment, python_command
from sightline.scoring.engines.dask_security import WorkerConfig


class LocalWorkers:
    """A fixed number of supervised workers of a scheduler."""

    def __init__(self, config: WorkerConfig, count: int) -> None:
        self._config = msgspec.json.encode(config) + b"\n"
        quiet = {"DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "critical"}
        self._environment = {**child_environment(storage=True), **SINGLE_THREAD_ENVIRONMENT, **quiet}
        self._lock, self._is_closed = Lock(), False
        self._running: set[subprocess.Popen[bytes]] = set()
        self._supervisors = [Thread(target=self._supervise, daemon=True) for _ in range(count)]
        for supervisor in self._supervisors:
            supervisor.start()

    def _supervise(self) -> None:
        while worker := self._start():
            worker.wait()
            with self._lock:
                self._running.discard(worker)
            _close_input(worker)

    def _start(self) -> subprocess.Popen[bytes] | None:
        with self._lock:  # nobody closes between the question and the start
            if self._is_closed:
                return None
            worker = subprocess.Popen(  # noqa: S603 - our own command
                python_command("sightline.scoring.engines.dask_worker"),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                env=self._environment,
            )
            self._running.add(worker)
        assert worker.stdin is not None
        with suppress(OSError):  # it has died already, and is seen to by the caller
            worker.stdin.write(self._config)
            worker.stdin.flush()
        return worker

    def close(self) -> None:
        """Stop all workers."""
        with self._lock:
            self._is_closed = True
            for worker in self._running:
                worker.kill()
        for supervisor in self._supervisors:
            supervisor.join()


def _close_input(worker: subprocess.Popen[bytes]) -> None:
    assert worker.stdin is not None
    with suppress(OSError):
        worker.stdin.close()
