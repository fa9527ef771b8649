"""Finished shards on disk, each in a folder named by its key; a folder is there whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sightline.errors import JournalError

COUNTS = "counts.bin"


class Store:
    """A folder that all workers can reach."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def has(self, key: str) -> bool:
        """Whether the shard is finished."""
        return (self.folder(key) / COUNTS).is_file()

    def folder(self, key: str) -> Path:
        """Where a finished shard is."""
        return self.path / key[:2] / key

    @contextmanager
    def making(self, key: str) -> Iterator[Path]:
        """A folder to write the shard into; it gets its name when all is there, so a crash leaves nothing half."""
        final = self.folder(key)
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
        """Keep bytes under a name; what is there already stays."""
        path = self.path / name
        if path.exists():
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
            raise JournalError("Can't read {path}: {why}", path=self.path / name, why=error.strerror) from None
