"""Dask workers on this machine, each in a process of its own; one that dies is started again.

Dask's own nannies do the same, but one that is closed while it restarts a dead worker never ends, and one whose worker
dies before it has reported is not replaced.
"""

from __future__ import annotations

import subprocess
from contextlib import suppress
from threading import Lock, Thread

import msgspec

from sightline.scoring.engines import ONE_THREAD
from sightline.scoring.engines.child_processes import child_environment, python_command
from sightline.scoring.engines.dask_security import WorkerOrders


class LocalWorkers:
    """So many workers of a scheduler, until they are closed."""

    def __init__(self, orders: WorkerOrders, count: int) -> None:
        self._orders = msgspec.json.encode(orders) + b"\n"
        quiet = {"DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "critical"}
        self._environment = {**child_environment(storage=True), **ONE_THREAD, **quiet}
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
            _let_go(worker)

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
            worker.stdin.write(self._orders)
            worker.stdin.flush()
        return worker

    def close(self) -> None:
        """End them all."""
        with self._lock:
            self._is_closed = True
            for worker in self._running:
                worker.kill()
        for keeper in self._keepers:
            keeper.join()


def _let_go(worker: subprocess.Popen[bytes]) -> None:
    assert worker.stdin is not None
    with suppress(OSError):
        worker.stdin.close()
