"""A hash of a text that is the same in every process."""

from __future__ import annotations

import hashlib


def stable_hash(text: str) -> int:
    """64 bits."""
    return int.from_bytes(hashlib.blake2b(text.encode(errors="replace"), digest_size=8).digest(), "little")
