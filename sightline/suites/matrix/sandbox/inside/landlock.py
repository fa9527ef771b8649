"""Landlock: the process names the folders it may use, and the kernel keeps it to them for good."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from . import kernel

CREATE, ADD, RESTRICT = 444, 445, 446
"""The same numbers on every machine."""
ASK_VERSION = 1
BENEATH = 1

EXECUTE, WRITE, READ, LIST = 1, 1 << 1, 1 << 2, 1 << 3
REFER, TRUNCATE, DEVICE = 1 << 13, 1 << 14, 1 << 15
OF_FILES = EXECUTE | WRITE | READ | TRUNCATE | DEVICE
FIRST = (1 << 13) - 1
"""All rights on files that the first version knew."""


def version() -> int:
    """The version of Landlock in this kernel, 0 where there is none."""
    try:
        return kernel.call(CREATE, None, 0, ASK_VERSION)
    except OSError:
        return 0


def handled(known: int) -> tuple[int, int, int]:
    """What a kernel of this version can refuse: rights on files, on TCP ports, and reach to other processes."""
    files = FIRST | (REFER if known >= 2 else 0) | (TRUNCATE if known >= 3 else 0) | (DEVICE if known >= 5 else 0)
    return files, 0b11 if known >= 4 else 0, 0b11 if known >= 6 else 0


def confine(readable: Iterable[str], writable: Iterable[str]) -> None:
    """Keep this process to reading beneath some paths and to reading and writing beneath others."""
    known = version()
    files, ports, reach = handled(known)
    size = 24 if known >= 6 else 16 if known >= 4 else 8
    ruleset = kernel.call(CREATE, _buffer(struct.pack("=QQQ", files, ports, reach)[:size]), size, 0)
    try:
        for path in readable:
            _allow(ruleset, path, (READ | LIST | EXECUTE) & files)
        for path in writable:
            _allow(ruleset, path, files & ~(EXECUTE | DEVICE))
        kernel.call(RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # what is not there needs no permission
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= OF_FILES
        kernel.call(ADD, ruleset, BENEATH, _buffer(struct.pack("=Qi", rights, place)), 0)
    finally:
        os.close(place)


def _buffer(content: bytes) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(content, len(content))
