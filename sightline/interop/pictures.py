"""Pictures that foreign files bring or name. Nothing but a picture passes, and no name leaves its folder."""

from __future__ import annotations

import base64
import binascii
import hashlib
from pathlib import Path, PurePosixPath, PureWindowsPath

from sightline.core.records import Remark

LARGEST = 128 * 2**20
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF8", "gif"),
    (b"BM", "bmp"),
    (b"II*\x00", "tif"),
    (b"MM\x00*", "tif"),
)


def picture_suffix(data: bytes) -> str:
    """What a picture's file name ends with, by its first bytes; empty: it is none."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return next((suffix for head, suffix in _SIGNATURES if data.startswith(head)), "")


def picture_name(data: bytes) -> str:
    """A name from the content: the same picture has the same name wherever it comes from."""
    return f"{hashlib.blake2b(data, digest_size=12).hexdigest()}.{picture_suffix(data) or 'bin'}"


def from_base64(text: str) -> bytes | Remark:
    """The picture in base64 or a data URI, or why there is none."""
    body = text.partition("base64,")[2] if text.startswith("data:") else text
    if len(body) > LARGEST * 4 // 3:
        return Remark("the picture is too large")
    try:
        data = base64.b64decode("".join(body.split()), validate=True)
    except (binascii.Error, ValueError):
        return Remark("the picture is no base64")
    return data if picture_suffix(data) else Remark("what should be a picture is none")


def from_folder(folder: Path, name: str) -> bytes | Remark:
    """The picture of that name below the folder, or why it is not taken."""
    windows, posix = PureWindowsPath(name), PurePosixPath(name)
    leaves = posix.is_absolute() or windows.drive or windows.root or ".." in windows.parts or "\0" in name
    if leaves or not name.strip():
        return Remark("the path '{name}' leaves the folder of pictures and is refused", {"name": name[:200]})
    path = folder.joinpath(*windows.parts)
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(folder.resolve()):
            return Remark("the path '{name}' leaves the folder of pictures and is refused", {"name": name[:200]})
        if not real.is_file() or real.stat().st_size > LARGEST:
            return Remark("'{name}' is no picture", {"name": name[:200]})
        data = real.read_bytes()
    except (OSError, ValueError, RuntimeError):
        return Remark("there is no picture '{name}'", {"name": name[:200]})
    return data if picture_suffix(data) else Remark("'{name}' is no picture", {"name": name[:200]})
