"""Whose turn it is: so many at a time, the others wait, and no client's crowd keeps another client out."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque


class FullError(Exception):
    """The queue has no more places."""


class Turns:
    """First come, first served within a client; between clients, one each in rotation."""

    def __init__(self, at_once: int, most_waiting: int) -> None:
        self._free = at_once
        self._most = most_waiting
        self._queues: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self.waiting = 0

    async def take(self, client: str) -> None:
        """Wait for a turn; raises `FullError` at once where too many wait."""
        if self._free:
            self._free -= 1
            return
        if self.waiting >= self._most:
            raise FullError
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(client, deque()).append(turn)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it came in the very moment when nobody wanted it any more
                self.give_back()
            else:
                self._forget(client, turn)
            raise

    def give_back(self) -> None:
        """Let the next one have its turn."""
        if not self._queues:
            self._free += 1
            return
        client, queue = self._queues.popitem(last=False)
        turn = queue.popleft()
        self.waiting -= 1
        if queue:
            self._queues[client] = queue
        turn.set_result(None)

    def _forget(self, client: str, turn: asyncio.Future[None]) -> None:
        queue = self._queues[client]
        queue.remove(turn)
        self.waiting -= 1
        if not queue:
            del self._queues[client]
