"""Irreversible confinement of the calling process: resource limits, Landlock and a seccomp-BPF filter.

The filter is an allowlist of system calls; unlike a denylist, it stays closed when a newer kernel adds calls.
"""

from __future__ import annotations

import ctypes
import errno
import math
import os
import resource
import signal
import stat
import struct
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from . import syscalls
from .syscalls import ALLOWED, GUARDED, MACHINES, REFUSED, syscall_numbers

MAX_DESCRIPTORS = 64
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")

# Landlock
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""The same numbers on every machine."""
VERSION_FLAG = 1
RULE_PATH_BENEATH = 1

EXECUTE, WRITE, READ, LIST = 1, 1 << 1, 1 << 2, 1 << 3
REFER, TRUNCATE, DEVICE = 1 << 13, 1 << 14, 1 << 15
FILE_RIGHTS = EXECUTE | WRITE | READ | TRUNCATE | DEVICE
VERSION_1_RIGHTS = (1 << 13) - 1
"""All file access rights of ABI version 1."""

# Seccomp-BPF
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


def drop_privileges() -> None:
    """Drop capabilities, set no_new_privs and make the zygote non-dumpable; called once."""
    machine = os.uname().machine
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    syscalls.drop_capabilities(syscall_numbers(REFUSED, machine)["capset"])
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
    common_filter(machine)


def confine_process(folder: str, limits: dict[str, Any], readable: list[str], needs_landlock: bool) -> None:
    """Apply all restrictions, in the order that each step needs."""
    machine = os.uname().machine
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
    _set_limits(limits)
    if needs_landlock or landlock_version():
        restrict_files([*readable, *DEVICES], [folder, "/dev/null"])
    install_filter(machine, os.getpid())


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


def landlock_version() -> int:
    """Return the Landlock ABI version of the kernel; 0 if it has none."""
    try:
        return syscalls.syscall(CREATE_RULESET, None, 0, VERSION_FLAG)
    except OSError:
        return 0


def handled_rights(abi: int) -> tuple[int, int, int]:
    """Return the access rights an ABI version can restrict: on files, on TCP ports, and IPC scopes."""
    files = VERSION_1_RIGHTS | (REFER if abi >= 2 else 0) | (TRUNCATE if abi >= 3 else 0) | (DEVICE if abi >= 5 else 0)
    return files, 0b11 if abi >= 4 else 0, 0b11 if abi >= 6 else 0


def restrict_files(readable: Iterable[str], writable: Iterable[str]) -> None:
    """Restrict this process to reading below some paths and to reading and writing below others."""
    abi = landlock_version()
    files, ports, scopes = handled_rights(abi)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = syscalls.syscall(CREATE_RULESET, _buffer(struct.pack("=QQQ", files, ports, scopes)[:size]), size, 0)
    try:
        for path in readable:
            _add_rule(ruleset, path, (READ | LIST | EXECUTE) & files)
        for path in writable:
            _add_rule(ruleset, path, files & ~(EXECUTE | DEVICE))
        syscalls.syscall(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _add_rule(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # what is not there needs no permission
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= FILE_RIGHTS
        syscalls.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, _buffer(struct.pack("=Qi", rights, descriptor)), 0)
    finally:
        os.close(descriptor)


def _buffer(content: bytes) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(content, len(content))


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


def install_filter(machine: str, process: int) -> None:
    """Install the filter in this process irreversibly."""
    filter_code = build_filter(machine, process)
    code = ctypes.create_string_buffer(filter_code, len(filter_code))
    header = struct.pack("@HP", len(filter_code) // 8, ctypes.addressof(code))
    syscalls.syscall(SECCOMP_SYSCALL[machine], SET_FILTER, 0, ctypes.create_string_buffer(header, len(header)))
