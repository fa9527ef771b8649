"""Workers of a Dask cluster: one that is running, or a local one that is started and ended here.

Whoever reaches a scheduler or worker runs code as its user. A local cluster listens on loopback alone, and takes only
who has its temporary certificate. How one that is running is protected is decided by whoever has started it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from tempfile import TemporaryDirectory
from typing import Any

import dask
from distributed import Client, KilledWorker, LocalCluster, Security, as_completed

from sightline.core.errors import UsageError
from sightline.scoring.engines import DIED, TRIES, A, B, Done, said
from sightline.scoring.engines.dask_security import LOOPBACK, NO_HTTP, WorkerOrders, worker_certificates
from sightline.scoring.engines.local_workers import LocalWorkers

_START_SECONDS = 120
_AHEAD = 3
"""Jobs a worker thread that are sent before the first is done."""


class DaskEngine:
    """Without a scheduler's address, a cluster of so many processes on this machine."""

    def __init__(self, workers: int, scheduler: str = "") -> None:
        # a job that kills workers is given up after as many as a job that raises
        dask.config.set({"distributed.scheduler.allowed-failures": TRIES - 1})
        self._cluster: LocalCluster | None = None
        self._workers: LocalWorkers | None = None
        self._folder: TemporaryDirectory[str] | None = None
        if scheduler:
            self._client = _joined(scheduler)
        else:
            self._start(workers)

    def _start(self, workers: int) -> None:
        try:
            security = Security.temporary()
        except ImportError:
            raise UsageError(
                "The engine dask needs the package cryptography, to encrypt what is sent between its processes.",
                hint='pip install "sightline[dask]"',
            ) from None
        # private, since Dask puts a folder in it first on the search path, where others must not plant modules
        self._folder = TemporaryDirectory(prefix="sightline-dask-", ignore_cleanup_errors=True)
        with dask.config.set({**NO_HTTP, "temporary-directory": self._folder.name}):
            self._cluster = LocalCluster(
                n_workers=0,
                host=LOOPBACK,
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": f"{LOOPBACK}:0"},
                security=security,
                silence_logs=50,
            )
        orders = WorkerOrders(self._cluster.scheduler_address, self._folder.name, worker_certificates(security))
        self._workers = LocalWorkers(orders, workers)
        self._client = Client(self._cluster, security=security)
        try:
            self._client.wait_for_workers(workers, timeout=_START_SECONDS)
        except TimeoutError:
            self.close()
            raise UsageError(
                "The Dask workers did not start within {seconds} s.",
                hint="Take another engine: --engine processes",
                seconds=_START_SECONDS,
            ) from None

    def run(self, work: Callable[[A], B], jobs: Iterable[A]) -> Iterator[Done[B]]:
        """See `Engine`."""
        left = enumerate(jobs)
        sent: dict[Any, tuple[int, A]] = {}

        def send(some: Iterable[tuple[int, A]]) -> list[Any]:
            futures = []
            for number, job in some:
                future = self._client.submit(work, job, pure=False, retries=TRIES - 1)
                sent[future.key] = number, job
                futures.append(future)
            return futures

        suspects: list[tuple[int, A]] = []
        threads = sum(self._client.nthreads().values())
        under_way = as_completed(send(islice(left, _AHEAD * max(threads, 1))))
        for future in under_way:
            number, job = sent.pop(future.key)
            end = _end(future, number)
            if end.why == DIED:
                # it may only have waited, or its result may only have lain, at a worker that another job has killed
                suspects.append((number, job))
            else:
                yield end
            for other in send(islice(left, 1)):
                under_way.add(other)
        for suspect in suspects:
            (alone,) = send([suspect])
            yield _end(alone, suspect[0])

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        with suppress(OSError, TimeoutError):
            self._client.close()
        if self._workers is not None:
            self._workers.close()
        if self._cluster is not None:
            with suppress(OSError, TimeoutError):
                self._cluster.close()
        if self._folder is not None:
            self._folder.cleanup()


def _joined(scheduler: str) -> Client:
    try:
        return Client(scheduler, timeout="20s")
    except (OSError, TimeoutError, ValueError) as error:
        raise UsageError(
            "Can't reach the scheduler {address}: {why}",
            hint="Start one by: dask scheduler",
            address=scheduler,
            why=said(error),
        ) from None


def _end(future: Any, number: int) -> Done[Any]:
    try:
        return Done(number, future.result())
    except KilledWorker:
        return Done(number, why=DIED)
    except Exception as error:  # whatever the job raised
        return Done(number, why=said(error))
