"""AIMD concurrency limiter with rate limits: how many requests are in flight, and how many start per minute."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic

_FIRST = 8


class AdaptiveLimiter:
    """Adaptive window of requests in flight: doubled per round trip until the first congestion (slow start), then
    increased by one per round trip (additive increase); halved by congestion, at most once per window."""

    def __init__(
        self,
        max_in_flight: int,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.window = float(min(_FIRST, max_in_flight))
        self.in_flight = 0
        self._max_in_flight = max_in_flight
        self._epoch = 0
        self._requests = _RateLimit(requests_per_minute, clock)
        self._tokens = _RateLimit(tokens_per_minute, clock)

    @property
    def free(self) -> int:
        """The number of free slots."""
        return int(self.window) - self.in_flight

    @property
    def delay(self) -> float:
        """Seconds that the rate limits would delay a request that starts now."""
        return max(self._requests.delay, self._tokens.delay)

    def acquire(self) -> None:
        """Occupy a slot; the caller has checked that one is free."""
        self.in_flight += 1

    async def wait_for_rate_limits(self) -> int:
        """Wait for the rate limits; returns the epoch of the window, to be passed to `record_congestion`."""
        await self._requests.wait(1)
        await self._tokens.wait(0)
        return self._epoch

    def release(self, tokens: int = 0) -> None:
        """Release a slot; the tokens used delay later requests."""
        self.in_flight -= 1
        self._tokens.add_debt(tokens)

    def record_success(self) -> None:
        """Widen the window."""
        step = 1.0 if self._epoch == 0 else 1.0 / self.window
        self.window = min(float(self._max_in_flight), self.window + step)

    def record_congestion(self, epoch: int) -> None:
        """Halve the window, unless another request of the same epoch has already done so."""
        if epoch == self._epoch:
            self._epoch += 1
            self.window = max(1.0, self.window / 2)

    def lower_maximum(self, max_in_flight: int) -> None:
        """Lower the maximum of the window."""
        self._max_in_flight = max_in_flight
        self.window = min(self.window, float(max_in_flight))

    def restart(self) -> None:
        """Return to slow start with a window of one request."""
        self.window = 1.0
        self._epoch = 0


class _RateLimit:
    """Rate limit per minute by spacing (leaky bucket): the amount used delays the next start."""

    def __init__(self, per_minute: int | None, clock: Callable[[], float]) -> None:
        self._interval = 60.0 / per_minute if per_minute else 0.0
        self._clock = clock
        self._free_at = 0.0

    @property
    def delay(self) -> float:
        """Seconds until the next start is allowed."""
        return max(0.0, self._free_at - self._clock()) if self._interval else 0.0

    async def wait(self, amount: int) -> None:
        """Wait until the next start is allowed, then use `amount`."""
        if not self._interval:
            return
        start = max(self._clock(), self._free_at)
        self._free_at = start + amount * self._interval
        if (delay := start - self._clock()) > 0:
            await asyncio.sleep(delay)

    def add_debt(self, amount: int) -> None:
        """Add an amount that is known only after the reply."""
        if self._interval:
            self._free_at = max(self._clock(), self._free_at) + amount * self._interval
