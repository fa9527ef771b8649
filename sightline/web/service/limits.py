"""Resource limits: body size, timeouts, concurrency, and admission by a fair queue."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct, field
from starlette.requests import ClientDisconnect, Request

from sightline.i18n import tr
from sightline.web.service.problems import ProblemError


class ServiceLimits(Struct, frozen=True, kw_only=True):
    """Limits on body size, time, concurrency, queue length and memory."""

    body: int = 10_000_000
    """Maximum bytes of one request body."""
    seconds: float = 30.0
    """Timeout for handling a request, and for receiving its body."""
    workers: int = field(default_factory=lambda: min(os.cpu_count() or 1, 8))
    waiting: int = 256
    """Maximum queue length; further requests get status 429."""
    memory: int = 4096
    """Memory limit of one worker in megabytes; 0: no limit."""

    @property
    def total_body_bytes(self) -> int:
        """Maximum bytes of all request bodies in memory."""
        return max(16 * self.body, 64_000_000)


class QueueFullError(Exception):
    """The queue is full."""


class FairQueue:
    """Fair queue: FIFO per client, round robin between clients."""

    def __init__(self, at_once: int, most_waiting: int) -> None:
        self._free = at_once
        self._most = most_waiting
        self._queues: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self.waiting = 0

    async def acquire(self, client: str) -> None:
        """Wait for a slot; raises `QueueFullError` at once if too many requests are waiting."""
        if self._free:
            self._free -= 1
            return
        if self.waiting >= self._most:
            raise QueueFullError
        slot: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(client, deque()).append(slot)
        self.waiting += 1
        try:
            await slot
        except asyncio.CancelledError:
            if slot.done() and not slot.cancelled():  # the slot was granted just before the cancellation
                self.release()
            else:
                self._remove(client, slot)
            raise

    def release(self) -> None:
        """Release a slot to the next waiting request."""
        if not self._queues:
            self._free += 1
            return
        client, queue = self._queues.popitem(last=False)
        slot = queue.popleft()
        self.waiting -= 1
        if queue:
            self._queues[client] = queue
        slot.set_result(None)

    def _remove(self, client: str, slot: asyncio.Future[None]) -> None:
        queue = self._queues[client]
        queue.remove(slot)
        self.waiting -= 1
        if not queue:
            del self._queues[client]


class BodyReader:
    """Reads request bodies and limits the total bytes held in memory."""

    def __init__(self, limits: ServiceLimits) -> None:
        self._limits = limits
        self._held = 0

    @asynccontextmanager
    async def body(self, request: Request) -> AsyncIterator[bytes]:
        """Read the body of a request; its bytes are counted until the context exits."""
        _check_type(request)
        self._check_size(int(request.headers.get("content-length", "0")[:20]))  # validated by the server
        chunks: list[bytes] = []
        try:
            await self._read(request, chunks)
            yield b"".join(chunks)
        finally:
            self._held -= sum(map(len, chunks))

    async def _read(self, request: Request, chunks: list[bytes]) -> None:
        size = 0
        try:
            async with asyncio.timeout(self._limits.seconds):
                async for chunk in request.stream():
                    chunks.append(chunk)
                    size += len(chunk)
                    self._reserve(len(chunk))
                    self._check_size(size)
        except TimeoutError:
            detail = tr("The body was not complete after {seconds} s.", seconds=f"{self._limits.seconds:g}")
            raise ProblemError("slow-body", detail) from None
        except ClientDisconnect:
            raise ProblemError("slow-body", tr("The client disconnected.")) from None

    def _reserve(self, size: int) -> None:
        self._held += size
        if self._held > self._limits.total_body_bytes:
            detail = tr("The bodies of all waiting requests are too large together.")
            raise ProblemError("full", detail, tr("Try again after {seconds} s.", seconds=2)).with_headers(
                Retry_After=2
            )

    def _check_size(self, size: int) -> None:
        if size > self._limits.body:
            detail = tr("The body may have at most {most} bytes.", most=self._limits.body)
            raise ProblemError("too-large", detail, tr("Send less per request."))


def _check_type(request: Request) -> None:
    """Require JSON: a cross-site page cannot send it without a CORS preflight, which this service refuses."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        detail = tr("The body must be JSON.")
        raise ProblemError("media-type", detail, tr("Send the header Content-Type: application/json."))
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise ProblemError("media-type", tr("The body must not be compressed."))
