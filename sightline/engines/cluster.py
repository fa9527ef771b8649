"""Workers of a Dask cluster: one that is running, or a local one that is started and ended here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

import dask
from distributed import Client, KilledWorker, LocalCluster, as_completed

from sightline.engines import DIED, TRIES, A, B, Done, said
from sightline.engines.local_workers import LocalWorkers
from sightline.errors import UsageError

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
        if scheduler:
            self._client = _joined(scheduler)
        else:
            self._start(workers)

    def _start(self, workers: int) -> None:
        self._cluster = LocalCluster(n_workers=0, dashboard_address=None, host="127.0.0.1", silence_logs=50)
        self._workers = LocalWorkers(self._cluster.scheduler_address, workers)
        self._client = Client(self._cluster)
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
