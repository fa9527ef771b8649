"""The scratch folder of a program: how much is in it, and its removal, whatever was put there."""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex

ENTRIES = 2000
"""Files and folders that a program may have at once."""
DEPTH = 32


def is_too_full(folder: str, most_bytes: int) -> bool:
    """Whether there is more in the folder than allowed; a folder that hides what is in it counts as too full."""
    waiting, size, entries = [(folder, 0)], 0, 0
    while waiting:
        path, depth = waiting.pop()
        try:
            with os.scandir(path) as found:
                for entry in found:
                    entries += 1
                    if entries > ENTRIES:
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
                    else:
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
        except FileNotFoundError:  # the program removes its files while we look
            continue
        except OSError:
            return True
        if size > most_bytes or depth > DEPTH:
            return True
    return False


def remove(folder: str) -> None:
    """Remove a folder with all that is in it."""
    clear(folder)
    Path(folder).rmdir()


def clear(folder: str) -> None:
    """Empty a folder of any depth; what lies deep is lifted up, so that no path grows long. No link is followed."""
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        while entries := _entries(top):
            for name, is_folder in entries:
                if is_folder:
                    _lift(top, name)
                else:
                    os.unlink(name, dir_fd=top)
    finally:
        os.close(top)


def _entries(place: int) -> list[tuple[str, bool]]:
    with os.scandir(place) as found:
        return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]


def _lift(top: int, name: str) -> None:
    """Empty one folder: its files go, its folders move to the top, under names that no program could foresee."""
    os.chmod(name, 0o700, dir_fd=top)
    place = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
    try:
        for inner, is_folder in _entries(place):
            if is_folder:
                os.chmod(inner, 0o700, dir_fd=place)
                os.rename(inner, token_hex(12), src_dir_fd=place, dst_dir_fd=top)
            else:
                os.unlink(inner, dir_fd=place)
    finally:
        os.close(place)
    os.rmdir(name, dir_fd=top)
