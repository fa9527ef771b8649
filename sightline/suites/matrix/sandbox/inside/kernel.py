"""Calls of the Linux kernel that Python has no names for."""

from __future__ import annotations

import ctypes
import os

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
CAPABILITY_VERSION = 0x20080522
CAPABILITIES = 64

_library = ctypes.CDLL(None, use_errno=True)
_library.syscall.restype = ctypes.c_long


def call(number: int, *arguments: int | ctypes.Array[ctypes.c_char] | ctypes.c_char_p | None) -> int:
    """One call by its number; a refusal is an OSError."""
    words = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    answer = int(_library.syscall(ctypes.c_long(number), *words))
    if answer < 0:
        fault = ctypes.get_errno()
        raise OSError(fault, os.strerror(fault))
    return answer


def control(option: int, value: int) -> None:
    """`prctl` with one value; a refusal is an OSError."""
    if _library.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)) < 0:
        fault = ctypes.get_errno()
        raise OSError(fault, os.strerror(fault))


def drop_capabilities(capset: int) -> None:
    """Give away every privilege of root, for this process and all that it may ever become."""
    for capability in range(CAPABILITIES):
        try:
            control(PR_CAPBSET_DROP, capability)
        except OSError:  # an ordinary user has nothing to give away, and a kernel knows fewer than 64
            continue
    header = ctypes.create_string_buffer(CAPABILITY_VERSION.to_bytes(4, "little") + bytes(4), 8)
    call(capset, header, ctypes.create_string_buffer(24))
