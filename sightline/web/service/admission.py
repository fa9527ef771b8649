"""Admission control: bounded concurrency with a fair queue (round robin between clients)."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque


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
