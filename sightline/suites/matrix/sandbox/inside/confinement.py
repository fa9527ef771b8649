"""Irreversible confinement of the calling process: resource limits, Landlock and a seccomp filter."""

from __future__ import annotations

import ctypes
import math
import os
import resource
import signal
import stat
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sightline.suites.matrix.sandbox.inside import seccomp
from sightline.suites.matrix.sandbox.inside.seccomp import REFUSED, syscall_numbers

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""The same numbers on every machine."""
VERSION_FLAG = 1
RULE_PATH_BENEATH = 1

EXECUTE, WRITE, READ, LIST = 1, 1 << 1, 1 << 2, 1 << 3
REFER, TRUNCATE, DEVICE = 1 << 13, 1 << 14, 1 << 15
FILE_RIGHTS = EXECUTE | WRITE | READ | TRUNCATE | DEVICE
VERSION_1_RIGHTS = (1 << 13) - 1
"""All file access rights of ABI version 1."""


def landlock_version() -> int:
    """Return the Landlock ABI version of the kernel; 0 if it has none."""
    try:
        return seccomp.syscall(CREATE_RULESET, None, 0, VERSION_FLAG)
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
    ruleset = seccomp.syscall(CREATE_RULESET, _buffer(struct.pack("=QQQ", files, ports, scopes)[:size]), size, 0)
    try:
        for path in readable:
            _add_rule(ruleset, path, (READ | LIST | EXECUTE) & files)
        for path in writable:
            _add_rule(ruleset, path, files & ~(EXECUTE | DEVICE))
        seccomp.syscall(RESTRICT_SELF, ruleset, 0)
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
        seccomp.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, _buffer(struct.pack("=Qi", rights, descriptor)), 0)
    finally:
        os.close(descriptor)


def _buffer(content: bytes) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(content, len(content))


MAX_DESCRIPTORS = 64
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


def drop_privileges() -> None:
    """Drop capabilities, set no_new_privs and make the zygote non-dumpable; called once."""
    machine = os.uname().machine
    seccomp.prctl(seccomp.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.drop_capabilities(syscall_numbers(REFUSED, machine)["capset"])
    seccomp.prctl(seccomp.PR_SET_DUMPABLE, 0)
    seccomp.common_filter(machine)


def confine_process(folder: str, limits: dict[str, Any], readable: list[str], needs_landlock: bool) -> None:
    """Apply all restrictions, in the order that each step needs."""
    machine = os.uname().machine
    seccomp.prctl(seccomp.PR_SET_PDEATHSIG, signal.SIGKILL)
    _set_limits(limits)
    if needs_landlock or landlock_version():
        restrict_files([*readable, *DEVICES], [folder, "/dev/null"])
    seccomp.install_filter(machine, os.getpid())


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
