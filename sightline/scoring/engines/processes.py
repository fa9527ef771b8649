"""Workers in processes of this machine. One thread a worker hands out jobs; a worker that dies is replaced."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from sightline.scoring.engines import DIED, ONE_THREAD, TRIES, A, B, Done
from sightline.scoring.engines.child_processes import child_environment, python_command
from sightline.scoring.engines.pipes import answer_decoder, receive_answer, send_job


class ProcessEngine:
    """So many processes, which get ready while the caller does."""

    def __init__(self, workers: int, module: str = "") -> None:
        self._workers, self._module = workers, module
        self._lock, self._drawing = Lock(), Lock()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._is_closed = False
        self._idle = [self._start() for _ in range(workers)]

    def run(self, work: Callable[[A], B], jobs: Iterable[A]) -> Iterator[Done[B]]:
        """See `Engine`."""
        ends: SimpleQueue[Done[B] | BaseException | None] = SimpleQueue()
        source = enumerate(jobs)
        threads = [Thread(target=self._attend, args=(work, source, ends), daemon=True) for _ in range(self._workers)]
        for thread in threads:
            thread.start()
        busy = len(threads)
        try:
            while busy:
                end = ends.get()
                if end is None:
                    busy -= 1
                elif isinstance(end, BaseException):
                    raise end
                else:
                    yield end
        finally:
            if busy:  # the caller wants no more
                self.close()

    def _attend(self, work: Callable[[Any], Any], source: Iterator[tuple[int, Any]], ends: SimpleQueue[Any]) -> None:
        """See one worker through jobs until there are none left."""
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        try:
            decoder = answer_decoder(work)
            while True:
                with self._drawing:
                    number, job = next(source, (-1, None))
                if number < 0 or self._is_closed:
                    break
                end = Done[Any](number, why=DIED)
                for _ in range(TRIES):
                    worker = worker or self._start()
                    end, is_alive = _asked(worker, number, (work, job), decoder)
                    if not is_alive:
                        self._end(worker)
                        worker = None
                    if not end.why or self._is_closed:
                        break
                ends.put(end)
        except BaseException as error:  # drawing a job failed: raised where the ends are read
            ends.put(error)
        finally:
            self._let_go(worker)
            ends.put(None)

    def _start(self) -> subprocess.Popen[bytes]:
        worker = subprocess.Popen(  # noqa: S603  # our own module
            python_command("sightline.scoring.engines.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**child_environment(storage=True), **ONE_THREAD},
        )
        with self._lock:
            self._processes.add(worker)
        assert worker.stdin is not None
        with suppress(OSError):  # found out when the first job is sent
            send_job(worker.stdin, self._module)
        return worker

    def _let_go(self, worker: subprocess.Popen[bytes] | None) -> None:
        """Keep a worker for the next run, or end it where there is none."""
        if worker is None:
            return
        with self._lock:
            if not self._is_closed:
                self._idle.append(worker)
                return
        self._end(worker)

    def _end(self, worker: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._processes.discard(worker)
        worker.kill()
        worker.wait()
        for pipe in (worker.stdin, worker.stdout):
            with suppress(OSError):  # what it still held is not wanted
                if pipe is not None:
                    pipe.close()

    def close(self) -> None:
        """End all workers, whatever they are at."""
        self._is_closed = True
        with self._lock:
            running, idle, self._idle = list(self._processes), self._idle, []
        for worker in running:
            worker.kill()  # whoever attends to it sees the end, and clears up
        for worker in idle:
            self._end(worker)


def _asked(
    worker: subprocess.Popen[bytes], number: int, request: tuple[Any, Any], decoder: Any
) -> tuple[Done[Any], bool]:
    """The end of a job, and whether the worker is still there."""
    assert worker.stdin is not None and worker.stdout is not None
    try:
        send_job(worker.stdin, request)
        value, why = receive_answer(worker.stdout, decoder)
    except (EOFError, OSError, ValueError):
        return Done(number, why=DIED), False
    return Done(number, value, why), True
