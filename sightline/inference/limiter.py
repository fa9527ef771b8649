"""AIMD concurrency limiter: how many requests are in flight and how fast they start, under caps per minute."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic

_FIRST = 8


class AdaptiveLimiter:
    """A window of requests in flight that adapts: doubled per round until the first sign of congestion, then one more
    per round (additive increase); halved by congestion, at most once for the requests of one window."""

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
        self._requests = _RateLimit(requests_per_minute, clock)
        self._tokens = _RateLimit(tokens_per_minute, clock)

    @property
    def free(self) -> int:
        """How many more may be in flight."""
        return int(self.window) - self.in_flight

    @property
    def delay(self) -> float:
        """How many seconds the caps would hold up a request that starts now."""
        return max(self._requests.delay, self._tokens.delay)

    def take(self) -> None:
        """Take a slot; only where one is free."""
        self.in_flight += 1

    async def start(self) -> int:
        """Wait for the caps; the number returned tells `record_congestion` which window the request belonged to."""
        await self._requests.wait(1)
        await self._tokens.wait(0)
        return self._epoch

    def release(self, tokens: int = 0) -> None:
        """Give the slot back; tokens used delay those that come after."""
        self.in_flight -= 1
        self._tokens.add_debt(tokens)

    def record_success(self) -> None:
        """Widen the window."""
        step = 1.0 if self._epoch == 0 else 1.0 / self.window
        self.window = min(float(self._most), self.window + step)

    def record_congestion(self, epoch: int) -> None:
        """Halve the window, unless a request of the same window has done so already."""
        if epoch == self._epoch:
            self._epoch += 1
            self.window = max(1.0, self.window / 2)

    def limit(self, most: int) -> None:
        """Lower the largest window."""
        self._most = most
        self.window = min(self.window, float(most))

    def restart(self) -> None:
        """Slow start: one request at first, as at a server that nothing is known of."""
        self.window = 1.0
        self._epoch = 0


class _RateLimit:
    """A cap per minute, kept by spacing: what was used pushes the next start into the future."""

    def __init__(self, per_minute: int | None, clock: Callable[[], float]) -> None:
        self._seconds_each = 60.0 / per_minute if per_minute else 0.0
        self._clock = clock
        self._free_at = 0.0

    @property
    def delay(self) -> float:
        """Seconds until the debt is paid."""
        return max(0.0, self._free_at - self._clock()) if self._seconds_each else 0.0

    async def wait(self, amount: int) -> None:
        """Wait until the debt is paid, then take `amount`."""
        if not self._seconds_each:
            return
        start = max(self._clock(), self._free_at)
        self._free_at = start + amount * self._seconds_each
        if (delay := start - self._clock()) > 0:
            await asyncio.sleep(delay)

    def add_debt(self, amount: int) -> None:
        """Add to the debt what only the reply could tell."""
        if self._seconds_each:
            self._free_at = max(self._clock(), self._free_at) + amount * self._seconds_each
