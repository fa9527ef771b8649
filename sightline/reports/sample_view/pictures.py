"""Pictures of a sample as bytes that a browser may have: small enough, of a safe kind, and from the data set itself."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from msgspec import Struct

from sightline.core.errors import MediaError
from sightline.core.records import Media
from sightline.data.media import load_bytes

MOST_BYTES = 32 * 2**20
_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
}


class Picture(Struct, frozen=True):
    """A picture with its size in pixels."""

    data: bytes
    mime: str
    width: int
    height: int


def picture(media: Media, root: Path) -> Picture:
    """The picture, whatever its file is called; a `MediaError` says why there is none."""
    data = content(media, root)
    mime = _mime(data)
    if not mime:
        raise MediaError("This image cannot be shown in a page.")
    width, height = _size(data)
    return Picture(data, mime, width, height)


def content(media: Media, root: Path) -> bytes:
    """The bytes of a medium, unless they are too many or lie outside of the data set."""
    if media.path and not _inside(Path(media.path), root):
        raise MediaError("It lies outside of the data set.")
    if _length(media) > MOST_BYTES:
        raise MediaError("It is larger than {most} MB.", most=MOST_BYTES // 2**20)
    return load_bytes(media)


def _inside(path: Path, root: Path) -> bool:
    """Links are followed first, so that none leads out."""
    home = root.resolve()
    return path.resolve().is_relative_to(home if home.is_dir() else home.parent)


def _length(media: Media) -> int:
    try:
        if media.data:
            return len(media.data)
        if media.span is not None:
            return media.span[1]
        if media.member:
            with zipfile.ZipFile(media.path) as archive:
                return archive.getinfo(media.member).file_size
        # a frame is decoded from its video, however long that is
        return 0 if media.at_second is not None else Path(media.path).stat().st_size
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise MediaError("Can't load {where}: {why}", where=Path(media.path).name, why=error) from None


def _mime(data: bytes) -> str:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for head, mime in _SIGNATURES.items() if data.startswith(head)), "")


def _size(data: bytes) -> tuple[int, int]:
    """Width and height from the head; nothing is decoded."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "GIF", "BMP", "WEBP")) as image:
            return image.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise MediaError("This image cannot be shown in a page.") from error
