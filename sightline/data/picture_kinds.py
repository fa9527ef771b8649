"""What a picture is by its first bytes, whatever its name says: an empty or foreign file is a fault of the data set."""

from __future__ import annotations

import re
from pathlib import Path

HEAD = 32
"""Bytes that tell a picture; no more of a file is read."""
_KINDS = re.compile(
    rb"(?P<png>\x89PNG\r\n\x1a\n)|(?P<jpeg>\xff\xd8\xff)|(?P<gif>GIF8[79]a)|(?P<webp>RIFF.{4}WEBP)"
    rb"|(?P<bmp>BM.{4}\0{4})|(?P<tiff>II\*\0|MM\0\*)|(?P<avif>.{4}ftypavi[fs])|(?P<heic>.{4}ftyp(?:hei[cx]|mif1))",
    re.DOTALL,
)


def kind_of(head: bytes) -> str:
    """The kind, such as `png`; empty: it is none."""
    found = _KINDS.match(head)
    return found.lastgroup or "" if found else ""


def is_picture(path: Path) -> bool:
    """Whether the file begins as a picture does."""
    try:
        with path.open("rb") as file:
            return bool(kind_of(file.read(HEAD)))
    except OSError:
        return False
