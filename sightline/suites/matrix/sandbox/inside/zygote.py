"""A clean process that holds the libraries and forks a child for each program.

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

from . import kernel, program, scratch
from .confinement import confine, give_up_privileges

LIBRARIES = """
bisect collections csv dataclasses datetime decimal fractions functools heapq itertools math random re statistics string
typing numpy numpy.fft numpy.linalg numpy.ma numpy.polynomial numpy.random
matplotlib matplotlib.figure matplotlib.pyplot matplotlib.backends.backend_agg
"""
"""What programs import most, so that none of them has to wait for it."""
GLANCE = 0.05
"""Seconds between two looks at the scratch folder."""
HEADER = 1 << 16
KILL = b"K"
CLOSE_RANGE = 436
"""The same number on every machine."""


def serve(control: socket.socket, told: dict[str, Any]) -> None:
    """Run programs until the control socket closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    give_up_privileges()
    if told["preload"]:
        _preload()
    gc.collect()
    gc.freeze()
    control.sendall(b"ready")
    while True:
        header, descriptors, _, _ = socket.recv_fds(control, HEADER, 3)
        if not header:
            return
        if header == KILL:  # it crossed with the end of the program that it was meant for
            continue
        answer = _serve_one(control, {**told, **json.loads(header)}, descriptors)
        control.sendall(json.dumps(answer).encode())


def _preload() -> None:
    for name in LIBRARIES.split():
        with suppress(ImportError):
            importlib.import_module(name)


def _serve_one(control: socket.socket, told: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
    folder = tempfile.mkdtemp(prefix="program-", dir=told["scratch"])
    started = time.monotonic()
    child = os.fork()
    if not child:
        _be_the_child(folder, told, descriptors)
    for each in descriptors:
        os.close(each)
    # The whole place is watched and cleared, not only the program's folder: without Landlock it can write beside it.
    cause = _watch(child, control, told["scratch"], told["limits"])
    _, status, used = os.wait4(child, 0)
    seconds = time.monotonic() - started
    scratch.clear(told["scratch"])
    return {
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "cause": cause,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "seconds": seconds,
        "peak": max(used.ru_maxrss, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss),
    }


def _watch(child: int, control: socket.socket, folder: str, limits: dict[str, Any]) -> str:
    """Wait for the child's end, or bring it about; says why, where it was us."""
    handle = os.pidfd_open(child)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    poll.register(control, select.POLLIN)
    deadline = time.monotonic() + limits["seconds"]
    try:
        while True:
            left = deadline - time.monotonic()
            ready = {place for place, _ in poll.poll(max(0.0, min(GLANCE, left)) * 1000)}
            if handle in ready:
                return ""
            if control.fileno() in ready:
                cause = "asked" if control.recv(1) else "alone"
            elif left <= 0:
                cause = "time"
            elif scratch.is_too_full(folder, limits["scratch_mb"] << 20):
                cause = "scratch"
            else:
                continue
            os.kill(child, signal.SIGKILL)
            return cause
    finally:
        os.close(handle)


def _be_the_child(folder: str, told: dict[str, Any], descriptors: list[int]) -> None:
    """Take the program's descriptors, let go of all others, shut the door, run the program, end."""
    leave = os._exit  # whatever the program makes of it
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        high = [os.dup(each) for each in (nothing, *descriptors)]
        request, reply = _place(high)
        asked = json.loads(_content(request))
        os.close(request)
        os.chdir(folder)
        os.environ.update(HOME=folder, TMPDIR=folder, MPLCONFIGDIR=folder)
        tempfile.tempdir = folder
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # what was printed before a kill counts
        write = program.writer(reply)
        try:
            confine(folder, told["limits"], told["readable"], told["needs_landlock"])
        except (OSError, ValueError) as problem:
            program.refuse(asked, write, str(problem))
        else:
            program.run(asked, write)
    finally:
        leave(0)


def _place(high: list[int]) -> tuple[int, int]:
    """Nothing at 0 and 2, the output at 1, the reply at 3, the request at 4, and no other descriptor open."""
    nothing, request, output, reply = high
    free = max(high) + 1
    moved = [os.dup2(each, free + place) for place, each in enumerate((nothing, output, nothing, reply, request))]
    for place, each in enumerate(moved):
        os.dup2(each, place)
    kernel.call(CLOSE_RANGE, 5, (1 << 32) - 1, 0)
    return 4, 3


def _content(place: int) -> bytes:
    parts = []
    while part := os.read(place, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def main() -> None:
    """Started by the parent with the control socket as the only argument; its first message is how to begin."""
    control = socket.socket(fileno=int(sys.argv[1]))
    told = json.loads(control.recv(HEADER))
    sys.path.extend(told["path"])
    try:
        serve(control, told)
    except BrokenPipeError:  # the parent is gone
        return
    finally:
        with suppress(OSError):
            scratch.remove(told["scratch"])
