"""Work for engines to do, good and bad; it lies in a module because workers import it."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path


def double(number: int) -> int:
    """Twice the number, with some noise on standard output."""
    print("a library that prints")
    return 2 * number


def fails_at_three(number: int) -> int:
    """Nothing for 3."""
    if number == 3:
        raise ValueError("three\nis no number")
    return number


def dies_at_three(number: int) -> int:
    """The process goes with it."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    return number


def dies_once(job: tuple[str, int]) -> int:
    """The first worker that comes to number 3 dies."""
    mark, number = Path(job[0]), job[1]
    if number == 3 and not mark.exists():
        mark.touch()
        dies_at_three(3)
    return number


def parse_slowly(text: str) -> object:
    """A user's parser that takes its time, and can't read one of the words at all."""
    import time

    from sightline.records import Parsed

    time.sleep(0.002)
    if text == "poison":
        raise RuntimeError("poisoned")
    return Parsed(text)


def same(truth: object, reply: object) -> float:
    """A user's metric: share of equal replies"""
    return float(truth == reply)
