"""Near-duplicates between two folders of pictures, by perceptual hash: has a model been trained on what it is asked?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff"})
NEAR = 12
"""Of 128 bits: copies that were scaled, compressed or slightly cropped differ by a few, other pictures by about 64."""
_SIDE = 8
_AT_ONCE = 1024


class Overlap(Struct, frozen=True):
    """A picture of ours and one of theirs that look the same."""

    ours: Path
    theirs: Path
    distance: int


def near_duplicates(ours: Path, theirs: Path, most: int = NEAR) -> list[Overlap]:
    """Every pair of pictures that differ in at most so many bits, the nearest first."""
    mine, others = _hashed(ours), _hashed(theirs)
    found: list[Overlap] = []
    if not mine or not others:
        return found
    one, two = (np.stack([bits for _, bits in side]) for side in (mine, others))
    for start in range(0, len(one), _AT_ONCE):
        apart = np.bitwise_count(one[start : start + _AT_ONCE, None] ^ two[None]).sum(axis=2)
        for row, column in np.argwhere(apart <= most).tolist():
            found.append(Overlap(mine[start + row][0], others[column][0], int(apart[row, column])))
    return sorted(found, key=lambda pair: (pair.distance, str(pair.ours), str(pair.theirs)))


def picture_hash(path: Path) -> NDArray[np.uint64] | None:
    """128 bits: whether brightness rises from each cell to the next, across and down; None where it is no picture."""
    from PIL import Image

    try:
        with Image.open(path) as picture:
            small = np.asarray(picture.convert("L").resize((_SIDE + 1, _SIDE + 1), Image.Resampling.BOX), np.int16)
    except (OSError, ValueError, Image.DecompressionBombError):
        return None
    across, down = small[:-1, 1:] > small[:-1, :-1], small[1:, :-1] > small[:-1, :-1]
    return np.packbits(np.concatenate((across.ravel(), down.ravel()))).view(np.uint64)


def _hashed(folder: Path) -> list[tuple[Path, NDArray[np.uint64]]]:
    return [(path, bits) for path in _pictures(folder) if (bits := picture_hash(path)) is not None]


def _pictures(folder: Path) -> Iterator[Path]:
    yield from (path for path in sorted(folder.rglob("*")) if path.suffix.lower() in SUFFIXES and path.is_file())
