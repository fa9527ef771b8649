"""MP4 encoding of an animation with PyAV (optional); the GIF shows the same."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_SAME_BYTES = {"crf": "18", "x264-params": "threads=1:lookahead-threads=1:sync-lookahead=0"}
"""With several threads, the bytes could depend on which was quicker."""


def can_write_mp4() -> bool:
    """Whether there is an encoder."""
    return find_spec("av") is not None


def write_mp4(path: Path, frames: Sequence[Image.Image], milliseconds: int) -> None:
    """H.264, as every browser and most models take it. The frames' sides are even numbers of pixels."""
    av: Any = import_module("av")  # typed in part only
    rate = Fraction(1000, milliseconds)
    with av.open(str(path), "w", format="mp4", options={"fflags": "+bitexact"}) as film:
        stream = film.add_stream("libx264", rate=rate, options=_SAME_BYTES)
        stream.width, stream.height = frames[0].size
        stream.pix_fmt = "yuv420p"
        for frame in frames:
            film.mux(stream.encode(av.VideoFrame.from_ndarray(_planes(frame), format="yuv420p")))
        film.mux(stream.encode())


def _planes(frame: Image.Image) -> NDArray[np.uint8]:
    """Light, and both colours at half the resolution, in the range of films (ITU-R BT.601).

    FFmpeg's own conversion of pictures gave other bytes from time to time, for it reads beyond the ends of rows.
    """
    full = np.asarray(frame.convert("RGB").convert("YCbCr"), np.float64)
    height, width = full.shape[:2]
    light = 16 + full[..., 0] * (219 / 255)
    colours = full[..., 1:].reshape(height // 2, 2, width // 2, 2, 2).mean(axis=(1, 3))
    colours = 128 + (colours - 128) * (224 / 255)
    parts = (light, colours[..., 0], colours[..., 1])
    whole: NDArray[np.uint8] = np.concatenate([np.rint(part).astype(np.uint8).ravel() for part in parts])
    return whole.reshape(-1, width)
