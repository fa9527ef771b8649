"""Store of finished shards: one folder per key, created atomically.

The metric states begin with a checksum over all files, so that bit errors of a disk or network are detected.
On storage without rename, a shard is complete once its states are there: they are uploaded last.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sightline.core.errors import StorageError
from sightline.data.storage import AnyPath, is_remote
from sightline.data.storage.transfer import upload_files
from sightline.i18n import tr

COUNTS = "counts.bin"
_SEAL = 32
"""Bytes of the hash."""


def seal(folder: Path, counts: bytes) -> None:
    """Write the counts, the last of a shard's files, under a hash of them and of the others."""
    (folder / COUNTS).write_bytes(_hash_files(folder, counts) + counts)


def unseal(folder: Path) -> bytes:
    """The counts; raises `ValueError` where any byte of the shard is another than when it was sealed."""
    data = (folder / COUNTS).read_bytes()
    if data[:_SEAL] != _hash_files(folder, data[_SEAL:]):
        raise ValueError(tr("its hash does not match"))
    return data[_SEAL:]


def _hash_files(folder: Path, counts: bytes) -> bytes:
    total = hashlib.blake2b(counts, digest_size=_SEAL)
    for path in sorted(folder.iterdir()):
        if path.name != COUNTS:
            with path.open("rb") as file:
                total.update(path.name.encode() + hashlib.file_digest(file, "sha256").digest())
    return total.digest()


class Store:
    """A folder accessible to all workers."""

    def __init__(self, path: AnyPath) -> None:
        self.path = path

    @property
    def address(self) -> str:
        """Address by which a worker opens the same store."""
        return self.path.url if is_remote(self.path) else str(self.path)

    def has(self, key: str) -> bool:
        """Whether the shard is finished."""
        return (self.folder(key) / COUNTS).is_file()

    def folder(self, key: str) -> AnyPath:
        """Where a finished shard is."""
        return self.path / key[:2] / key

    def local_folder(self, key: str, scratch: Path) -> Path:
        """The folder of a finished shard on this machine; a remote one is copied into `scratch`."""
        folder = self.folder(key)
        if not is_remote(folder):
            return folder
        copy = scratch / key
        if not copy.exists():
            copy.mkdir()
            for path in folder.iterdir():
                (copy / path.name).write_bytes(path.read_bytes())
        return copy

    @contextmanager
    def create(self, key: str) -> Iterator[Path]:
        """A folder to write the shard into; it gets its name when all is there, so a crash leaves nothing half."""
        final = self.folder(key)
        if is_remote(final):
            with tempfile.TemporaryDirectory(prefix="sightline-") as local:
                yield Path(local)
                upload_files(Path(local), final, last=(COUNTS,))
            return
        final.parent.mkdir(parents=True, exist_ok=True)
        making = Path(tempfile.mkdtemp(prefix=".making-", dir=final.parent))
        try:
            yield making
            try:
                making.replace(final)
            except OSError:
                if not self.has(key):  # else another worker was quicker, with the same content
                    raise
        finally:
            shutil.rmtree(making, ignore_errors=True)

    def write(self, name: str, data: bytes) -> None:
        """Store bytes under a name, unless the name exists."""
        path = self.path / name
        if path.exists():
            return
        if is_remote(path):
            path.write_bytes(data)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, making = tempfile.mkstemp(prefix=".making-", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(making).replace(path)

    def read(self, name: str) -> bytes:
        """What was kept under a name."""
        try:
            return (self.path / name).read_bytes()
        except OSError as error:
            raise StorageError("Cannot read {path}: {why}", path=self.path / name, why=error.strerror) from None
