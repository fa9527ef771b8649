"""Width and height of an image from the header of its file or base64, without decoding the pixels."""

from __future__ import annotations

import base64
import binascii
import io
from pathlib import Path

from sightline.core.records import Media

HEADER_CHARS = 64 * 1024
"""Characters of base64 that are decoded: enough for any header, even after a thumbnail."""


def image_size_of_base64(body: bytes) -> tuple[int, int] | None:
    """(width, height) of an image from the beginning of its base64; None if it can't be determined."""
    from PIL import Image

    try:
        data = base64.b64decode(body[: len(body) // 4 * 4])
        with Image.open(io.BytesIO(data)) as image:
            return image.size
    except (OSError, ValueError, binascii.Error, Image.DecompressionBombError):
        return None


def image_size_of_media(media: Media) -> tuple[int, int] | None:
    """(width, height) of an image stored as base64 in a file or a data URI; None if it can't be determined."""
    if media.span is not None:
        offset, length = media.span
        try:
            with Path(media.path).open("rb") as file:
                file.seek(offset)
                return image_size_of_base64(file.read(min(length, HEADER_CHARS)))
        except OSError:
            return None
    head, _, body = media.data[: HEADER_CHARS + 256].partition(",")
    return image_size_of_base64(body[:HEADER_CHARS].encode("ascii", "replace")) if head.endswith(";base64") else None
