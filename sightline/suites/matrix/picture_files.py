"""Validation of a data set's pictures: only real image files inside its folder, or base64 images, are sent."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path, PurePosixPath, PureWindowsPath

from sightline.core.records import Media, Remark
from sightline.data.media import HEADER_BYTES, detect_format


def resolve_picture_path(folder: Path, name: str) -> Path | Remark:
    """Resolve the path of a picture below the folder, or return the reason for refusing it; links are followed."""
    windows = PureWindowsPath(name)
    if PurePosixPath(name).is_absolute() or windows.drive or windows.root or ".." in windows.parts:
        return _refusal(name)
    path = folder / name
    try:
        real = path.resolve()
        if not real.is_file():  # a pipe would be waited for
            return Remark("missing media: {name}", {"name": name[:200]})
        if not real.is_relative_to(folder.resolve()):
            return _refusal(name)
        with real.open("rb", buffering=0) as file:
            kind = detect_format(file.read(HEADER_BYTES))
    except (OSError, ValueError, RuntimeError):  # no right to read it, no name of a file at all, links in a circle
        return Remark("missing media: {name}", {"name": name[:200]})
    return path if kind else Remark("'{name}' is no picture", {"name": name[:200]})


def decode_picture(text: str) -> Media | Remark:
    """Decode a picture from base64 or a data URI, or return the reason why that fails."""
    body = "".join((text.partition("base64,")[2] or text).split())
    try:
        kind = detect_format(base64.b64decode(body, validate=True)[:HEADER_BYTES])
    except (binascii.Error, ValueError):
        return Remark("the picture is no base64")
    if not kind:
        return Remark("what should be a picture is none")
    return Media(kind="image", data=f"data:image/{kind};base64,{body}")


def _refusal(name: str) -> Remark:
    return Remark("the path '{name}' leaves the folder of pictures and is refused", {"name": name[:200]})
