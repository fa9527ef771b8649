"""Dataset fingerprint, version 1: only for comparison with old run folders.

It reads files up to 16 MB whole until 256 MB are read, and of all others the size, the beginning and the end, so that a
change in the middle of a large file goes unnoticed.
"""

from __future__ import annotations

import hashlib
from pathlib import PurePosixPath
from typing import cast

from sightline.data.storage import AnyPath, is_remote

_MAX_WHOLE = 16 * 2**20
_MAX_WHOLE_TOTAL = 256 * 2**20
_MAX_REMOTE = 500
_END_BYTES = 4 * 2**10


def fingerprint_v1(data: AnyPath) -> str:
    """SHA-256 over names, sizes and the bytes that version 1 reads."""
    total, read = hashlib.sha256(), 0
    for number, (name, path) in enumerate(_files(data)):
        size = path.stat().st_size
        whole = size <= _MAX_WHOLE and read < _MAX_WHOLE_TOTAL
        read += size if whole else 2 * _END_BYTES
        total.update(f"{name}\0{size}\0".encode())
        if number < _MAX_REMOTE or not is_remote(path):
            total.update(_digest(path, whole))
    return total.hexdigest()


def _files(data: AnyPath) -> list[tuple[str, AnyPath]]:
    """All files sorted by the components of their paths, as local paths are sorted."""
    if data.is_file():
        return [(data.name, data)]
    if is_remote(data):
        files = [(path.relative_to(data).as_posix(), cast(AnyPath, path)) for path in data.files()]
        return sorted(files, key=lambda file: PurePosixPath(file[0]).parts)
    return [(path.relative_to(data).as_posix(), path) for path in sorted(data.rglob("*")) if path.is_file()]


def _digest(path: AnyPath, whole: bool) -> bytes:
    with path.open("rb") as file:
        if whole:
            return hashlib.file_digest(file, "sha256").digest()
        ends = hashlib.sha256(file.read(_END_BYTES))
        file.seek(-min(_END_BYTES, path.stat().st_size), 2)
        ends.update(file.read(_END_BYTES))
        return ends.digest()
