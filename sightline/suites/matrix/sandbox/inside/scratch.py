"""Scratch folder of a program: disk quota check, and removal whatever its content."""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex

MAX_ENTRIES = 2000
"""Files and folders that a program may have at once."""
MAX_DEPTH = 32


def is_too_full(folder: str, max_bytes: int) -> bool:
    """Whether the folder exceeds its quota; a folder that cannot be listed counts as too full."""
    pending, size, entries = [(folder, 0)], 0, 0
    while pending:
        path, depth = pending.pop()
        try:
            with os.scandir(path) as listing:
                for entry in listing:
                    entries += 1
                    if entries > MAX_ENTRIES:
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        pending.append((entry.path, depth + 1))
                    else:
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
        except FileNotFoundError:  # the program removes its files while we look
            continue
        except OSError:
            return True
        if size > max_bytes or depth > MAX_DEPTH:
            return True
    return False


def remove(folder: str) -> None:
    """Remove a folder and its content."""
    clear(folder)
    Path(folder).rmdir()


def clear(folder: str) -> None:
    """Empty a folder of any depth: nested folders move to the top, so paths stay short. Links are not followed."""
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        while entries := _entries(top):
            for name, is_folder in entries:
                if is_folder:
                    _flatten(top, name)
                else:
                    os.unlink(name, dir_fd=top)
    finally:
        os.close(top)


def _entries(descriptor: int) -> list[tuple[str, bool]]:
    with os.scandir(descriptor) as listing:
        return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in listing]


def _flatten(top: int, name: str) -> None:
    """Empty one folder: delete its files and move its folders to the top under unpredictable names."""
    os.chmod(name, 0o700, dir_fd=top)
    descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
    try:
        for inner, is_folder in _entries(descriptor):
            if is_folder:
                os.chmod(inner, 0o700, dir_fd=descriptor)
                os.rename(inner, token_hex(12), src_dir_fd=descriptor, dst_dir_fd=top)
            else:
                os.unlink(inner, dir_fd=descriptor)
    finally:
        os.close(descriptor)
    os.rmdir(name, dir_fd=top)
