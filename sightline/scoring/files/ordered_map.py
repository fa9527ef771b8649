"""Work in threads whose results come in the order of the jobs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


def in_order(threads: ThreadPoolExecutor, work: Callable[[A], B], jobs: Iterable[A], width: int) -> Iterator[B]:
    """Results in the order of the jobs, with a few under way at a time."""
    under_way: deque[Future[B]] = deque()
    try:
        for job in jobs:
            under_way.append(threads.submit(work, job))
            if len(under_way) > 3 * width:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        for left in under_way:
            left.cancel()
