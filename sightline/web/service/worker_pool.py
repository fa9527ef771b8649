"""Worker process pool: one request per process; a worker that times out is killed and replaced."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress

import msgspec

from sightline.core.errors import UsageError
from sightline.scoring.engines import SINGLE_THREAD_ENVIRONMENT
from sightline.scoring.engines.child_processes import FRAME_LENGTH, child_environment, python_command
from sightline.web.service.limits import ServiceLimits
from sightline.web.service.worker import READY, JobRequest, JobResult

_START_TIMEOUT = 600.0
"""Seconds; kernels are compiled on the first start."""
_RESTART_DELAY = 1.0


class WorkerTimeoutError(Exception):
    """The request timed out in the worker."""


class WorkerLostError(Exception):
    """The worker process ended during a request."""


class _Worker:
    """One worker process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process, self._in, self._out = process, process.stdin, process.stdout

    @classmethod
    async def start(cls, memory: int) -> _Worker:
        process = await asyncio.create_subprocess_exec(
            *python_command("sightline.web.service.worker", str(memory)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**SINGLE_THREAD_ENVIRONMENT, **child_environment()},
            start_new_session=sys.platform != "win32",  # its child processes are killed with it
        )
        worker = cls(process)
        try:
            async with asyncio.timeout(_START_TIMEOUT):
                if await worker.receive() == READY:
                    return worker
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            pass
        except BaseException:
            await worker.kill()
            raise
        await worker.kill()
        raise WorkerLostError

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def ask(self, frame: bytes) -> bytes:
        self._in.write(FRAME_LENGTH.pack(len(frame)) + frame)
        await self._in.drain()
        return await self.receive()

    async def receive(self) -> bytes:
        return await self._out.readexactly(FRAME_LENGTH.unpack(await self._out.readexactly(FRAME_LENGTH.size))[0])

    async def end(self) -> None:
        """Close the pipe, which ends the process; kill it if that takes too long."""
        self._in.close()
        try:
            async with asyncio.timeout(_RESTART_DELAY):
                await self._process.wait()
        except TimeoutError:
            await self.kill()

    async def kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)
        self._in.close()
        await self._process.wait()


class WorkerPool:
    """A fixed-size pool of worker processes."""

    def __init__(self, limits: ServiceLimits) -> None:
        self._limits = limits
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._starting: set[asyncio.Task[None]] = set()
        self.ready = 0
        self.busy = 0

    async def start(self) -> None:
        """Start all workers; returns when the first is ready."""
        try:
            await self._start_worker()
        except WorkerLostError:
            raise UsageError(
                "The worker processes of the service do not start.", hint="See their output above."
            ) from None
        for _ in range(self._limits.workers - 1):
            self._replace()

    async def close(self) -> None:
        """Stop all workers."""
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        while not self._idle.empty():
            await self._idle.get_nowait().end()

    async def run(self, job: JobRequest) -> JobResult:
        """Run a job in a worker; raises `WorkerTimeoutError` or `WorkerLostError`."""
        worker = await self._next()
        self.busy += 1
        is_healthy = False
        try:
            async with asyncio.timeout(self._limits.seconds):
                answer = await worker.ask(msgspec.msgpack.encode(job))
            is_healthy = True
            return msgspec.msgpack.decode(answer, type=JobResult)
        except TimeoutError:
            raise WorkerTimeoutError from None
        except (OSError, asyncio.IncompleteReadError):
            raise WorkerLostError from None
        finally:
            self.busy -= 1
            if is_healthy:
                self._idle.put_nowait(worker)
            else:
                self._discard_worker()
                await worker.kill()

    async def _next(self) -> _Worker:
        """Wait for an idle worker.

        The start of a replacement worker does not count against the timeout of the request.
        """
        try:
            async with asyncio.timeout(_START_TIMEOUT):
                while not (worker := await self._idle.get()).alive:  # ended while idle
                    self._discard_worker()
                return worker
        except TimeoutError:  # all workers were lost and not replaced
            raise WorkerLostError from None

    async def _start_worker(self) -> None:
        worker = await _Worker.start(self._limits.memory)
        self.ready += 1
        self._idle.put_nowait(worker)

    def _discard_worker(self) -> None:
        self.ready -= 1
        self._replace()

    def _replace(self) -> None:
        async def until_there_is_one() -> None:
            while True:
                try:
                    return await self._start_worker()
                except WorkerLostError:
                    await asyncio.sleep(_RESTART_DELAY)

        task = asyncio.create_task(until_there_is_one())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)
