"""How alike two pictures are: structure where there is any, and colours other than the background's."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Floats = NDArray[np.float64]

SIZE = 256
"""The longer side of the thumbnails that are compared."""
PIXELS = 16_000_000
_WINDOW = 7
_BLUR = 3
"""Edges are softened by so many pixels, so that it does not matter how they were smoothed when drawn."""
_STEADY = (0.01 * 255) ** 2, (0.03 * 255) ** 2
"""The constants that keep SSIM's fractions steady."""
_LEVELS = 4
"""Shades of red, green and blue that are told apart."""
_FAULTS = (OSError, SyntaxError, ValueError, OverflowError, MemoryError, EOFError, struct.error, zlib.error)
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def load_picture(source: bytes | str | Path) -> Image.Image | None:
    """A picture as RGB on white; None where it can't be read or is larger than 16 megapixels."""
    try:
        content = source if isinstance(source, bytes) else Path(source).read_bytes()
        if content.startswith(_SIGNATURE):
            width, height = struct.unpack(">II", content[16:24])
            if not 0 < width * height <= PIXELS:
                return None
        with Image.open(BytesIO(content), formats=["PNG", "JPEG", "GIF", "BMP", "WEBP"]) as image:
            if image.width * image.height > PIXELS:
                return None
            seen = image.convert("RGBA")
        white = Image.new("RGBA", seen.size, "white")
        return Image.alpha_composite(white, seen).convert("RGB")
    except (*_FAULTS, Image.DecompressionBombError):
        return None


def likeness(one: Image.Image, other: Image.Image) -> float:
    """From 0 to 1: the mean of structure and colours, times the ratio of the aspects where they differ by over 10 %."""
    scale = SIZE / max(other.size)
    size = tuple(max(_WINDOW + _BLUR, round(side * scale)) for side in other.size)
    mine, theirs = (np.asarray(image.resize((size[0], size[1]), Image.Resampling.BOX)) for image in (one, other))
    aspects = sorted((one.width / one.height, other.width / other.height))
    ratio = aspects[0] / aspects[1]
    return (structure(mine, theirs) + colours(mine, theirs)) / 2 * (ratio if ratio < 0.9 else 1.0)


def structure(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """SSIM of the grey pictures in windows of 7 × 7, weighed by the contrast that either has there.

    Plain SSIM would find an empty sheet much like a drawing, since most of a drawing is empty.
    """
    left, right = (_averages(image @ np.array([0.299, 0.587, 0.114]), _BLUR) for image in (one, other))
    mean, their_mean = _averages(left), _averages(right)
    spread = np.maximum(_averages(left * left) - mean**2, 0)
    their_spread = np.maximum(_averages(right * right) - their_mean**2, 0)
    together = _averages(left * right) - mean * their_mean
    steady, steadier = _STEADY
    light = (2 * mean * their_mean + steady) / (mean**2 + their_mean**2 + steady)
    similar = np.clip(light * (2 * together + steadier) / (spread + their_spread + steadier), 0, 1)
    weights = np.sqrt(np.maximum(spread, their_spread)) + 1e-3
    return float((similar * weights).sum() / weights.sum())


def _averages(image: Floats, window: int = _WINDOW) -> Floats:
    """Means over all windows, by sums of sums."""
    sums = np.pad(image, ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)
    whole = sums[window:, window:] - sums[:-window, window:] - sums[window:, :-window] + sums[:-window, :-window]
    return np.asarray(whole / window**2, np.float64)


def colours(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """What the histograms of 64 colours share, over what either has; the second's commonest colour is not counted."""
    mine, theirs = _histogram(one), _histogram(other)
    kept = np.arange(len(theirs)) != int(theirs.argmax())
    either = np.maximum(mine[kept], theirs[kept]).sum()
    return float(np.minimum(mine[kept], theirs[kept]).sum() / either) if either else 1.0


def _histogram(image: NDArray[np.uint8]) -> NDArray[np.int64]:
    shades = (image.reshape(-1, 3).astype(np.int64) * _LEVELS) // 256
    return np.bincount(shades @ np.array([_LEVELS**2, _LEVELS, 1]), minlength=_LEVELS**3)
