"""Zygote process: preloads the libraries and forks a confined child for each program.

On its control socket it gets the limits of a program and three descriptors: the request, the output, the reply. It
forks, lets go of the descriptors, waits, and says how the child ended. The text of a program never passes through this
process, so no child finds an earlier program in the memory it inherits.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import select
import signal
import socket
import sys
import tempfile
import time
from contextlib import suppress
from typing import Any

from . import program, scratch, syscalls
from .confinement import confine_process, drop_privileges

LIBRARIES = """
bisect collections csv dataclasses datetime decimal fractions functools heapq itertools math random re statistics string
typing numpy numpy.fft numpy.linalg numpy.ma numpy.polynomial numpy.random
matplotlib matplotlib.figure matplotlib.pyplot matplotlib.backends.backend_agg
"""
"""Modules that programs import most, preloaded before the first fork."""
POLL_SECONDS = 0.05
"""Interval between two checks of the scratch folder."""
MAX_HEADER_BYTES = 1 << 16
KILL = b"K"
CLOSE_RANGE = 436
"""The same number on every machine."""


def serve(control: socket.socket, settings: dict[str, Any]) -> None:
    """Run programs until the control socket closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    drop_privileges()
    if settings["preload"]:
        _preload()
    gc.collect()
    gc.freeze()
    control.sendall(b"ready")
    while True:
        header, descriptors, _, _ = socket.recv_fds(control, MAX_HEADER_BYTES, 3)
        if not header:
            return
        if header == KILL:  # it crossed with the end of the program that it was meant for
            continue
        answer = _run_program(control, {**settings, **json.loads(header)}, descriptors)
        control.sendall(json.dumps(answer).encode())


def _preload() -> None:
    for name in LIBRARIES.split():
        with suppress(ImportError):
            importlib.import_module(name)


def _run_program(control: socket.socket, settings: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
    folder = tempfile.mkdtemp(prefix="program-", dir=settings["scratch"])
    started = time.monotonic()
    child = os.fork()
    if not child:
        _run_child(folder, settings, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    # The whole place is watched and cleared, not only the program's folder: without Landlock it can write beside it.
    cause = _watch(child, control, settings["scratch"], settings["limits"])
    _, status, used = os.wait4(child, 0)
    seconds = time.monotonic() - started
    scratch.clear(settings["scratch"])
    return {
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "cause": cause,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "seconds": seconds,
        "peak": max(used.ru_maxrss, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss),
    }


def _watch(child: int, control: socket.socket, folder: str, limits: dict[str, Any]) -> str:
    """Wait for the child to end, or kill it at a limit; return the cause if it was killed."""
    handle = os.pidfd_open(child)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    poll.register(control, select.POLLIN)
    deadline = time.monotonic() + limits["seconds"]
    try:
        while True:
            remaining = deadline - time.monotonic()
            ready = {descriptor for descriptor, _ in poll.poll(max(0.0, min(POLL_SECONDS, remaining)) * 1000)}
            if handle in ready:
                return ""
            if control.fileno() in ready:
                cause = "asked" if control.recv(1) else "alone"
            elif remaining <= 0:
                cause = "time"
            elif scratch.is_too_full(folder, limits["scratch_mb"] << 20):
                cause = "scratch"
            else:
                continue
            os.kill(child, signal.SIGKILL)
            return cause
    finally:
        os.close(handle)


def _run_child(folder: str, settings: dict[str, Any], descriptors: list[int]) -> None:
    """Child process: arrange descriptors, confine itself, run the program and exit."""
    leave = os._exit  # whatever the program makes of it
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        high = [os.dup(descriptor) for descriptor in (null, *descriptors)]
        request, reply = _arrange_descriptors(high)
        request_data = json.loads(_read_all(request))
        os.close(request)
        os.chdir(folder)
        os.environ.update(HOME=folder, TMPDIR=folder, MPLCONFIGDIR=folder)
        tempfile.tempdir = folder
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # what was printed before a kill counts
        write = program.descriptor_writer(reply)
        try:
            confine_process(folder, settings["limits"], settings["readable"], settings["needs_landlock"])
        except (OSError, ValueError) as problem:
            program.send_refusal(request_data, write, str(problem))
        else:
            program.run(request_data, write)
    finally:
        leave(0)


def _arrange_descriptors(high: list[int]) -> tuple[int, int]:
    """Move null to 0 and 2, output to 1, reply to 3 and request to 4, and close all other descriptors."""
    null, request, output, reply = high
    free = max(high) + 1
    moved = [
        os.dup2(descriptor, free + target) for target, descriptor in enumerate((null, output, null, reply, request))
    ]
    for target, descriptor in enumerate(moved):
        os.dup2(descriptor, target)
    syscalls.syscall(CLOSE_RANGE, 5, (1 << 32) - 1, 0)
    return 4, 3


def _read_all(descriptor: int) -> bytes:
    chunks = []
    while chunk := os.read(descriptor, 1 << 20):
        chunks.append(chunk)
    return b"".join(chunks)


def main() -> None:
    """Entry point: the control socket is the only argument, and its first message holds the settings."""
    control = socket.socket(fileno=int(sys.argv[1]))
    settings = json.loads(control.recv(MAX_HEADER_BYTES))
    sys.path.extend(settings["path"])
    try:
        serve(control, settings)
    except BrokenPipeError:  # the parent is gone
        return
    finally:
        with suppress(OSError):
            scratch.remove(settings["scratch"])
