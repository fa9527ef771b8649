"""TIFF reader for rasters that Pillow does not open or truncates: more than 8 bits, any number of bands, tiles.

Pixels are read as they are stored, as an array of rows, columns and bands. Compressed strips and tiles are decoded by
Pillow's libtiff, which is given each of them as an 8-bit image of its bytes.
"""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC = 256, 257, 258, 259, 262
_STRIP_OFFSETS, _BANDS, _STRIP_ROWS, _STRIP_SIZES, _PLANAR = 273, 277, 278, 279, 284
_PREDICTOR, _TILE_WIDTH, _TILE_HEIGHT, _TILE_OFFSETS, _TILE_SIZES = 317, 322, 323, 324, 325
_EXTRA_SAMPLES, _SAMPLE_FORMAT, _NO_DATA, _ORIENTATION = 338, 339, 42113, 274
_TYPES = {1: "B", 2: "s", 3: "H", 4: "I", 5: "II", 6: "b", 8: "h", 9: "i", 11: "f", 12: "d", 16: "Q"}
_KINDS = {1: "u", 2: "i", 3: "f"}
_BYTE_COMPRESSIONS = (1, 5, 8, 32773, 32946, 34925, 50000)
"""None, LZW, Deflate, PackBits, LZMA and ZSTD: these compress bytes, whatever they mean."""
MAX_RASTER_BYTES = 2**29
_MAX_BLOCKS = 100_000
_LONG_TAGS = frozenset(
    {_BITS, _STRIP_OFFSETS, _STRIP_SIZES, _TILE_OFFSETS, _TILE_SIZES, _EXTRA_SAMPLES} | {_SAMPLE_FORMAT}
)
"""Tags with many values; of the others that are used, the first value is read."""
_TAGS = (
    _LONG_TAGS
    | {_WIDTH, _HEIGHT, _COMPRESSION, _PHOTOMETRIC, _BANDS, _STRIP_ROWS, _PLANAR, _PREDICTOR}
    | {_TILE_WIDTH, _TILE_HEIGHT, _NO_DATA, _ORIENTATION}
)


class UnsupportedTiff(ValueError):  # noqa: N818  # its texts reach users only as a reason within another message
    """The file is damaged, or no raster that can be read here."""


class TiffRaster(Struct, frozen=True):
    """The pixels of the first page of a TIFF file."""

    pixels: NDArray[Any]
    """Rows, columns, bands."""
    has_alpha: bool
    """Whether the last band is opacity."""
    is_inverted: bool
    """Whether 0 is white."""
    no_data: float | None
    orientation: int = 1


class TiffTags:
    """The tags of the first page; raises `UnsupportedTiff` where the file is damaged."""

    def __init__(self, data: bytes) -> None:
        self.order = {b"II": "<", b"MM": ">"}.get(data[:2], "")
        is_big = data[2:4] in (b"+\0", b"\0+")
        if not self.order or not (is_big or data[2:4] in (b"*\0", b"\0*")):
            raise UnsupportedTiff("no TIFF header")
        count, entry, offset = ("Q", 20, 8) if is_big else ("H", 12, 4)
        try:
            (start,) = struct.unpack_from(self.order + ("Q" if is_big else "I"), data, offset)
            (number,) = struct.unpack_from(self.order + count, data, start)
            first = start + struct.calcsize(count)
            self._tags: dict[int, tuple[Any, ...]] = {}
            for index in range(min(number, 1000)):
                tag, values = self._read(data, first + index * entry, is_big)
                self._tags.setdefault(tag, values)
        except (struct.error, OverflowError) as error:
            raise UnsupportedTiff(f"damaged tags: {error}") from None

    def _read(self, data: bytes, at: int, is_big: bool) -> tuple[int, tuple[Any, ...]]:
        tag, kind = struct.unpack_from(self.order + "HH", data, at)
        (count,) = struct.unpack_from(self.order + ("Q" if is_big else "I"), data, at + 4)
        letter = _TYPES.get(kind)
        if letter is None or count > _MAX_BLOCKS or tag not in _TAGS or tag in self._tags:
            return tag, ()  # tags may share bytes, so that a small file could fill the memory
        if tag not in _LONG_TAGS and letter != "s":
            count = min(count, 1)
        layout = self.order + (f"{count}s" if letter == "s" else f"{count}{letter}")
        if letter == "II":
            layout = f"{self.order}{2 * count}I"
        size = struct.calcsize(layout)
        inline = 8 if is_big else 4
        value = at + (12 if is_big else 8)
        if size > inline:
            (value,) = struct.unpack_from(self.order + ("Q" if is_big else "I"), data, value)
        return tag, struct.unpack_from(layout, data, value)

    def numbers(self, tag: int) -> tuple[Any, ...]:
        """All values of a tag; empty where it is absent."""
        return self._tags.get(tag, ())

    def number(self, tag: int, default: int) -> int:
        """The first value of a tag."""
        values = self.numbers(tag)
        if values and not isinstance(values[0], int):
            raise UnsupportedTiff(f"tag {tag} is no whole number")
        return int(values[0]) if values else default

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.number(_WIDTH, 0), self.number(_HEIGHT, 0)

    @property
    def orientation(self) -> int:
        """How the pixels are turned, as in EXIF: from 5 on, width and height are exchanged where it is upright."""
        orientation = self.number(_ORIENTATION, 1)
        return orientation if 1 <= orientation <= 8 else 1

    @property
    def bits(self) -> int:
        """Bits of a band."""
        return max((int(value) for value in self.numbers(_BITS)), default=1)

    @property
    def is_raster(self) -> bool:
        """Whether bands are stored as numbers of grey, RGB or anything else that is not a coded colour."""
        return self.number(_PHOTOMETRIC, 1) in (0, 1, 2) and self.number(_COMPRESSION, 1) in _BYTE_COMPRESSIONS

    @property
    def bands(self) -> int:
        """Number of bands."""
        return self.number(_BANDS, 1)


def read_tiff(data: bytes) -> TiffRaster:
    """The raster of the first page; raises `UnsupportedTiff` for what can't be read."""
    tags = TiffTags(data)
    kinds = {int(value) for value in tags.numbers(_SAMPLE_FORMAT)} or {1}
    bits = {int(value) for value in tags.numbers(_BITS)}
    width, height = tags.size
    if len(kinds) > 1 or len(bits) != 1 or not kinds <= _KINDS.keys():
        raise UnsupportedTiff("bands of different types")
    kind, depth = _KINDS[kinds.pop()], bits.pop()
    if depth not in (8, 16, 32, 64) or (kind == "f" and depth == 8):
        raise UnsupportedTiff(f"{depth} bits per band")
    if tags.number(_COMPRESSION, 1) not in _BYTE_COMPRESSIONS:
        raise UnsupportedTiff(f"compression {tags.number(_COMPRESSION, 1)}")
    bands = tags.bands
    if width < 1 or height < 1 or not 1 <= bands <= 1000 or width * height * bands * depth // 8 > MAX_RASTER_BYTES:
        raise UnsupportedTiff(f"{width} × {height} pixels of {bands} bands")
    pixels = _read_blocks(data, tags, np.dtype(f"{tags.order}{kind}{depth // 8}"))
    extra = tags.numbers(_EXTRA_SAMPLES)
    return TiffRaster(
        pixels=pixels,
        has_alpha=bool(extra) and extra[-1] in (1, 2) and bands > 1,
        is_inverted=tags.number(_PHOTOMETRIC, 1) == 0,
        no_data=_parse_no_data(tags.numbers(_NO_DATA)),
        orientation=tags.orientation,
    )


def _parse_no_data(values: tuple[Any, ...]) -> float | None:
    """The value of pixels without data, as GDAL writes it."""
    try:
        return float(values[0].rstrip(b"\0 ")) if values and isinstance(values[0], bytes) else None
    except ValueError:
        return None


def _read_blocks(data: bytes, tags: TiffTags, dtype: np.dtype[Any]) -> NDArray[Any]:
    """All strips or tiles, put together."""
    width, height = tags.size
    bands, is_planar = tags.bands, tags.number(_PLANAR, 1) == 2
    is_tiled = bool(tags.numbers(_TILE_OFFSETS))
    columns = tags.number(_TILE_WIDTH, 0) if is_tiled else width
    rows = tags.number(_TILE_HEIGHT, 0) if is_tiled else min(height, tags.number(_STRIP_ROWS, height))
    offsets = tags.numbers(_TILE_OFFSETS if is_tiled else _STRIP_OFFSETS)
    sizes = tags.numbers(_TILE_SIZES if is_tiled else _STRIP_SIZES)
    if columns < 1 or rows < 1 or columns * rows * bands * dtype.itemsize > MAX_RASTER_BYTES:
        raise UnsupportedTiff(f"blocks of {columns} × {rows} pixels")
    across, down = -(-width // columns), -(-height // rows)
    layers = bands if is_planar else 1
    if len(offsets) < across * down * layers or len(sizes) < len(offsets):
        raise UnsupportedTiff("strips or tiles are missing")
    if not all(isinstance(value, int) for value in (*offsets, *sizes)) or sum(sizes) > 2 * len(data):
        raise UnsupportedTiff("strips or tiles overlap")
    depth = 1 if is_planar else bands
    pixels = np.zeros((height, width, bands), dtype.newbyteorder("="))
    compression, predictor = tags.number(_COMPRESSION, 1), tags.number(_PREDICTOR, 1)
    if predictor not in (1, 2, 3) or (predictor == 3 and dtype.kind != "f"):
        raise UnsupportedTiff(f"predictor {predictor}")
    for number in range(across * down * layers):
        layer, place = divmod(number, across * down)
        top, left = place // across * rows, place % across * columns
        # the last strip is shorter; tiles are all of one size
        high = rows if is_tiled else min(rows, height - top)
        raw = data[offsets[number] : offsets[number] + sizes[number]]
        content = _decompress(raw, compression, columns * depth * dtype.itemsize, high)
        block = _undo_prediction(content, predictor, (high, columns, depth), dtype)
        shown = block[: height - top, : width - left]
        bottom, right = top + shown.shape[0], left + shown.shape[1]
        pixels[top:bottom, left:right, layer : layer + depth] = shown
    return pixels


def _decompress(raw: bytes, compression: int, row_bytes: int, rows: int) -> bytes:
    """The bytes of a strip or tile."""
    needed = row_bytes * rows
    if compression == 1:
        content = raw[:needed]
    else:
        from PIL import Image

        with Image.open(io.BytesIO(_as_bytes_image(raw, compression, row_bytes, rows)), formats=["TIFF"]) as image:
            content = image.tobytes()
    if len(content) < needed:
        raise UnsupportedTiff("the file is truncated")
    return content


def _as_bytes_image(raw: bytes, compression: int, width: int, height: int) -> bytes:
    """A TIFF file of one strip whose pixels are the bytes of the given compressed strip."""
    if not raw:
        raise UnsupportedTiff("the file is truncated")
    entries = [
        (_WIDTH, 4, width),
        (_HEIGHT, 4, height),
        (_BITS, 3, 8),
        (_COMPRESSION, 3, compression),
        (_PHOTOMETRIC, 3, 1),
        (_STRIP_OFFSETS, 4, 8),
        (_BANDS, 3, 1),
        (_STRIP_ROWS, 4, height),
        (_STRIP_SIZES, 4, len(raw)),
    ]
    padded = raw + b"\0" * (len(raw) % 2)
    head = struct.pack("<2sHI", b"II", 42, 8 + len(padded))
    rows = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in entries)
    return head + padded + struct.pack("<H", len(entries)) + rows + bytes(4)


def _undo_prediction(content: bytes, predictor: int, shape: tuple[int, int, int], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Pixels of a block from horizontal differences (2) or differences of bytes of floats (3)."""
    rows, columns, bands = shape
    if predictor == 3:
        planes = np.frombuffer(content, np.uint8, rows * columns * bands * dtype.itemsize).reshape(rows, -1, bands)
        summed = np.cumsum(planes, axis=1, dtype=np.uint8).reshape(rows, dtype.itemsize, columns * bands)
        # bytes of a row are stored by significance, the highest first
        big = np.ascontiguousarray(summed.transpose(0, 2, 1)).view(np.dtype(f">f{dtype.itemsize}"))
        return big.reshape(shape)
    block = np.frombuffer(content, dtype, rows * columns * bands).reshape(shape)
    if predictor == 2:
        whole = block.astype(dtype.newbyteorder("=")).view(f"u{dtype.itemsize}")
        return np.cumsum(whole, axis=1, dtype=whole.dtype).view(dtype.newbyteorder("="))
    return block
