"""Seccomp-BPF filter: an allowlist of system calls; every other call fails.

An allowlist, unlike a denylist, stays closed when a newer kernel adds system calls.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from functools import cache

from . import syscalls
from .syscall_tables import ALLOWED, GUARDED, MACHINES, REFUSED, syscall_numbers

LOAD, EQUAL, TEST_BITS, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16
"""Offsets in the kernel's `seccomp_data`."""

CLONE_THREAD = 0x00010000
NAMESPACE_FLAGS = 0x7E020000
FCNTL_COMMANDS = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)
"""Duplicates, flags, locks. Not the owner and its signal: the kernel would send that to any process on request."""
IOCTL_REQUESTS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""Is it a terminal, its size, bytes waiting, non-blocking, close on exec."""
PRCTL_OPTIONS = (15, 16)
"""The name of a thread."""
SET_FILTER = 1
SECCOMP_SYSCALL = {"x86_64": 317, "aarch64": 277}
"""Number of the `seccomp` system call."""

Instructions = list[tuple[int, int, int, int]]


def _argument_in(argument: int, values: tuple[int, ...]) -> Instructions:
    checks: Instructions = [(LOAD, 0, 0, ARGUMENTS + 8 * argument)]
    for value in values:
        checks += [(EQUAL, 0, 1, value), (RETURN, 0, 0, ALLOW)]
    return [*checks, (RETURN, 0, 0, FAIL | errno.EPERM)]


def _argument_guards() -> dict[str, Instructions]:
    threads_only: Instructions = [
        (LOAD, 0, 0, ARGUMENTS),
        (TEST_BITS, 2, 0, NAMESPACE_FLAGS),
        (TEST_BITS, 0, 1, CLONE_THREAD),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, FAIL | errno.EPERM),
    ]
    return {
        "clone": threads_only,
        "fcntl": _argument_in(1, FCNTL_COMMANDS),
        "ioctl": _argument_in(1, IOCTL_REQUESTS),
        "prctl": _argument_in(0, PRCTL_OPTIONS),
    }


def _process_guards(process: int) -> dict[str, Instructions]:
    self_only = _argument_in(0, (process,))
    return {"kill": self_only, "tgkill": self_only, "prlimit64": _argument_in(0, (0, process))}


def _pack(code: Instructions) -> bytes:
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _guarded_syscalls(guards: dict[str, Instructions], machine: str) -> Instructions:
    numbers = syscall_numbers(GUARDED, machine)
    return [
        instruction for name, guard in guards.items() for instruction in ((EQUAL, 0, len(guard), numbers[name]), *guard)
    ]


@cache
def common_filter(machine: str) -> bytes:
    """Return the part of the filter common to all programs; the zygote builds it once."""
    code: Instructions = [
        (LOAD, 0, 0, MACHINE),
        (EQUAL, 1, 0, MACHINES[machine][1]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    for number in syscall_numbers(ALLOWED, machine).values():
        code += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW)]
    for number in syscall_numbers(REFUSED, machine).values():
        code += [(EQUAL, 0, 1, number), (RETURN, 0, 0, FAIL | errno.EPERM)]
    return _pack(code + _guarded_syscalls(_argument_guards(), machine))


def build_filter(machine: str, process: int) -> bytes:
    """Return the complete BPF program for a process id."""
    # "No such call" lets the C library fall back on older ones: on clone where clone3 is new, for one.
    end: Instructions = [(RETURN, 0, 0, FAIL | errno.ENOSYS)]
    return common_filter(machine) + _pack(_guarded_syscalls(_process_guards(process), machine) + end)


def confine(machine: str, process: int) -> None:
    """Install the filter in this process irreversibly."""
    filter_code = build_filter(machine, process)
    code = ctypes.create_string_buffer(filter_code, len(filter_code))
    header = struct.pack("@HP", len(filter_code) // 8, ctypes.addressof(code))
    syscalls.syscall(SECCOMP_SYSCALL[machine], SET_FILTER, 0, ctypes.create_string_buffer(header, len(header)))
