"""Worker processes: each does one request at a time; one that overruns is killed, and another takes its place."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress

import msgspec

from sightline.core.errors import UsageError
from sightline.scoring.engines import SINGLE_THREAD_ENVIRONMENT
from sightline.scoring.engines.child_processes import child_environment, python_command
from sightline.web.service.handler import Done, Job
from sightline.web.service.limits import Limits
from sightline.web.service.worker import HEAD, READY

_STARTING = 600.0
"""Seconds: on a machine that has never run the kernels they are compiled first."""
_PAUSE = 1.0


class OverrunError(Exception):
    """The work took too long."""


class LostError(Exception):
    """The process ended in the middle of the work."""


class _Worker:
    """One process."""

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
            start_new_session=sys.platform != "win32",  # so that what it starts ends with it
        )
        worker = cls(process)
        try:
            async with asyncio.timeout(_STARTING):
                if await worker.receive() == READY:
                    return worker
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            pass
        except BaseException:
            await worker.kill()
            raise
        await worker.kill()
        raise LostError

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def ask(self, frame: bytes) -> bytes:
        self._in.write(HEAD.pack(len(frame)) + frame)
        await self._in.drain()
        return await self.receive()

    async def receive(self) -> bytes:
        return await self._out.readexactly(HEAD.unpack(await self._out.readexactly(HEAD.size))[0])

    async def end(self) -> None:
        """Let it go: it ends when its input does."""
        self._in.close()
        try:
            async with asyncio.timeout(_PAUSE):
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


class Workers:
    """A fixed number of processes that are ready to work."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._hiring: set[asyncio.Task[None]] = set()
        self.ready = 0
        self.busy = 0

    async def start(self) -> None:
        """Start them all; returns when the first is ready."""
        try:
            await self._hire()
        except LostError:
            raise UsageError(
                "The worker processes of the service don't start.", hint="Look at what they printed above."
            ) from None
        for _ in range(self._limits.workers - 1):
            self._replace()

    async def close(self) -> None:
        """End them all."""
        for task in self._hiring:
            task.cancel()
        await asyncio.gather(*self._hiring, return_exceptions=True)
        while not self._idle.empty():
            await self._idle.get_nowait().end()

    async def run(self, job: Job) -> Done:
        """What a worker makes of a job; raises `OverrunError` or `LostError`."""
        worker = await self._next()
        self.busy += 1
        kept = False
        try:
            async with asyncio.timeout(self._limits.seconds):
                answer = await worker.ask(msgspec.msgpack.encode(job))
            kept = True
            return msgspec.msgpack.decode(answer, type=Done)
        except TimeoutError:
            raise OverrunError from None
        except (OSError, asyncio.IncompleteReadError):
            raise LostError from None
        finally:
            self.busy -= 1
            if kept:
                self._idle.put_nowait(worker)
            else:
                self._dismiss()
                await worker.kill()

    async def _next(self) -> _Worker:
        """A worker that is ready. One that still starts, in place of another that was lost, is waited for as long as
        starting may take: its time is no fault of the request."""
        try:
            async with asyncio.timeout(_STARTING):
                while not (worker := await self._idle.get()).alive:  # ended while nobody looked
                    self._dismiss()
                return worker
        except TimeoutError:  # all were lost, and none came in their place
            raise LostError from None

    async def _hire(self) -> None:
        worker = await _Worker.start(self._limits.memory)
        self.ready += 1
        self._idle.put_nowait(worker)

    def _dismiss(self) -> None:
        self.ready -= 1
        self._replace()

    def _replace(self) -> None:
        async def until_there_is_one() -> None:
            while True:
                try:
                    return await self._hire()
                except LostError:
                    await asyncio.sleep(_PAUSE)

        task = asyncio.create_task(until_there_is_one())
        self._hiring.add(task)
        task.add_done_callback(self._hiring.discard)
