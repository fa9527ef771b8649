"""Resource limits of the service."""

from __future__ import annotations

import os

from msgspec import Struct, field


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
