"""Sampling seeds of the repeats of a question (`--repeats`)."""

from __future__ import annotations

import hashlib


def repeat_seed(seed: int, repeat: int) -> int:
    """The sampling seed of a repeat: that of the run for the first one, else 31 bits derived from it.

    With the same seed, a server would return the same reply to each repeat. Some servers refuse more than 31 bits.
    """
    if repeat == 1:
        return seed
    digest = hashlib.blake2b(f"{seed}/{repeat}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "little") >> 1
