"""Irreversible confinement of the calling process: resource limits, Landlock and a seccomp filter."""

from __future__ import annotations

import math
import os
import resource
import signal
from pathlib import Path
from typing import Any

from . import landlock, seccomp, syscalls
from .syscall_tables import REFUSED, syscall_numbers

MAX_DESCRIPTORS = 64
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


def drop_privileges() -> None:
    """Drop capabilities, set no_new_privs and make the zygote non-dumpable; called once."""
    machine = os.uname().machine
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    syscalls.drop_capabilities(syscall_numbers(REFUSED, machine)["capset"])
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
    seccomp.common_filter(machine)


def confine_process(folder: str, limits: dict[str, Any], readable: list[str], needs_landlock: bool) -> None:
    """Apply all restrictions, in the order that each step needs."""
    machine = os.uname().machine
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
    _set_limits(limits)
    if needs_landlock or landlock.abi_version():
        landlock.confine([*readable, *DEVICES], [folder, "/dev/null"])
    seccomp.confine(machine, os.getpid())


def _set_limits(limits: dict[str, Any]) -> None:
    megabyte = 1 << 20
    seconds = max(1, math.ceil(limits["cpu_seconds"]))
    memory = _used_address_space() + int(limits["memory_mb"]) * megabyte
    size = int(limits["file_mb"]) * megabyte
    for kind, soft, hard in (
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_CPU, seconds, seconds + 1),
        (resource.RLIMIT_FSIZE, size, size),
        (resource.RLIMIT_NOFILE, MAX_DESCRIPTORS, MAX_DESCRIPTORS),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_MEMLOCK, 0, 0),
    ):
        hard_limit = resource.getrlimit(kind)[1]
        if hard_limit != resource.RLIM_INFINITY:
            soft, hard = min(soft, hard_limit), min(hard, hard_limit)
        resource.setrlimit(kind, (soft, hard))


def _used_address_space() -> int:
    """Address space already used by the libraries; a program's memory limit is added to it."""
    return int(Path("/proc/self/statm").read_bytes().split()[0]) * resource.getpagesize()
