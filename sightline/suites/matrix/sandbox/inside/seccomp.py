"""A seccomp filter: a list of the kernel calls that a program may make; every other call fails without being made.

A list of what is allowed, not of what is forbidden, stays shut when a newer kernel brings new calls.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from functools import cache

from . import kernel
from .numbers import ALLOWED, GUARDED, MACHINES, REFUSED, read

LOAD, EQUAL, ANY_BIT, ANSWER = 0x20, 0x15, 0x45, 0x06
ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16
"""Where the kernel puts the facts of a call."""

THREAD = 0x00010000
NAMESPACES = 0x7E020000
FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)
"""Duplicates, flags, locks. Not the owner and its signal: the kernel would send that to any process on request."""
IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""Is it a terminal, its size, bytes waiting, non-blocking, close on exec."""
PRCTL = (15, 16)
"""The name of a thread."""
SET_FILTER = 1
CALLS = {"x86_64": 317, "aarch64": 277}
"""The call that puts a filter in force."""

Code = list[tuple[int, int, int, int]]


def _one_of(argument: int, values: tuple[int, ...]) -> Code:
    checks: Code = [(LOAD, 0, 0, ARGUMENTS + 8 * argument)]
    for value in values:
        checks += [(EQUAL, 0, 1, value), (ANSWER, 0, 0, ALLOW)]
    return [*checks, (ANSWER, 0, 0, FAIL | errno.EPERM)]


def _guards() -> dict[str, Code]:
    threads_only: Code = [
        (LOAD, 0, 0, ARGUMENTS),
        (ANY_BIT, 2, 0, NAMESPACES),
        (ANY_BIT, 0, 1, THREAD),
        (ANSWER, 0, 0, ALLOW),
        (ANSWER, 0, 0, FAIL | errno.EPERM),
    ]
    return {
        "clone": threads_only,
        "fcntl": _one_of(1, FCNTL),
        "ioctl": _one_of(1, IOCTL),
        "prctl": _one_of(0, PRCTL),
    }


def _own_guards(process: int) -> dict[str, Code]:
    own = _one_of(0, (process,))
    return {"kill": own, "tgkill": own, "prlimit64": _one_of(0, (0, process))}


def _packed(code: Code) -> bytes:
    return b"".join(struct.pack("=HBBI", *each) for each in code)


def _guarded(guards: dict[str, Code], machine: str) -> Code:
    numbers = read(GUARDED, machine)
    return [step for name, guard in guards.items() for step in ((EQUAL, 0, len(guard), numbers[name]), *guard)]


@cache
def fixed(machine: str) -> bytes:
    """The part of the filter that is the same for every program; the clean process makes it once for all children."""
    code: Code = [
        (LOAD, 0, 0, MACHINE),
        (EQUAL, 1, 0, MACHINES[machine][1]),
        (ANSWER, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    for number in read(ALLOWED, machine).values():
        code += [(EQUAL, 0, 1, number), (ANSWER, 0, 0, ALLOW)]
    for number in read(REFUSED, machine).values():
        code += [(EQUAL, 0, 1, number), (ANSWER, 0, 0, FAIL | errno.EPERM)]
    return _packed(code + _guarded(_guards(), machine))


def program(machine: str, process: int) -> bytes:
    """The filter in the kernel's form, for a program that runs as this process."""
    # "No such call" lets the C library fall back on older ones: on clone where clone3 is new, for one.
    end: Code = [(ANSWER, 0, 0, FAIL | errno.ENOSYS)]
    return fixed(machine) + _packed(_guarded(_own_guards(process), machine) + end)


def confine(machine: str, process: int) -> None:
    """Put the filter on this process, for good."""
    filter_code = program(machine, process)
    code = ctypes.create_string_buffer(filter_code, len(filter_code))
    header = struct.pack("@HP", len(filter_code) // 8, ctypes.addressof(code))
    kernel.call(CALLS[machine], SET_FILTER, 0, ctypes.create_string_buffer(header, len(header)))
