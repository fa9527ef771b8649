"""Near-duplicate images between two folders by perceptual hash (dHash), to detect contamination by training data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff"})
MAX_DISTANCE = 12
"""Hamming distance of 128 bits: scaled, compressed or slightly cropped copies differ by a few, others by about 64."""
_SIDE = 8
_BLOCK_ROWS = 1024


class NearDuplicate(Struct, frozen=True):
    """A pair of near-duplicate images, one of each folder."""

    ours: Path
    theirs: Path
    distance: int


def find_near_duplicates(ours: Path, theirs: Path) -> list[NearDuplicate]:
    """All pairs of images whose hashes differ in at most `MAX_DISTANCE` bits, nearest first."""
    our_hashes, their_hashes = _hash_images(ours), _hash_images(theirs)
    duplicates: list[NearDuplicate] = []
    if not our_hashes or not their_hashes:
        return duplicates
    our_bits, their_bits = (np.stack([bits for _, bits in side]) for side in (our_hashes, their_hashes))
    for start in range(0, len(our_bits), _BLOCK_ROWS):
        distances = np.bitwise_count(our_bits[start : start + _BLOCK_ROWS, None] ^ their_bits[None]).sum(axis=2)
        for row, column in np.argwhere(distances <= MAX_DISTANCE).tolist():
            duplicates.append(
                NearDuplicate(our_hashes[start + row][0], their_hashes[column][0], int(distances[row, column]))
            )
    return sorted(duplicates, key=lambda pair: (pair.distance, str(pair.ours), str(pair.theirs)))


def perceptual_hash(path: Path) -> NDArray[np.uint64] | None:
    """Difference hash (dHash) of 128 bits: the signs of horizontal and vertical brightness steps; None if no image."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            small = np.asarray(image.convert("L").resize((_SIDE + 1, _SIDE + 1), Image.Resampling.BOX), np.int16)
    except (OSError, ValueError, Image.DecompressionBombError):
        return None
    across, down = small[:-1, 1:] > small[:-1, :-1], small[1:, :-1] > small[:-1, :-1]
    return np.packbits(np.concatenate((across.ravel(), down.ravel()))).view(np.uint64)


def _hash_images(folder: Path) -> list[tuple[Path, NDArray[np.uint64]]]:
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in SUFFIXES and path.is_file()]
    return [(path, bits) for path in paths if (bits := perceptual_hash(path)) is not None]
