"""What a service allows."""

from __future__ import annotations

import os

from msgspec import Struct, field


class Limits(Struct, frozen=True, kw_only=True):
    """How much, how long, how many."""

    body: int = 10_000_000
    """Bytes of one body."""
    seconds: float = 30.0
    """For the work on one request, and for its body to arrive."""
    workers: int = field(default_factory=lambda: min(os.cpu_count() or 1, 8))
    waiting: int = 256
    """Requests in the queue; more are sent away."""
    memory: int = 4096
    """Megabytes of one worker; 0: no limit."""

    @property
    def held(self) -> int:
        """Bytes of all bodies at a time."""
        return max(16 * self.body, 64_000_000)
