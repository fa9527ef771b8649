"""Dask workers on this machine, each in a process of its own; one that dies is started again.

Dask's own nannies do the same, but one that is closed while it restarts a dead worker never ends, and one whose worker
dies before it has reported is not replaced.
"""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Lock, Thread

from sightline.engines import ONE_THREAD, search_path


class LocalWorkers:
    """So many workers of a scheduler, until they are closed."""

    def __init__(self, scheduler: str, count: int) -> None:
        self._command = [sys.executable, "-m", "distributed.cli.dask_worker", scheduler, "--no-nanny", "--no-dashboard"]
        self._command += ["--nthreads", "1", "--memory-limit", "0", "--death-timeout", "60"]
        self._environment = {
            **os.environ,
            **ONE_THREAD,
            # what the caller can import, they can
            "PYTHONPATH": os.pathsep.join(search_path()),
            "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "critical",
        }
        self._lock, self._is_closed = Lock(), False
        self._running: set[subprocess.Popen[bytes]] = set()
        self._keepers = [Thread(target=self._keep, daemon=True) for _ in range(count)]
        for keeper in self._keepers:
            keeper.start()

    def _keep(self) -> None:
        while worker := self._start():
            worker.wait()
            with self._lock:
                self._running.discard(worker)

    def _start(self) -> subprocess.Popen[bytes] | None:
        with self._lock:  # nobody closes between the question and the start
            if self._is_closed:
                return None
            worker = subprocess.Popen(  # noqa: S603 - our own command
                self._command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=self._environment
            )
            self._running.add(worker)
            return worker

    def close(self) -> None:
        """End them all."""
        with self._lock:
            self._is_closed = True
            for worker in self._running:
                worker.kill()
        for keeper in self._keepers:
            keeper.join()
