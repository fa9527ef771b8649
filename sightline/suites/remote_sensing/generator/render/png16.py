"""PNG files with 16 bits per channel, which Pillow writes for grey pictures only."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GREY, _RGB = 0, 2


def encode_png16(pixels: NDArray[np.uint16]) -> bytes:
    """Encode rows × columns × 3 values; a picture of three equal channels becomes a grey one."""
    if (pixels == pixels[..., :1]).all():
        pixels = pixels[..., :1]
    height, width, channels = pixels.shape
    head = struct.pack(">IIBBBBB", width, height, 16, _GREY if channels == 1 else _RGB, 0, 0, 0)
    # the difference from the row above, byte by byte modulo 256, is smaller than the row itself
    rows = np.ascontiguousarray(pixels.astype(">u2")).view(np.uint8).reshape(height, -1)
    above = np.vstack((np.zeros_like(rows[:1]), rows[:-1]))
    body = np.hstack((np.full((height, 1), 2, np.uint8), rows - above))
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(body.tobytes(), 6)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
