"""Loading of `Media`: from a file, an archive member, base64 inside a line, a data URI, or a video frame."""

from __future__ import annotations

import base64
import binascii
import mimetypes
import zipfile
from pathlib import Path

from sightline.core.errors import MediaError, local_shortage
from sightline.core.records import Media

_MIME_OF_KIND = {"image": "image/png", "video": "video/mp4", "text": "text/plain"}


_BASE64_SIGNATURES = (
    ("/9j/", "image/jpeg"),
    ("iVBORw", "image/png"),
    ("R0lGOD", "image/gif"),
    ("UklGR", "image/webp"),
)


def mime_type(media: Media) -> str:
    """The MIME type, as declared, from the data URI, by file name, or by kind."""
    if media.mime:
        return media.mime
    if media.data.startswith("data:"):
        return media.data[5:].partition(",")[0].partition(";")[0] or _MIME_OF_KIND[media.kind]
    if media.at_second is not None:
        return "image/jpeg"
    return mimetypes.guess_type(media.member or media.path)[0] or _MIME_OF_KIND[media.kind]


def mime_type_of_base64(head: str) -> str:
    """The MIME type of an image from the beginning of its base64; empty if it is not a common format."""
    return next((kind for letters, kind in _BASE64_SIGNATURES if head.startswith(letters)), "")


def load_bytes(media: Media) -> bytes:
    """The content in bytes; raises `MediaError` with the location if it can't be loaded."""
    try:
        if media.data:
            return _decode_data(media.data)
        if media.at_second is not None:
            from sightline.data.video import extract_frame

            return extract_frame(media.path, media.at_second)
        if media.span is not None:
            return base64.b64decode(_read_span(media.path, *media.span), validate=False)
        if media.member:
            with zipfile.ZipFile(media.path) as archive:
                return archive.read(media.member)
        return Path(media.path).read_bytes()
    except (OSError, KeyError, ValueError, binascii.Error, zipfile.BadZipFile) as error:
        if isinstance(error, OSError) and (shortage := local_shortage(error)) is not None:
            raise shortage from None
        where = "!".join(filter(None, (media.path, media.member))) or "data URI"
        raise MediaError("Can't load {where}: {why}", where=where, why=error) from None


def load_text(media: Media) -> str:
    """The content as text; invalid UTF-8 becomes replacement characters."""
    if media.data and not media.data.startswith("data:"):
        return media.data
    return load_bytes(media).decode("utf-8-sig", errors="replace")


def data_uri(media: Media) -> bytes:
    """The content as a data URI (`data:TYPE;base64,…`) in ASCII bytes, ready for a request."""
    if media.data.startswith("data:"):
        return media.data.encode("ascii", errors="replace")
    head = f"data:{mime_type(media)};base64,".encode()
    if media.span is not None:
        return head + _read_span(media.path, *media.span)
    return head + base64.b64encode(load_bytes(media))


def _decode_data(data: str) -> bytes:
    if not data.startswith("data:"):
        return data.encode()
    head, _, body = data.partition(",")
    return base64.b64decode(body) if head.endswith(";base64") else body.encode()


def _read_span(path: str, offset: int, length: int) -> bytes:
    with Path(path).open("rb") as file:
        file.seek(offset)
        return file.read(length)
