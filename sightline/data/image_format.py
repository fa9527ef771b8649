"""Image format detection by magic bytes, whatever the suffix: an empty or other file is an error of the dataset."""

from __future__ import annotations

import re
from pathlib import Path

HEADER_BYTES = 32
"""Number of bytes read to detect the format."""
_SIGNATURES = re.compile(
    rb"(?P<png>\x89PNG\r\n\x1a\n)|(?P<jpeg>\xff\xd8\xff)|(?P<gif>GIF8[79]a)|(?P<webp>RIFF.{4}WEBP)"
    rb"|(?P<bmp>BM.{4}\0{4})|(?P<tiff>II\*\0|MM\0\*)|(?P<avif>.{4}ftypavi[fs])|(?P<heic>.{4}ftyp(?:hei[cx]|mif1))",
    re.DOTALL,
)


def detect_format(head: bytes) -> str:
    """The image format, such as `png`; empty if the header is not that of an image."""
    match = _SIGNATURES.match(head)
    return match.lastgroup or "" if match else ""


def is_image(path: Path) -> bool:
    """Whether a file has the header of an image."""
    try:
        with path.open("rb") as file:
            return bool(detect_format(file.read(HEADER_BYTES)))
    except OSError:
        return False
