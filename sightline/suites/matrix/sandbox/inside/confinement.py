"""Shuts the process in which it is called into its limits, its folder and a short list of kernel calls, for good."""

from __future__ import annotations

import math
import os
import resource
import signal
from pathlib import Path
from typing import Any

from . import kernel, landlock, seccomp
from .numbers import REFUSED, read

DESCRIPTORS = 64
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


def give_up_privileges() -> None:
    """Done once, in the clean process: no rights of root, no way to new ones, no look into it by its children."""
    machine = os.uname().machine
    kernel.control(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.drop_capabilities(read(REFUSED, machine)["capset"])
    kernel.control(kernel.PR_SET_DUMPABLE, 0)
    seccomp.fixed(machine)


def confine(folder: str, limits: dict[str, Any], readable: list[str], needs_landlock: bool) -> None:
    """Everything in its order: what a later step forbids, an earlier one has done."""
    machine = os.uname().machine
    kernel.control(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    _limit(limits)
    if needs_landlock or landlock.version():
        landlock.confine([*readable, *DEVICES], [folder, "/dev/null"])
    seccomp.confine(machine, os.getpid())


def _limit(limits: dict[str, Any]) -> None:
    megabyte = 1 << 20
    seconds = max(1, math.ceil(limits["cpu_seconds"]))
    memory = _own_memory() + int(limits["memory_mb"]) * megabyte
    size = int(limits["file_mb"]) * megabyte
    for kind, soft, hard in (
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_CPU, seconds, seconds + 1),
        (resource.RLIMIT_FSIZE, size, size),
        (resource.RLIMIT_NOFILE, DESCRIPTORS, DESCRIPTORS),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_MEMLOCK, 0, 0),
    ):
        most = resource.getrlimit(kind)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(kind, (soft, hard))


def _own_memory() -> int:
    """Address space that the libraries have taken already: a program's allowance begins there."""
    return int(Path("/proc/self/statm").read_bytes().split()[0]) * resource.getpagesize()
