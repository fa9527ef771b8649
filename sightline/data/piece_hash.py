"""Digest of a file by pieces (a hash tree of two levels), so that threads can hash parts of one file at once."""

from __future__ import annotations

import hashlib

PIECE = 32 * 2**20
"""Bytes of a piece; part of the rule, so that it never changes."""


class PieceHash:
    """SHA-256 over the SHA-256 of each piece: the digest of a file, fed from its beginning to its end."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._piece, self._room = hashlib.sha256(), PIECE

    def update(self, data: bytes | memoryview) -> None:
        """Take the next bytes."""
        left = memoryview(data)
        while len(left):
            self._piece.update(left[: self._room])
            taken = min(len(left), self._room)
            self._room -= taken
            left = left[taken:]
            if not self._room:
                self._close()

    def digest(self) -> bytes:
        """The digest of all that was taken."""
        if self._room < PIECE:
            self._close()
        return join_pieces(self._pieces)

    def _close(self) -> None:
        self._pieces.append(self._piece.digest())
        self._piece, self._room = hashlib.sha256(), PIECE


def join_pieces(pieces: list[bytes]) -> bytes:
    """The digest of a file from those of its pieces."""
    return hashlib.sha256(b"".join(pieces)).digest()
