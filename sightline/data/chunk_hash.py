"""Chunked file digest (a two-level hash tree), so that threads can hash chunks of one file in parallel."""

from __future__ import annotations

import hashlib

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
