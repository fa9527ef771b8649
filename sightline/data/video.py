"""Extraction of video frames at given times: GIF by Pillow (base install), other formats by PyAV (extra `video`)."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from sightline.core.errors import MediaError

if TYPE_CHECKING:
    from PIL.Image import Image

_JPEG_QUALITY = 92
_decoding = Lock()


def frame_times(path: str, fps: float) -> tuple[float, ...]:
    """The times in seconds at which frames are extracted: every 1/fps seconds from the start, at least one."""
    with _decoding, _translate_errors(path):
        seconds = _duration(path, Path(path).stat().st_mtime_ns)
    return tuple(k / fps for k in range(max(1, math.ceil(seconds * fps - 1e-9))))


def extract_frame(path: str, at_second: float) -> bytes:
    """The frame at a time in seconds, as JPEG."""
    with _decoding, _translate_errors(path):
        return _frame(path, at_second)


@lru_cache(maxsize=1024)  # a dataset is read more than once: for counting, inference, grading
def _duration(path: str, changed: int) -> float:
    return _gif_duration(path) if _is_gif(path) else _stream_duration(path)


@lru_cache(maxsize=64)  # questions on one video follow each other: 64 frames of about 100 kB are cached
def _frame(path: str, at_second: float) -> bytes:
    image = _gif_frame(path, at_second) if _is_gif(path) else _stream_frame(path, at_second)
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, "JPEG", quality=_JPEG_QUALITY)
    return buffer.getvalue()


@contextmanager
def _translate_errors(path: str) -> Iterator[None]:
    try:
        yield
    except MediaError:
        raise
    except Exception as error:  # decoders raise any exception on a damaged file, which must not end a run
        raise MediaError("Cannot decode the video {path}: {why}", path=path, why=error) from None


def _is_gif(path: str) -> bool:
    return Path(path).suffix.lower() == ".gif"


def _gif_intervals(image: Any) -> Iterator[tuple[int, float, float]]:
    start = 0.0
    for index in range(image.n_frames):
        image.seek(index)
        # browsers show a frame that gives no duration for a tenth of a second
        end = start + (image.info.get("duration") or 100) / 1000
        yield index, start, end
        start = end


def _gif_duration(path: str) -> float:
    from PIL import Image

    with Image.open(path) as image:
        return max(end for _, _, end in _gif_intervals(image))


def _gif_frame(path: str, at_second: float) -> Image:
    from PIL import Image

    with Image.open(path) as image:
        for _, start, end in _gif_intervals(image):
            if start <= at_second < end:
                break
        return image.copy()


def _av() -> Any:
    try:
        import av
    except ImportError:
        raise MediaError("Decoding this video needs PyAV: pip install 'sightline[video]'") from None
    return av


def _stream_duration(path: str) -> float:
    with _av().open(path) as container:
        stream = container.streams.video[0]
        if stream.duration is not None and stream.time_base is not None:
            return float(stream.duration * stream.time_base)
        return float(container.duration or 0) / 1e6


def _stream_frame(path: str, at_second: float) -> Image:
    with _av().open(path) as container:
        stream = container.streams.video[0]
        container.seek(int(at_second / stream.time_base), stream=stream, backward=True)
        current = None
        for candidate in container.decode(stream):
            if current is not None and candidate.time is not None and candidate.time > at_second + 1e-6:
                break
            current = candidate
        if current is None:
            raise MediaError("The video {path} has no frame.", path=path)
        image: Image = current.to_image()
        return image
