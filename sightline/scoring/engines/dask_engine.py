"""Dask engine: connects to a running cluster, or starts a local one.

Anyone who can connect to a scheduler or worker can run code as its user. A local cluster listens on loopback only and
requires its temporary certificate. The protection of a running cluster is the responsibility of whoever started it.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from typing import Any

import dask
import msgspec
from distributed import Client, KilledWorker, LocalCluster, Security, as_completed
from msgspec import Struct

from sightline.core.errors import UsageError
from sightline.scoring.engines import MAX_TRIES, SINGLE_THREAD_ENVIRONMENT, WORKER_DIED, A, B, JobResult, format_error
from sightline.scoring.engines.child_processes import child_environment, python_command

LOOPBACK = "127.0.0.1"
_CERTIFICATES = ("tls_ca_file", "tls_worker_cert", "tls_worker_key")
"""Attributes of a `distributed.Security` that a worker needs to connect."""
NO_HTTP: dict[str, Any] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
"""Dask settings that disable the HTTP pages of scheduler and workers."""


class WorkerConfig(Struct, frozen=True):
    """Configuration of a worker process, sent to its standard input as one line of JSON."""

    scheduler: str
    folder: str
    """A private folder: Dask puts it first on the worker's search path."""
    certificates: dict[str, str]
    """Texts in PEM, by the names that `distributed.Security` has for them."""


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
        with self._lock:  # no thread may close between the check and the start
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


_START_SECONDS = 120
_PREFETCH = 3
"""Jobs submitted ahead per worker thread."""


class DaskEngine:
    """Engine on a Dask cluster; without a scheduler address, on a local cluster of worker processes."""

    def __init__(self, workers: int, scheduler: str = "") -> None:
        # a job that kills workers is given up after as many as a job that raises
        dask.config.set({"distributed.scheduler.allowed-failures": MAX_TRIES - 1})
        self._cluster: LocalCluster | None = None
        self._workers: LocalWorkers | None = None
        self._folder: TemporaryDirectory[str] | None = None
        if scheduler:
            self._client = _connect(scheduler)
        else:
            self._start(workers)

    def _start(self, workers: int) -> None:
        try:
            security = Security.temporary()
        except ImportError:
            raise UsageError(
                "The engine dask requires the package cryptography for TLS between its processes.",
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
        certificates = {name: getattr(security, name) for name in _CERTIFICATES}
        config = WorkerConfig(self._cluster.scheduler_address, self._folder.name, certificates)
        self._workers = LocalWorkers(config, workers)
        self._client = Client(self._cluster, security=security)
        try:
            self._client.wait_for_workers(workers, timeout=_START_SECONDS)
        except TimeoutError:
            self.close()
            raise UsageError(
                "The Dask workers did not start within {seconds} s.",
                hint="Use another engine: --engine processes",
                seconds=_START_SECONDS,
            ) from None

    def run(self, work: Callable[[A], B], jobs: Iterable[A]) -> Iterator[JobResult[B]]:
        """See `Engine`."""
        remaining = enumerate(jobs)
        pending: dict[Any, tuple[int, A]] = {}

        def send(batch: Iterable[tuple[int, A]]) -> list[Any]:
            futures = []
            for number, job in batch:
                future = self._client.submit(work, job, pure=False, retries=MAX_TRIES - 1)
                pending[future.key] = number, job
                futures.append(future)
            return futures

        suspects: list[tuple[int, A]] = []
        threads = sum(self._client.nthreads().values())
        running = as_completed(send(islice(remaining, _PREFETCH * max(threads, 1))))
        for future in running:
            number, job = pending.pop(future.key)
            result = _job_result(future, number)
            if result.why == WORKER_DIED:
                # it may have been queued, or its result stored, on a worker that another job has killed
                suspects.append((number, job))
            else:
                yield result
            for next_future in send(islice(remaining, 1)):
                running.add(next_future)
        for suspect in suspects:
            (retried,) = send([suspect])
            yield _job_result(retried, suspect[0])

    def close(self) -> None:
        """Disconnect from the cluster, and stop it if it was started here."""
        with suppress(OSError, TimeoutError):
            self._client.close()
        if self._workers is not None:
            self._workers.close()
        if self._cluster is not None:
            with suppress(OSError, TimeoutError):
                self._cluster.close()
        if self._folder is not None:
            self._folder.cleanup()


def _connect(scheduler: str) -> Client:
    try:
        return Client(scheduler, timeout="20s")
    except (OSError, TimeoutError, ValueError) as error:
        raise UsageError(
            "Cannot reach the scheduler {address}: {why}",
            hint="Start one with: dask scheduler",
            address=scheduler,
            why=format_error(error),
        ) from None


def _job_result(future: Any, number: int) -> JobResult[Any]:
    try:
        return JobResult(number, future.result())
    except KilledWorker:
        return JobResult(number, why=WORKER_DIED)
    except Exception as error:  # whatever the job raised
        return JobResult(number, why=format_error(error))
