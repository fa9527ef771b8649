"""Ctrl-C while models are asked: what is under way is put down cleanly."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from sightline.errors import RunStoppedError


class InterruptedRun(RunStoppedError):  # noqa: N818  # what the user did, not an error
    """Ctrl-C."""


def interrupted() -> InterruptedRun:
    """With nothing left under way."""
    return InterruptedRun("Stopped by the user.", hint="The same command goes on from here.")


@contextmanager
def on_interrupt(stop: Callable[[], object]) -> Iterator[None]:
    """The first Ctrl-C calls `stop`, even where signals were ignored before; afterwards Ctrl-C is as it was."""
    loop = asyncio.get_running_loop()
    before = signal.getsignal(signal.SIGINT)
    is_taken = False
    with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        loop.add_signal_handler(signal.SIGINT, stop)
        is_taken = True
    try:
        yield
    finally:
        if is_taken:
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, before)


def run_anywhere(work: Callable[[], Coroutine[None, None, None]]) -> None:
    """Run to the end; inside a notebook, whose own loop is running already, on a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work())
        return
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(work())).result()
