"""Engine on local worker processes. One thread per worker feeds it with jobs; a worker that dies is replaced."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from sightline.scoring.engines import MAX_TRIES, SINGLE_THREAD_ENVIRONMENT, WORKER_DIED, A, B, JobResult
from sightline.scoring.engines.child_processes import (
    answer_decoder,
    child_environment,
    python_command,
    receive_answer,
    send_job,
)


class ProcessEngine:
    """A pool of worker processes that start up in the background."""

    def __init__(self, workers: int, module: str = "") -> None:
        self._workers, self._module = workers, module
        self._lock, self._jobs_lock = Lock(), Lock()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._is_closed = False
        self._idle = [self._start() for _ in range(workers)]

    def run(self, work: Callable[[A], B], jobs: Iterable[A]) -> Iterator[JobResult[B]]:
        """See `Engine`."""
        results: SimpleQueue[JobResult[B] | BaseException | None] = SimpleQueue()
        numbered_jobs = enumerate(jobs)
        threads = [
            Thread(target=self._feed_worker, args=(work, numbered_jobs, results), daemon=True)
            for _ in range(self._workers)
        ]
        for thread in threads:
            thread.start()
        busy = len(threads)
        try:
            while busy:
                result = results.get()
                if result is None:
                    busy -= 1
                elif isinstance(result, BaseException):
                    raise result
                else:
                    yield result
        finally:
            if busy:  # the caller stopped iterating
                self.close()

    def _feed_worker(
        self, work: Callable[[Any], Any], jobs: Iterator[tuple[int, Any]], results: SimpleQueue[Any]
    ) -> None:
        """Feed one worker with jobs until none are left."""
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        try:
            decoder = answer_decoder(work)
            while True:
                with self._jobs_lock:
                    number, job = next(jobs, (-1, None))
                if number < 0 or self._is_closed:
                    break
                result = JobResult[Any](number, why=WORKER_DIED)
                for _ in range(MAX_TRIES):
                    worker = worker or self._start()
                    result, is_alive = _run_job(worker, number, (work, job), decoder)
                    if not is_alive:
                        self._terminate(worker)
                        worker = None
                    if not result.why or self._is_closed:
                        break
                results.put(result)
        except BaseException as error:  # iterating over the jobs failed: raised where the results are read
            results.put(error)
        finally:
            self._release(worker)
            results.put(None)

    def _start(self) -> subprocess.Popen[bytes]:
        worker = subprocess.Popen(  # noqa: S603  # our own module
            python_command("sightline.scoring.engines.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**child_environment(storage=True), **SINGLE_THREAD_ENVIRONMENT},
        )
        with self._lock:
            self._processes.add(worker)
        assert worker.stdin is not None
        with suppress(OSError):  # found out when the first job is sent
            send_job(worker.stdin, self._module)
        return worker

    def _release(self, worker: subprocess.Popen[bytes] | None) -> None:
        """Return a worker to the pool, or terminate it if the engine is closed."""
        if worker is None:
            return
        with self._lock:
            if not self._is_closed:
                self._idle.append(worker)
                return
        self._terminate(worker)

    def _terminate(self, worker: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._processes.discard(worker)
        worker.kill()
        worker.wait()
        for pipe in (worker.stdin, worker.stdout):
            with suppress(OSError):  # unread data is discarded
                if pipe is not None:
                    pipe.close()

    def close(self) -> None:
        """Terminate all workers, even busy ones."""
        self._is_closed = True
        with self._lock:
            running, idle, self._idle = list(self._processes), self._idle, []
        for worker in running:
            worker.kill()  # the thread that feeds it notices and cleans up
        for worker in idle:
            self._terminate(worker)


def _run_job(
    worker: subprocess.Popen[bytes], number: int, request: tuple[Any, Any], decoder: Any
) -> tuple[JobResult[Any], bool]:
    """Run a job on a worker: its result, and whether the worker is still alive."""
    assert worker.stdin is not None and worker.stdout is not None
    try:
        send_job(worker.stdin, request)
        value, why = receive_answer(worker.stdout, decoder)
    except (EOFError, OSError, ValueError):
        return JobResult(number, why=WORKER_DIED), False
    return JobResult(number, value, why), True
