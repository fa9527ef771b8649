"""Preparation of images for requests: format conversion, resizing to a pixel budget, scaling to 8 bits, orientation.

An image that servers accept as it is (PNG of up to 8 bits per band, JPEG in grey or RGB) and that fits the pixel budget
is sent with its own bytes; only its header is read. The type is decided by the content, never by the file name.
"""

from __future__ import annotations

import binascii
import io
import math
import struct
from contextlib import nullcontext
from threading import Lock
from typing import Any, Literal

import numpy as np
import pybase64  # some thirty times as fast as base64 with AVX2
from msgspec import Struct
from numpy.typing import NDArray

from sightline.core.config import RunConfig
from sightline.core.errors import MediaError, SightlineError
from sightline.core.records import Media, Message, Picture, PictureChange, Prompt
from sightline.core.remarks import Remark
from sightline.data.media import IMAGE_FORMATS, detect_format, load_bytes, media_location, read_span
from sightline.i18n.printable import printable

MAX_PICTURE_PIXELS = 178_956_970
"""More pixels are a decompression bomb; servers that use Pillow refuse them too."""
_LARGE = 25_000_000
"""Images with more pixels are decoded one at a time, so that many threads do not hold many of them."""
_large_lock = Lock()
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
_HEAD_CHARS, _TAIL_CHARS = 16_384, 64
"""Characters of base64 at both ends that are decoded to look at the header and at the end of a file."""
PERCENTILES = 2.0, 98.0
_ORIENTATION = 0x0112
"""The tag of the orientation in EXIF and TIFF."""
_NAMES = {"MPO": "jpeg", "DIB": "bmp"}
Format = Literal["auto", "png", "jpeg", "webp", "keep"]
_SENT_AS_IS = {"auto": ("png", "jpeg"), "keep": ("png", "jpeg", "webp", "gif")}
_SAVE_OPTIONS: dict[str, dict[str, Any]] = {
    "png": {"compress_level": 1},
    "jpeg": {"quality": 95, "subsampling": 0},
    "webp": {"quality": 95},
}


class PictureSettings(Struct, frozen=True, kw_only=True):
    """The settings of a run that concern images."""

    max_pixels: int | None = None
    min_pixels: int | None = None
    multiple: int = 1
    format: Format = "auto"
    detail: str = ""

    @classmethod
    def of(cls, config: RunConfig) -> PictureSettings:
        """The settings of a run."""
        return cls(
            max_pixels=config.max_pixels,
            min_pixels=config.min_pixels,
            multiple=config.pixel_multiple,
            format=config.image_format,  # type: ignore[arg-type]  # the table of settings checks it
            detail=config.image_detail,
        )

    @property
    def changes_pictures(self) -> bool:
        """Whether images may be sent otherwise than by default."""
        return self.max_pixels is not None or self.min_pixels is not None or self.multiple > 1 or self.format != "auto"

    def sent_size(self, size: tuple[int, int]) -> tuple[int, int]:
        """Width and height in which an image is sent: the rule of Qwen2-VL's `smart_resize`, without its own limits.

        Both sides are rounded to the multiple. Where the area then leaves the budget, both sides are scaled by the same
        factor and rounded into the budget: up to `min_pixels`, but never beyond `max_pixels`.
        """
        width, height = size
        area, factor = width * height, self.multiple
        wide, high = (max(factor, round(side / factor) * factor) for side in size)
        if self.min_pixels is not None and wide * high < self.min_pixels:
            scale = math.sqrt(self.min_pixels / area)
            wide, high = (math.ceil(side * scale / factor - 1e-9) * factor for side in size)
        # also where no size of this shape is between both limits
        if self.max_pixels is not None and wide * high > self.max_pixels:
            scale = math.sqrt(self.max_pixels / area)
            wide, high = (max(factor, math.floor(side * scale / factor) * factor) for side in size)
            # a side of one multiple can't shrink further: the other one does
            if wide * high > self.max_pixels:
                if wide > high:
                    wide = max(factor, self.max_pixels // high // factor * factor)
                else:
                    high = max(factor, self.max_pixels // wide // factor * factor)
        if wide * high > max(area, MAX_PICTURE_PIXELS):
            raise MediaError(
                "An image of {width} × {height} pixels would be sent with {count} pixels.",
                width=width,
                height=height,
                count=f"{wide * high:,}",
            )
        return wide, high


DEFAULT = PictureSettings()


class PreparedPicture(Struct, frozen=True):
    """An image as it is sent: the parts of its data URI in ASCII, and what was done to it."""

    type: bytes
    base64: bytes
    """Valid base64, whatever a dataset holds; it needs no escaping in JSON."""
    picture: Picture

    @property
    def uri_parts(self) -> tuple[bytes, ...]:
        """The data URI in parts, for a single copy of what may be megabytes."""
        return b"data:image/", self.type, b";base64,", self.base64

    @property
    def uri(self) -> bytes:
        """The data URI."""
        return b"".join(self.uri_parts)


class NeedsDecoding(Exception):  # noqa: N818  # no error: the caller continues in a thread
    """The image can't be sent with its own bytes; decoding it, or its video, would block the event loop."""


class _Header(Struct, frozen=True):
    """What the header of an image says that can be sent as it is."""

    format: str
    size: tuple[int, int]


def prepare_picture(media: Media, settings: PictureSettings = DEFAULT, inline: bool = False) -> PreparedPicture:
    """The image as a data URI; raises `MediaError` where it is none.

    With `inline`, an image or a frame that has to be decoded raises `NeedsDecoding` instead.
    """
    if inline and media.at_second is not None:
        raise NeedsDecoding
    text = _base64_of(media)
    if text is not None and (prepared := _prepare_base64(text, settings)) is not None:
        return prepared
    data = load_bytes(media)
    header = read_header(data, data[-32:])
    if header is not None and _is_sendable(header, settings):
        return PreparedPicture(header.format.encode(), pybase64.b64encode(data), Picture(size=header.size))
    if inline:
        raise NeedsDecoding
    try:
        content, picture = convert_picture(data, settings)
    except SightlineError:
        raise
    except Exception as error:  # decoders raise anything at all on hostile files
        raise MediaError("{where}: {why}", where=media_location(media), why=_reason(data, error)) from None
    image_format = picture.format or detect_format(content)
    return PreparedPicture(image_format.encode(), pybase64.b64encode(content), picture)


def prepare_prompt(prompt: Prompt, settings: PictureSettings) -> tuple[Prompt, tuple[Picture, ...]]:
    """The prompt with its images prepared, as data URIs; for models that take prompts instead of requests."""
    pictures: list[Picture] = []

    def prepare(part: Any) -> Any:
        if not isinstance(part, Media) or part.kind != "image":
            return part
        prepared = prepare_picture(part, settings)
        pictures.append(prepared.picture)
        return Media(kind="image", data=prepared.uri.decode())

    messages = tuple(Message(message.role, tuple(map(prepare, message.parts))) for message in prompt.messages)
    return Prompt(messages), tuple(pictures)


def _base64_of(media: Media) -> bytes | None:
    """The base64 of an image that is stored as such."""
    if media.data.startswith("data:"):
        head, _, body = media.data.partition(",")
        return body.encode("ascii", "replace") if head.endswith(";base64") else None
    if media.span is None:
        return None
    try:
        return read_span(media.path, *media.span)
    except OSError:
        return None  # `load_bytes` says why


def _prepare_base64(text: bytes, settings: PictureSettings) -> PreparedPicture | None:
    """An image that is sent with its own base64; None where the whole image must be examined."""
    # servers decode strictly: line feeds, escapes and padding inside are left out by encoding the image anew
    if len(text) % 4 or text.translate(None, _BASE64) or text.find(b"=", 0, -2) >= 0:
        return None
    try:
        head = binascii.a2b_base64(text[:_HEAD_CHARS])
        tail = binascii.a2b_base64(text[-_TAIL_CHARS:])
    except binascii.Error:
        return None
    header = read_header(head, tail)
    if header is None or not _is_sendable(header, settings):
        return None
    return PreparedPicture(header.format.encode(), text, Picture(size=header.size))


def _is_sendable(header: _Header, settings: PictureSettings) -> bool:
    """Whether an image is sent with its own bytes."""
    wanted = settings.format
    if header.format not in _SENT_AS_IS.get(wanted, (wanted,)):
        return False
    return not settings.changes_pictures or settings.sent_size(header.size) == header.size


_PNG_HEAD = struct.Struct(">8sI4sIIBB")
_MAX_CHUNKS = 100
"""Chunks of a PNG that are looked at before its pixels."""
_PNG_END = b"IEND\xaeB`\x82"


def read_header(head: bytes, tail: bytes) -> _Header | None:
    """Format and size of a complete PNG or JPEG that any server accepts; None for all that needs a closer look."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return _read_png_header(head, tail)
    return _read_jpeg_header(head, tail) if head.startswith(b"\xff\xd8\xff") else None


def _read_png_header(head: bytes, tail: bytes) -> _Header | None:
    if len(head) < 33 or not tail.endswith(_PNG_END) or _may_be_turned(head):
        return None
    _, length, name, width, height, depth, _ = _PNG_HEAD.unpack_from(head)
    is_usual = length == 13 and name == b"IHDR" and depth <= 8 and width > 0 and height > 0
    return _Header("png", (width, height)) if is_usual and width * height <= MAX_PICTURE_PIXELS else None


def _may_be_turned(head: bytes) -> bool:
    """Whether EXIF data stand before the pixels of a PNG, or further back than its beginning tells."""
    at = 33
    for _ in range(_MAX_CHUNKS):
        name = head[at + 4 : at + 8]
        if name == b"IDAT":
            return False
        if name == b"eXIf" or head.startswith(b"Raw profile type exif", at + 8):
            return True
        at += 12 + int.from_bytes(head[at : at + 4])
    return True


def _read_jpeg_header(head: bytes, tail: bytes) -> _Header | None:
    if not tail.rstrip(b"\0\r\n").endswith(b"\xff\xd9"):
        return None
    place, has_exif = 2, False
    while place + 10 <= len(head) and head[place] == 0xFF:
        marker = head[place + 1]
        length = head[place + 2] << 8 | head[place + 3]
        if marker == 0xE1 and head[place + 4 : place + 8] == b"Exif":
            if has_exif or _orientation(head[place + 4 : place + 2 + length]) != 1:
                return None  # also what is continued in a second segment
            has_exif = True
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            depth, height, width, bands = struct.unpack_from(">BHHB", head, place + 4)
            is_usual = depth == 8 and bands in (1, 3) and width * height > 0
            return _Header("jpeg", (width, height)) if is_usual and width * height <= MAX_PICTURE_PIXELS else None
        if marker == 0xDA or length < 2:
            return None
        place += 2 + length
    return None


def _orientation(exif: bytes) -> int:
    """The orientation in EXIF data; 0 where it can't be read."""
    from PIL import Image

    try:
        tags = Image.Exif()
        tags.load(exif)
        return int(tags.get(_ORIENTATION, 1) or 1)
    except Exception:  # decoders raise anything at all on hostile files
        return 0


def _reason(data: bytes, error: Exception) -> Remark:
    """Why a file is not sent."""
    from PIL import Image, UnidentifiedImageError

    if isinstance(error, Image.DecompressionBombError):
        return Remark("the image has more than {count} pixels", {"count": f"{MAX_PICTURE_PIXELS:,}"})
    if not data:
        return Remark("the file is empty")
    image_format = detect_format(data)
    if isinstance(error, UnidentifiedImageError) and image_format:
        return Remark("the {format} file cannot be decoded", {"format": image_format})
    if isinstance(error, UnidentifiedImageError):
        start = data[:200].lstrip(b"\xef\xbb\xbf \r\n\t")[:40]
        is_text = bool(start) and start.decode("ascii", "replace").isprintable() and start.isascii()
        text = Remark("not an image, but text: {start}", {"start": printable(start.decode("ascii", "replace"), 40)})
        return text if is_text else Remark("not an image")
    why = printable(str(error) or type(error).__name__, 120)
    return Remark("the image cannot be decoded: {why}", {"why": why})


def convert_picture(data: bytes, settings: PictureSettings) -> tuple[bytes, Picture]:
    """The bytes that are sent for an image, decoded and encoded anew where needed; raises anything for what is none."""
    from PIL import Image

    Image.init()
    changes: list[PictureChange] = []
    if raster_bytes := _count_raster_bytes(data):
        with _large_lock if raster_bytes > 4 * _LARGE else nullcontext():
            return _convert_opened(data, _open_tiff(data, changes), settings, changes)
    with Image.open(io.BytesIO(data), formats=IMAGE_FORMATS) as image:
        pixels = image.width * image.height
        if pixels > MAX_PICTURE_PIXELS:
            raise Image.DecompressionBombError
        with _large_lock if pixels > _LARGE else nullcontext():
            return _convert_opened(data, image, settings, changes)


def _convert_opened(
    data: bytes, image: Any, settings: PictureSettings, changes: list[PictureChange]
) -> tuple[bytes, Picture]:
    source = _NAMES.get(image.format or "", (image.format or "tiff").lower())
    if getattr(image, "n_frames", 1) > 1 and source not in ("jpeg", "png"):
        changes.append("first_frame")
    # EXIF data behind the pixels of a PNG are found by loading it only, and nobody else looks for them
    may_be_turned = source != "png" or bool(image.info.keys() & {"exif", "Raw profile type exif"})
    image.load()
    is_16_bit_colour = source == "png" and data[24] == 16 and image.mode in ("RGB", "RGBA", "LA")
    upright = _turn_upright(image, changes) if may_be_turned else image
    size = upright.size
    wanted = settings.sent_size(size) if settings.changes_pictures else size
    target = _target_format(source, settings)
    is_usual = image.mode in ("1", "L", "LA", "P", "PA", "RGB", "RGBA") and not is_16_bit_colour
    is_source_sent = source in _SENT_AS_IS.get(settings.format, (settings.format,))
    if is_source_sent and not changes and is_usual and wanted == size:
        return data, Picture(size=size)
    if is_16_bit_colour:
        changes.append("high_byte")
    flat = _flatten(upright, changes)
    if wanted != size:
        from PIL import Image

        flat = flat.resize(wanted, Image.Resampling.BICUBIC)
    if target != source:
        changes.append("converted")
    out = io.BytesIO()
    flat.save(out, target, **_SAVE_OPTIONS[target])
    changed = Picture(size=size, sent=wanted if wanted != size else None, format=target, changes=tuple(changes))
    return out.getvalue(), changed


def _target_format(source: str, settings: PictureSettings) -> str:
    """The format in which an image is encoded anew."""
    if settings.format in _SAVE_OPTIONS:
        return settings.format
    kept = _SENT_AS_IS[settings.format]
    return source if source in kept and source in _SAVE_OPTIONS else "png"


def _turn_upright(image: Any, changes: list[PictureChange]) -> Any:
    """The image as its EXIF orientation says."""
    from PIL import ImageOps

    orientation = image.getexif().get(_ORIENTATION, 1)
    if orientation not in range(2, 9):
        return image
    changes.append("upright")
    return ImageOps.exif_transpose(image)


def _flatten(image: Any, changes: list[PictureChange]) -> Any:
    """The image in 8-bit RGB, transparent pixels on white."""
    from PIL import Image

    if image.mode in ("I", "F") or image.mode.startswith("I;"):
        changes.append("stretched")
        return Image.fromarray(stretch(np.asarray(image)[:, :, None])[:, :, 0]).convert("RGB")
    has_alpha = image.mode in ("LA", "PA", "La", "RGBA", "RGBa") or "transparency" in image.info
    if not has_alpha:
        if image.mode not in ("1", "L", "P", "RGB"):
            changes.append("rgb")
        return image.convert("RGB")
    whole = image.convert("RGBA")
    if whole.getchannel("A").getextrema()[0] < 255:
        changes.append("flattened")
    return Image.alpha_composite(Image.new("RGBA", whole.size, "white"), whole).convert("RGB")


def _count_raster_bytes(data: bytes) -> int:
    """Size of the pixels of a TIFF that Pillow does not open, or of which it keeps 8 bits only; 0 for all others."""
    if not data.startswith((b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")):
        return 0
    from sightline.data.tiff import TiffTags

    try:
        tags = TiffTags(data)
    except ValueError:
        return 0
    width, height = tags.size
    if not tags.is_raster or width * height > MAX_PICTURE_PIXELS or (tags.bits <= 8 and tags.bands in (1, 3)):
        return 0
    return width * height * tags.bands * tags.bits // 8


def _open_tiff(data: bytes, changes: list[PictureChange]) -> Any:
    """A TIFF of many bits or bands as an 8-bit image of its first three bands."""
    from PIL import Image

    from sightline.data.tiff import read_tiff

    raster = read_tiff(data)
    pixels, alpha = raster.pixels, None
    if raster.has_alpha:
        pixels, alpha = pixels[:, :, :-1], pixels[:, :, -1]
    if pixels.shape[2] not in (1, 3):
        changes.append("first_bands")
        pixels = pixels[:, :, :3] if pixels.shape[2] > 3 else pixels[:, :, :1]
    if pixels.dtype != np.uint8:
        changes.append("stretched")
        pixels = stretch(pixels, raster.no_data)
    if raster.is_inverted:
        pixels = 255 - pixels
    if alpha is not None:
        top = np.iinfo(alpha.dtype).max if alpha.dtype.kind in "iu" else 1.0
        opacity = np.clip(alpha.astype(np.float64) * (255.0 / top), 0, 255).astype(np.uint8)
        colour = np.repeat(pixels, 3, axis=2) if pixels.shape[2] == 1 else pixels
        pixels = np.concatenate([colour, opacity[:, :, None]], axis=2)
    image = Image.fromarray(np.ascontiguousarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels))
    image.format = "TIFF"
    image.getexif()[_ORIENTATION] = raster.orientation
    return image


def stretch(pixels: NDArray[Any], no_data: float | None = None) -> NDArray[np.uint8]:
    """Bands scaled to 8 bits, each linearly from its 2nd to its 98th percentile, as GIS programs show them.

    Pixels without data (not finite, or of the value that the file declares) are left out and become black. Where both
    percentiles are equal, the band is scaled from its least to its greatest value.
    """
    scaled = np.zeros(pixels.shape, np.uint8)
    for band in range(pixels.shape[2]):
        values = pixels[:, :, band].astype(np.float32 if pixels.dtype.itemsize <= 4 else np.float64)
        valid = np.isfinite(values)
        if no_data is not None:
            valid &= values != no_data
        if not valid.any():
            continue
        low, high = np.percentile(values[valid], PERCENTILES)
        if high <= low:
            low, high = values[valid].min(), values[valid].max()
        if high > low:
            share = (np.where(valid, values, low) - low) / (high - low)
            scaled[:, :, band] = np.round(np.clip(share, 0.0, 1.0) * 255.0)
        else:
            scaled[:, :, band][valid] = 128  # a band of one value has no contrast
    return scaled
