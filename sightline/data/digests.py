"""File digests: a chunked SHA-256 that threads compute in parallel, and a cache of the digests of media files."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from time import time_ns

import msgspec

from sightline.core.atomic_io import atomic_path
from sightline.core.cache_folder import cache_folder

CHUNK_BYTES = 32 * 2**20
"""Size of a chunk; part of the definition of the digest, so it must never change."""


class ChunkHash:
    """SHA-256 over the SHA-256 of each chunk of a file, updated from the beginning to the end."""

    def __init__(self) -> None:
        self._digests: list[bytes] = []
        self._chunk, self._room = hashlib.sha256(), CHUNK_BYTES

    def update(self, data: bytes | memoryview) -> None:
        """Add the next bytes."""
        remaining = memoryview(data)
        while len(remaining):
            self._chunk.update(remaining[: self._room])
            count = min(len(remaining), self._room)
            self._room -= count
            remaining = remaining[count:]
            if not self._room:
                self._close()

    def digest(self) -> bytes:
        """The digest of all bytes added."""
        if self._room < CHUNK_BYTES:
            self._close()
        return combine_digests(self._digests)

    def _close(self) -> None:
        self._digests.append(self._chunk.digest())
        self._chunk, self._room = hashlib.sha256(), CHUNK_BYTES


def combine_digests(digests: list[bytes]) -> bytes:
    """The digest of a file from the digests of its chunks."""
    return hashlib.sha256(b"".join(digests)).digest()


_SETTLED_NS = 5 * 10**9
"""Nanoseconds after a change until the timestamp of any file system has advanced."""
Entry = tuple[int, int, int, int, bytes]
"""Size, modification time, change time, inode, digest."""
_decoder = msgspec.msgpack.Decoder(dict[str, Entry])


class DigestCache:
    """The digests of the media files of one dataset, stored in the user's cache folder."""

    def __init__(self, data: Path) -> None:
        name = hashlib.sha256(str(data.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:24]
        self._path = cache_folder() / "fingerprints" / f"{name}.msgpack"
        self._entries: dict[str, Entry] = {}
        self._is_changed = False
        with suppress(OSError, msgspec.DecodeError):
            self._entries = _decoder.decode(self._path.read_bytes())

    def find(self, name: str, status: os.stat_result) -> bytes | None:
        """The cached digest of a file; None if it is missing or the file has changed."""
        entry = self._entries.get(name)
        return entry[-1] if entry is not None and entry[:-1] == _stamp(status) else None

    def put(self, name: str, status: os.stat_result, digest: bytes) -> None:
        """Cache the digest of a file; its status must have been taken before it was read."""
        if time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > _SETTLED_NS:
            self._entries[name] = (*_stamp(status), digest)
            self._is_changed = True

    def save(self) -> None:
        """Write the cache atomically if it has changed; errors are ignored, as they only cost time."""
        if not self._is_changed:
            return
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_path(self._path) as temporary:
                temporary.write_bytes(msgspec.msgpack.encode(self._entries))


def _stamp(status: os.stat_result) -> tuple[int, int, int, int]:
    # msgpack integers have 64 bits, and some file systems have larger inode numbers
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino & (2**63 - 1)
