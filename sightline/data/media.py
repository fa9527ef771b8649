"""Media of samples: loading, formats and sizes of images, and the files that a dataset refers to.

A `Media` is a file, an archive member, base64 inside a line, a data URI, or a video frame.
"""

from __future__ import annotations

import base64
import binascii
import io
import lzma
import mimetypes
import os
import re
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath, PureWindowsPath

from sightline.core.errors import MediaError, SightlineError, local_shortage
from sightline.core.records import Invalid, Media, Sample

_MIME_OF_KIND = {"image": "image/png", "video": "video/mp4", "text": "text/plain"}


_BASE64_SIGNATURES = (("/9j/", "image/jpeg"), ("iVBORw", "image/png"), ("R0lGOD", "image/gif"), ("UklGR", "image/webp"))


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
            return base64.b64decode(read_span(media.path, *media.span), validate=False)
        if media.member:
            return _read_member(media.path, media.member)
        with open(media.path, "rb", buffering=0) as file:  # noqa: PTH123  # for each sample
            return file.read()
    except (OSError, KeyError, ValueError, binascii.Error, zipfile.BadZipFile) as error:
        if isinstance(error, OSError) and (shortage := local_shortage(error)) is not None:
            raise shortage from None
        raise MediaError("Cannot load {where}: {why}", where=media_location(media), why=error) from None


def media_location(media: Media) -> str:
    """Path and archive member of a medium, for messages."""
    return "!".join(filter(None, (media.path, media.member))) or "data URI"


MAX_MEMBER_BYTES = 2**29
"""Most bytes of a member of an archive; a small archive may hold one that fills the memory."""
_ENCRYPTED = 0x1
"""The flag of an encrypted member of a ZIP archive."""


def _read_member(path: str, name: str) -> bytes:
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo(name)
        if member.flag_bits & _ENCRYPTED:
            raise MediaError(
                "Cannot load {where}: it is encrypted. Unpack the archive with its password, and name the files.",
                where=f"{path}!{name}",
            )
        if member.file_size > MAX_MEMBER_BYTES:  # no more than this is read, whatever is behind it
            raise MediaError(
                "Cannot load {where}: it is larger than {most} MB.",
                where=f"{path}!{name}",
                most=MAX_MEMBER_BYTES // 2**20,
            )
        try:
            return archive.read(member)
        except (RuntimeError, EOFError, zlib.error, lzma.LZMAError) as error:  # other methods than Python unpacks, too
            raise zipfile.BadZipFile(str(error) or type(error).__name__) from None


def load_text(media: Media) -> str:
    """The content as text; invalid UTF-8 becomes replacement characters."""
    if media.data and not media.data.startswith("data:"):
        return media.data
    return load_bytes(media).decode("utf-8-sig", errors="replace")


def data_uri(media: Media) -> bytes:
    """The content of a video or text as a data URI (`data:TYPE;base64,…`) in ASCII bytes.

    Images are prepared by `sightline.data.pictures`, which looks at their content.
    """
    if media.data.startswith("data:"):
        return media.data.encode("ascii", errors="replace")
    head = f"data:{mime_type(media)};base64,".encode()
    if media.span is not None:
        return head + read_span(media.path, *media.span)
    return head + base64.b64encode(load_bytes(media))


def _decode_data(data: str) -> bytes:
    if not data.startswith("data:"):
        return data.encode()
    head, _, body = data.partition(",")
    return base64.b64decode(body) if head.endswith(";base64") else body.encode()


def read_span(path: str, offset: int, length: int) -> bytes:
    """Some bytes of a file."""
    with Path(path).open("rb") as file:
        file.seek(offset)
        return file.read(length)


IMAGE_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "DIB", "TIFF", "AVIF", "JPEG2000", "PPM")
"""Formats that are decoded; Pillow knows others, whose decoders nobody needs here."""
HEADER_BYTES = 32
"""Number of bytes read to detect the format."""
_SIGNATURES = re.compile(
    rb"(?P<png>\x89PNG\r\n\x1a\n)|(?P<jpeg>\xff\xd8\xff)|(?P<gif>GIF8[79]a)|(?P<webp>RIFF.{4}WEBP)"
    rb"|(?P<bmp>BM.{4}\0{4})|(?P<tiff>II[*+]\0|MM\0[*+])|(?P<jp2>\0\0\0\x0cjP  )"
    rb"|(?P<avif>.{4}ftypavi[fs])|(?P<heic>.{4}ftyp(?:hei[cx]|mif1))",
    re.DOTALL,
)


def detect_format(head: bytes) -> str:
    """The image format, such as `png`; empty if the header is not that of an image."""
    match = _SIGNATURES.match(head)
    return match.lastgroup or "" if match else ""


def leaves_folder(name: str) -> bool:
    """Whether a relative path, by POSIX or Windows rules, is absolute or contains `..`; links are not followed."""
    windows = PureWindowsPath(name)
    return bool(PurePosixPath(name).is_absolute() or windows.drive or windows.root or ".." in windows.parts)


def is_image(path: Path | str) -> bool:
    """Whether a file has the header of an image."""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123  # for each sample
            return bool(detect_format(file.read(HEADER_BYTES)))
    except OSError:
        return False


_ORIENTATION = 0x0112
"""The EXIF tag of the orientation."""
HEADER_CHARS = 64 * 1024
"""Characters of base64 that are decoded: enough for any header, even after a thumbnail."""


def _header_size(data: bytes) -> tuple[int, int] | None:
    """(width, height) of an image from its first bytes; None if it can't be determined."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=IMAGE_FORMATS) as image:
            # images are sent upright: orientations from 5 exchange width and height. Without EXIF at its beginning, a
            # PNG would be read to its end
            orientation = image.getexif().get(_ORIENTATION, 1) if "exif" in image.info else 1
            return image.size[::-1] if orientation in range(5, 9) else image.size
    except Exception:  # decoders raise anything at all on hostile files
        return None


def image_size_of_media(media: Media) -> tuple[int, int] | None:
    """(width, height) of an image stored as base64 in a file or a data URI; None if it can't be determined.

    Where the beginning of the file does not tell (WebP, TIFF), it is read as a whole.
    """
    try:
        if media.span is not None:
            offset, length = media.span
            head = read_span(media.path, offset, min(length, HEADER_CHARS))
        elif media.data.partition(",")[0].endswith(";base64"):
            head = media.data[: HEADER_CHARS + 256].partition(",")[2][:HEADER_CHARS].encode("ascii", "replace")
        else:
            return None
        return image_size_of_base64_head(head) or image_size(load_bytes(media))
    except (OSError, SightlineError):
        return None


_TIFF_IN_BASE64 = (b"SUkq", b"SUkr", b"TU0A")
"""How TIFF files begin; Pillow complains about tags that are not in what it is given."""


def image_size_of_base64_head(head: bytes) -> tuple[int, int] | None:
    """(width, height) of an image from the beginning of its base64; None if the whole image is needed to determine it,
    as for WebP, TIFF, and JPEG with long metadata."""
    if head.startswith(_TIFF_IN_BASE64):
        return None
    try:
        return _header_size(base64.b64decode(head[: len(head) // 4 * 4]))
    except binascii.Error:
        return None


def image_size(data: bytes) -> tuple[int, int] | None:
    """(width, height) of an image by its whole content."""
    from sightline.data.tiff import TiffTags

    if detect_format(data[:HEADER_BYTES]) != "tiff":
        return _header_size(data)
    try:
        tags = TiffTags(data)
        width, height = tags.size if tags.orientation < 5 else tags.size[::-1]
    except (ValueError, OverflowError):
        return None
    return (width, height) if width > 0 and height > 0 else None


def find_media_files(data: Path, samples: Iterable[Sample | Invalid]) -> dict[str, Path]:
    """The media files of all samples, by their paths relative to the folder of the data file."""
    files: dict[str, Path] = {}
    for sample in samples:
        if isinstance(sample, Sample):
            for media in sample.media:
                if media.path and media.span is None:
                    add_media_file(files, data, media.path)
    return files


def add_media_file(files: dict[str, Path], data: Path, path: str) -> None:
    """Add one file under its relative POSIX path, which is the same on every system."""
    if Path(path).is_file() and not data.samefile(path):
        files[Path(os.path.relpath(path, data.parent)).as_posix()] = Path(path)
