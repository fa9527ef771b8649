"""Graceful shutdown of inference on Ctrl-C (SIGINT), SIGTERM and SIGHUP."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from sightline.core.errors import RunStoppedError


class InterruptedRun(RunStoppedError):  # noqa: N818  # what the user did, not an error
    """The run was stopped by SIGINT (Ctrl-C), SIGTERM or SIGHUP."""


def interruption() -> InterruptedRun:
    """The error of an interrupted run that has nothing left in flight."""
    return InterruptedRun("Stopped by the user.", hint="Rerun the same command to resume.")


def stop_signals() -> list[signal.Signals]:
    """The signals that stop a run as Ctrl-C does: SIGTERM (Slurm, Kubernetes) and SIGHUP (closed terminal).

    An ignored SIGHUP stays ignored: the user started the run with nohup.
    """
    signals = [signal.SIGINT, signal.SIGTERM]
    hangup = getattr(signal, "SIGHUP", None)  # not on Windows
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        signals.append(hangup)
    return signals


@contextmanager
def handle_stop_signals(stop: Callable[[], object]) -> Iterator[None]:
    """Signal handlers that call `stop`, even where Ctrl-C was ignored; the previous handlers are restored after."""
    loop = asyncio.get_running_loop()
    before: dict[signal.Signals, Any] = {}
    with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        for number in stop_signals():
            handler = signal.getsignal(number)
            loop.add_signal_handler(number, stop)
            before[number] = handler
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


def run_async(work: Callable[[], Coroutine[None, None, None]]) -> None:
    """Run a coroutine to its end; where an event loop is already running (notebooks), in a separate thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work())
        return
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(work())).result()
