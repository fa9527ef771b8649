"""Digest of a file by pieces (a hash tree of two levels), so that threads can hash parts of one file at once."""

from __future__ import annotations

import hashlib

CHUNK_BYTES = 32 * 2**20
"""Bytes of a piece; part of the rule, so that it never changes."""


class ChunkHash:
    """SHA-256 over the SHA-256 of each piece: the digest of a file, fed from its beginning to its end."""

    def __init__(self) -> None:
        self._digests: list[bytes] = []
        self._chunk, self._room = hashlib.sha256(), CHUNK_BYTES

    def update(self, data: bytes | memoryview) -> None:
        """Take the next bytes."""
        left = memoryview(data)
        while len(left):
            self._chunk.update(left[: self._room])
            taken = min(len(left), self._room)
            self._room -= taken
            left = left[taken:]
            if not self._room:
                self._close()

    def digest(self) -> bytes:
        """The digest of all that was taken."""
        if self._room < CHUNK_BYTES:
            self._close()
        return combine_digests(self._digests)

    def _close(self) -> None:
        self._digests.append(self._chunk.digest())
        self._chunk, self._room = hashlib.sha256(), CHUNK_BYTES


def combine_digests(digests: list[bytes]) -> bytes:
    """The digest of a file from those of its pieces."""
    return hashlib.sha256(b"".join(digests)).digest()
