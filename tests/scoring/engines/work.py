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

    from sightline.core.records import Parsed

    time.sleep(0.002)
    if text == "poison":
        raise RuntimeError("poisoned")
    return Parsed(text)


def same(truth: object, reply: object) -> float:
    """A user's metric: share of equal replies"""
    return float(truth == reply)


def name_variables(_: int) -> list[str]:
    """The variables that a worker can see."""
    return sorted(os.environ)


def load_itself(_: int) -> str:
    """Answers with an object that is no value and no record."""
    return object()  # type: ignore[return-value]


def lie(number: int) -> int:
    """Answers with something else than it declares."""
    return f"{number}"  # type: ignore[return-value]


def raise_end(_: int) -> int:
    """An exception that a worker also sees where its pipe ends."""
    raise EOFError("the job's own")


def find_module(name: str) -> str:
    """Where a worker would import a module from."""
    from importlib.util import find_spec

    spec = find_spec(name)
    return str(spec.origin) if spec else ""
