"""What a data set hashes to, so that a run can say what it was asked and can be continued on nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

WHOLE = 16 * 2**20
"""Files up to this size are hashed whole; of larger ones the size, the head and the tail."""
PATIENCE = 256 * 2**20
"""After so many bytes, in the order of names, only sizes, heads and tails are taken: a run should start in seconds."""
_END = 4 * 2**10


def fingerprint(data: Path) -> str:
    """SHA-256 over relative names and contents; the same on every machine, whatever the order of the file system."""
    total, read = hashlib.sha256(), 0
    for path in _files(data):
        size = path.stat().st_size
        name = path.relative_to(data).as_posix() if path != data else path.name
        whole = size <= WHOLE and read < PATIENCE
        read += size if whole else 2 * _END
        total.update(f"{name}\0{size}\0".encode())
        total.update(_digest(path, whole))
    return total.hexdigest()


def _files(data: Path) -> Iterator[Path]:
    if data.is_file():
        yield data
    else:
        yield from sorted(path for path in data.rglob("*") if path.is_file())


def _digest(path: Path, whole: bool) -> bytes:
    with path.open("rb") as file:
        if whole:
            return hashlib.file_digest(file, "sha256").digest()
        ends = hashlib.sha256(file.read(_END))
        file.seek(-min(_END, path.stat().st_size), 2)
        ends.update(file.read(_END))
        return ends.digest()
