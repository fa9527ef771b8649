"""Images embedded in or referenced by foreign files; checks file signatures and prevents path traversal."""

from __future__ import annotations

import base64
import binascii
import hashlib
from pathlib import Path, PurePosixPath, PureWindowsPath

from sightline.core.records import Remark

MAX_PICTURE_BYTES = 128 * 2**20
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF8", "gif"),
    (b"BM", "bmp"),
    (b"II*\x00", "tif"),
    (b"MM\x00*", "tif"),
)


def detect_suffix(data: bytes) -> str:
    """Detect the file suffix of an image by its signature; empty if it is not an image."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return next((suffix for head, suffix in _SIGNATURES if data.startswith(head)), "")


def content_name(data: bytes) -> str:
    """Return a file name derived from the content hash."""
    return f"{hashlib.blake2b(data, digest_size=12).hexdigest()}.{detect_suffix(data) or 'bin'}"


def decode_picture(text: str) -> bytes | Remark:
    """Decode an image from base64 or a data URI; returns the reason if it is invalid."""
    body = text.partition("base64,")[2] if text.startswith("data:") else text
    if len(body) > MAX_PICTURE_BYTES * 4 // 3:
        return Remark("the picture is too large")
    try:
        data = base64.b64decode("".join(body.split()), validate=True)
    except (binascii.Error, ValueError):
        return Remark("the picture is no base64")
    return data if detect_suffix(data) else Remark("what should be a picture is none")


def read_picture(folder: Path, name: str) -> bytes | Remark:
    """Read an image below the folder; returns the reason if it is refused or missing."""
    windows, posix = PureWindowsPath(name), PurePosixPath(name)
    escapes = posix.is_absolute() or windows.drive or windows.root or ".." in windows.parts or "\0" in name
    if escapes or not name.strip():
        return Remark("the path '{name}' leaves the folder of pictures and is refused", {"name": name[:200]})
    path = folder.joinpath(*windows.parts)
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(folder.resolve()):
            return Remark("the path '{name}' leaves the folder of pictures and is refused", {"name": name[:200]})
        if not real.is_file() or real.stat().st_size > MAX_PICTURE_BYTES:
            return Remark("'{name}' is no picture", {"name": name[:200]})
        data = real.read_bytes()
    except (OSError, ValueError, RuntimeError):
        return Remark("there is no picture '{name}'", {"name": name[:200]})
    return data if detect_suffix(data) else Remark("'{name}' is no picture", {"name": name[:200]})
