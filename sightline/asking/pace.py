"""How many requests are in flight and how fast they start: additive up, multiplicative down, under caps a minute."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from time import monotonic

_FIRST = 8


class Pace:
    """A window of requests in flight that feels its way: doubling a round until the first sign of congestion, then one
    more a round; halved by congestion, at most once for the requests of one window."""

    def __init__(
        self,
        most: int,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.window = float(min(_FIRST, most))
        self.in_flight = 0
        self._most = most
        self._epoch = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._requests = _Rate(requests_per_minute, clock)
        self._tokens = _Rate(tokens_per_minute, clock)

    async def enter(self) -> int:
        """Wait for a place; the number returned tells `congested` which window the request belonged to."""
        while self.in_flight >= int(self.window):
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            await place
        self.in_flight += 1
        try:
            await self._requests.wait(1)
            await self._tokens.wait(0)
        except BaseException:
            self.leave()
            raise
        return self._epoch

    def leave(self, tokens: int = 0) -> None:
        """Give the place back; tokens used delay those that come after."""
        self.in_flight -= 1
        self._tokens.owe(tokens)
        self._wake()

    def succeeded(self) -> None:
        """Widen the window."""
        step = 1.0 if self._epoch == 0 else 1.0 / self.window
        self.window = min(float(self._most), self.window + step)
        self._wake()

    def congested(self, epoch: int) -> None:
        """Halve the window, unless a request of the same window has done so already."""
        if epoch == self._epoch:
            self._epoch += 1
            self.window = max(1.0, self.window / 2)

    def _wake(self) -> None:
        free = int(self.window) - self.in_flight
        while free > 0 and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1


class _Rate:
    """A cap a minute, kept by spacing: what was used pushes the next start into the future."""

    def __init__(self, per_minute: int | None, clock: Callable[[], float]) -> None:
        self._seconds_each = 60.0 / per_minute if per_minute else 0.0
        self._clock = clock
        self._free_at = 0.0

    async def wait(self, amount: int) -> None:
        """Wait until the debt is paid, then take `amount`."""
        if not self._seconds_each:
            return
        start = max(self._clock(), self._free_at)
        self._free_at = start + amount * self._seconds_each
        if (delay := start - self._clock()) > 0:
            await asyncio.sleep(delay)

    def owe(self, amount: int) -> None:
        """Add to the debt what only the reply could tell."""
        if self._seconds_each:
            self._free_at = max(self._clock(), self._free_at) + amount * self._seconds_each
