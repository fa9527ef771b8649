"""Landlock file system sandboxing: restricts the process to given paths irreversibly."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from . import syscalls

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""The same numbers on every machine."""
VERSION_FLAG = 1
RULE_PATH_BENEATH = 1

EXECUTE, WRITE, READ, LIST = 1, 1 << 1, 1 << 2, 1 << 3
REFER, TRUNCATE, DEVICE = 1 << 13, 1 << 14, 1 << 15
FILE_RIGHTS = EXECUTE | WRITE | READ | TRUNCATE | DEVICE
VERSION_1_RIGHTS = (1 << 13) - 1
"""All file access rights of ABI version 1."""


def abi_version() -> int:
    """Return the Landlock ABI version of the kernel; 0 if it has none."""
    try:
        return syscalls.syscall(CREATE_RULESET, None, 0, VERSION_FLAG)
    except OSError:
        return 0


def handled_rights(abi: int) -> tuple[int, int, int]:
    """Return the access rights an ABI version can restrict: on files, on TCP ports, and IPC scopes."""
    files = VERSION_1_RIGHTS | (REFER if abi >= 2 else 0) | (TRUNCATE if abi >= 3 else 0) | (DEVICE if abi >= 5 else 0)
    return files, 0b11 if abi >= 4 else 0, 0b11 if abi >= 6 else 0


def confine(readable: Iterable[str], writable: Iterable[str]) -> None:
    """Restrict this process to reading below some paths and to reading and writing below others."""
    abi = abi_version()
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
