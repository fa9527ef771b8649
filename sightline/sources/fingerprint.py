"""What a data set hashes to, so that a run can say what it was asked and can be continued on nothing else."""

from __future__ import annotations

import hashlib
from pathlib import PurePosixPath
from typing import cast

from sightline.sources.places import AnyPath, is_remote

WHOLE = 16 * 2**20
"""Files up to this size are hashed whole; of larger ones the size, the head and the tail."""
PATIENCE = 256 * 2**20
"""After so many bytes, in the order of names, only sizes, heads and tails are taken: a run should start in seconds."""
MANY = 500
"""Of so many remote files only names and sizes count from here on: each look costs a request."""
_END = 4 * 2**10


def fingerprint(data: AnyPath) -> str:
    """SHA-256 over relative names and contents; the same on every machine, wherever the files lie.

    Only of remote files beyond the first 500 the contents are left out.
    """
    total, read = hashlib.sha256(), 0
    for number, (name, path) in enumerate(_files(data)):
        size = path.stat().st_size
        whole = size <= WHOLE and read < PATIENCE
        read += size if whole else 2 * _END
        total.update(f"{name}\0{size}\0".encode())
        if number < MANY or not is_remote(path):
            total.update(_digest(path, whole))
    return total.hexdigest()


def _files(data: AnyPath) -> list[tuple[str, AnyPath]]:
    """All files in the order of their names' parts, as local paths are sorted."""
    if data.is_file():
        return [(data.name, data)]
    if is_remote(data):
        found = [(path.relative_to(data).as_posix(), cast(AnyPath, path)) for path in data.files()]
        return sorted(found, key=lambda one: PurePosixPath(one[0]).parts)
    return [(path.relative_to(data).as_posix(), path) for path in sorted(data.rglob("*")) if path.is_file()]


def _digest(path: AnyPath, whole: bool) -> bytes:
    with path.open("rb") as file:
        if whole:
            return hashlib.file_digest(file, "sha256").digest()
        ends = hashlib.sha256(file.read(_END))
        file.seek(-min(_END, path.stat().st_size), 2)
        ends.update(file.read(_END))
        return ends.digest()
