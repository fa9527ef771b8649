"""Linux system calls without a Python wrapper."""

from __future__ import annotations

import ctypes
import os

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
CAPABILITY_VERSION = 0x20080522
CAPABILITIES = 64

_library = ctypes.CDLL(None, use_errno=True)
_library.syscall.restype = ctypes.c_long


def syscall(number: int, *arguments: int | ctypes.Array[ctypes.c_char] | ctypes.c_char_p | None) -> int:
    """Make a system call by number; raises OSError on failure."""
    values = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    result = int(_library.syscall(ctypes.c_long(number), *values))
    if result < 0:
        error_number = ctypes.get_errno()
        raise OSError(error_number, os.strerror(error_number))
    return result


def prctl(option: int, value: int) -> None:
    """Call `prctl` with one value; raises OSError on failure."""
    if _library.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)) < 0:
        error_number = ctypes.get_errno()
        raise OSError(error_number, os.strerror(error_number))


def drop_capabilities(capset: int) -> None:
    """Drop all capabilities of this process and its descendants."""
    for capability in range(CAPABILITIES):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:  # an ordinary user has nothing to give away, and a kernel knows fewer than 64
            continue
    header = ctypes.create_string_buffer(CAPABILITY_VERSION.to_bytes(4, "little") + bytes(4), 8)
    syscall(capset, header, ctypes.create_string_buffer(24))
