"""The limit on open files of this process (RLIMIT_NOFILE)."""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def free_file_handles() -> int | None:
    """How many more files and connections this process may open; None if there is no limit."""
    if sys.platform == "win32":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return None
    used = 0
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            used = len(os.listdir(folder))  # noqa: PTH208  # names are enough
            break
    return max(0, limit - used)
