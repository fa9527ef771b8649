"""Image similarity: contrast-weighted SSIM and overlap of foreground colour histograms."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Floats = NDArray[np.float64]

THUMBNAIL_SIZE = 256
"""The longer side of the thumbnails that are compared."""
MAX_PIXELS = 16_000_000
_WINDOW = 7
_BLUR = 3
"""Width of the box blur in pixels, which makes the comparison independent of anti-aliasing."""
_SSIM_CONSTANTS = (0.01 * 255) ** 2, (0.03 * 255) ** 2
"""The stabilizing constants C1 and C2 of SSIM."""
_COLOUR_LEVELS = 4
"""Histogram levels of each of red, green and blue."""
_DECODING_ERRORS = (OSError, SyntaxError, ValueError, OverflowError, MemoryError, EOFError, struct.error, zlib.error)
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def load_picture(source: bytes | str | Path) -> Image.Image | None:
    """Load a picture as RGB on white; None if it cannot be read or is larger than 16 megapixels."""
    try:
        content = source if isinstance(source, bytes) else Path(source).read_bytes()
        if content.startswith(_SIGNATURE):
            width, height = struct.unpack(">II", content[16:24])
            if not 0 < width * height <= MAX_PIXELS:
                return None
        with Image.open(BytesIO(content), formats=["PNG", "JPEG", "GIF", "BMP", "WEBP"]) as image:
            if image.width * image.height > MAX_PIXELS:
                return None
            rgba = image.convert("RGBA")
        white = Image.new("RGBA", rgba.size, "white")
        return Image.alpha_composite(white, rgba).convert("RGB")
    except (*_DECODING_ERRORS, Image.DecompressionBombError):
        return None


def image_similarity(image: Image.Image, reference: Image.Image) -> float:
    """Mean of structural and colour similarity, from 0 to 1, times the aspect ratio quotient if that is below 0.9."""
    scale = THUMBNAIL_SIZE / max(reference.size)
    size = tuple(max(_WINDOW + _BLUR, round(side * scale)) for side in reference.size)
    pixels, expected = (
        np.asarray(picture.resize((size[0], size[1]), Image.Resampling.BOX)) for picture in (image, reference)
    )
    aspects = sorted((image.width / image.height, reference.width / reference.height))
    ratio = aspects[0] / aspects[1]
    return (
        (structural_similarity(pixels, expected) + colour_similarity(pixels, expected))
        / 2
        * (ratio if ratio < 0.9 else 1.0)
    )


def structural_similarity(image: NDArray[np.uint8], reference: NDArray[np.uint8]) -> float:
    """SSIM of the grey images in windows of 7 × 7, weighted by the larger local contrast.

    Unweighted SSIM would rate an empty sheet as similar to a drawing, since most of a drawing is empty.
    """
    grey, grey_reference = (_window_means(rgb @ np.array([0.299, 0.587, 0.114]), _BLUR) for rgb in (image, reference))
    mean, reference_mean = _window_means(grey), _window_means(grey_reference)
    variance = np.maximum(_window_means(grey * grey) - mean**2, 0)
    reference_variance = np.maximum(_window_means(grey_reference * grey_reference) - reference_mean**2, 0)
    covariance = _window_means(grey * grey_reference) - mean * reference_mean
    c1, c2 = _SSIM_CONSTANTS
    luminance = (2 * mean * reference_mean + c1) / (mean**2 + reference_mean**2 + c1)
    ssim = np.clip(luminance * (2 * covariance + c2) / (variance + reference_variance + c2), 0, 1)
    weights = np.sqrt(np.maximum(variance, reference_variance)) + 1e-3
    return float((ssim * weights).sum() / weights.sum())


def _window_means(image: Floats, window: int = _WINDOW) -> Floats:
    """Means over all windows, by a summed-area table (integral image)."""
    sums = np.pad(image, ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)
    totals = sums[window:, window:] - sums[:-window, window:] - sums[window:, :-window] + sums[:-window, :-window]
    return np.asarray(totals / window**2, np.float64)


def colour_similarity(image: NDArray[np.uint8], reference: NDArray[np.uint8]) -> float:
    """Intersection over union of 64-colour histograms, without the background (the reference's commonest colour)."""
    histogram, expected = _histogram(image), _histogram(reference)
    foreground = np.arange(len(expected)) != int(expected.argmax())
    union = np.maximum(histogram[foreground], expected[foreground]).sum()
    return float(np.minimum(histogram[foreground], expected[foreground]).sum() / union) if union else 1.0


def _histogram(image: NDArray[np.uint8]) -> NDArray[np.int64]:
    shades = (image.reshape(-1, 3).astype(np.int64) * _COLOUR_LEVELS) // 256
    return np.bincount(shades @ np.array([_COLOUR_LEVELS**2, _COLOUR_LEVELS, 1]), minlength=_COLOUR_LEVELS**3)
