"""Exponential backoff of retries."""

from __future__ import annotations

_MAX_DOUBLINGS = 20


def exponential_backoff(tries: int, first: float, longest: float = float("inf")) -> float:
    """Seconds to wait after a number of tries, from 1: doubled after each, `longest` at most; without jitter."""
    return min(longest, first * 2.0 ** min(tries - 1, _MAX_DOUBLINGS))
