"""A film as MP4, where PyAV is installed; the GIF tells the same without it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from PIL import Image

_SAME_BYTES = {"crf": "18", "threads": "1", "bitexact": "1"}
"""One thread: several cut a picture into slices by the number of cores."""


def can_write_mp4() -> bool:
    """Whether there is an encoder."""
    return find_spec("av") is not None


def write_mp4(path: Path, frames: Sequence[Image.Image], milliseconds: int) -> None:
    """H.264, as every browser and most models take it."""
    av: Any = import_module("av")  # typed in part only
    rate = Fraction(1000, milliseconds)
    with av.open(str(path), "w", format="mp4", options={"fflags": "+bitexact"}) as film:
        stream = film.add_stream("libx264", rate=rate, options=_SAME_BYTES)
        stream.width, stream.height = frames[0].size
        stream.pix_fmt = "yuv420p"
        for frame in frames:
            film.mux(stream.encode(av.VideoFrame.from_image(frame.convert("RGB"))))
        film.mux(stream.encode())
