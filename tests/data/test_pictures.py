"""Images before they are sent: what is left alone, what is converted and how, what is refused."""

from __future__ import annotations

import base64
import io
import json
import math
import struct
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from sightline.core.errors import MediaError
from sightline.core.records import Media, Message, Picture, Prompt
from sightline.data.media import HEADER_CHARS, image_size, image_size_of_base64_head, image_size_of_media
from sightline.data.pictures import NeedsDecoding, PictureSettings, prepare_picture, stretch
from sightline.data.tiff import UnsupportedTiff, read_tiff
from sightline.models.chat_format import encode_request
from tests.support.worlds import PIXEL

RNG = np.random.default_rng(0)
NOISE = RNG.integers(0, 256, (60, 90, 3), dtype=np.uint8)
RGB = Image.fromarray(NOISE)


def encoded(image: Image.Image, name: str, **more: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, name, **more)
    return out.getvalue()


def sent(content: bytes, settings: PictureSettings | None = None) -> tuple[str, bytes, Any]:
    """Media type, bytes and record of what is sent for a file of these bytes."""
    media = Media(kind="image", data="data:image/png;base64," + base64.b64encode(content).decode())
    prepared = prepare_picture(media, settings or PictureSettings())
    head, _, body = prepared.uri.partition(b";base64,")
    return head.removeprefix(b"data:").decode(), base64.b64decode(body, validate=True), prepared.picture


def opened(content: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(content))
    image.load()
    return image


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(width: int, height: int, depth: int, colour: int, rows: bytes) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (encoded(RGB, "PNG"), "image/png"),
        (encoded(RGB.convert("L"), "PNG"), "image/png"),
        (encoded(RGB.convert("P"), "PNG"), "image/png"),
        (encoded(RGB.convert("RGBA"), "PNG"), "image/png"),
        (encoded(RGB.convert("1"), "PNG"), "image/png"),
        (encoded(RGB, "JPEG"), "image/jpeg"),
        (encoded(RGB, "JPEG", progressive=True), "image/jpeg"),
        (encoded(RGB.convert("L"), "JPEG"), "image/jpeg"),
        (encoded(RGB, "PNG") + b"trailing", "image/png"),
        (PIXEL, "image/png"),
    ],
)
def test_png_and_jpeg_are_sent_with_their_own_bytes(content: bytes, kind: str, tmp_path: Path) -> None:
    assert sent(content)[:2] == (kind, content)
    file = tmp_path / "named.gif"  # the content decides, not the name
    file.write_bytes(content)
    uri = prepare_picture(Media(kind="image", path=str(file))).uri
    assert uri == f"data:{kind};base64,".encode() + base64.b64encode(content)
    assert sent(content)[2].size == opened(content).size
    assert sent(content)[2].changes == ()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "\r\n".join(text[at : at + 76] for at in range(0, len(text), 76)),
        lambda text: text[:400] + "\n\n\n\n" + text[400:],
        lambda text: text[:9000] + ' "\\\x00' + text[9000:],
        lambda text: text[:9000] + "!?!?" + text[9000:],
    ],
)
def test_base64_that_strict_servers_refuse_is_encoded_anew(spoil: Any, tmp_path: Path) -> None:
    content = encoded(RGB, "PNG")
    text = spoil(base64.b64encode(content).decode())
    (tmp_path / "line").write_text(text, newline="")
    size = (tmp_path / "line").stat().st_size
    for media in (
        Media(kind="image", data=f"data:image/png;base64,{text}"),
        Media(kind="image", path=str(tmp_path / "line"), span=(0, size)),
    ):
        body = encode_request(Prompt((Message("user", (media,)),)), {}).body
        url = json.loads(body)["messages"][0]["content"][0]["image_url"]["url"]
        assert base64.b64decode(url.removeprefix("data:image/png;base64,"), validate=True) == content


def test_an_ordinary_image_is_never_decoded() -> None:
    for content in (encoded(RGB, "PNG"), encoded(RGB, "JPEG")):
        media = Media(kind="image", data="data:image/png;base64," + base64.b64encode(content).decode())
        for settings in (PictureSettings(), PictureSettings(max_pixels=10_000), PictureSettings(multiple=30)):
            assert prepare_picture(media, settings, inline=True).picture.size == (90, 60)
        with pytest.raises(NeedsDecoding):
            prepare_picture(media, PictureSettings(max_pixels=1000), inline=True)


@pytest.mark.parametrize("name", ["BMP", "TIFF", "GIF", "WEBP", "JPEG2000", "PPM"])
def test_other_formats_become_png(name: str) -> None:
    more = {"lossless": True} if name == "WEBP" else {}
    content = encoded(RGB.quantize(64).convert("RGB"), name, **more)
    kind, got, picture = sent(content)
    assert (kind, opened(got).format) == ("image/png", "PNG")
    assert np.array_equal(np.asarray(opened(got)), np.asarray(opened(content).convert("RGB")))
    assert (picture.size, picture.sent_size, picture.changes) == ((90, 60), (90, 60), ("converted",))


@pytest.mark.parametrize(
    ("mode", "name", "changes"),
    [("CMYK", "JPEG", ("rgb",)), ("CMYK", "TIFF", ("rgb", "converted")), ("LAB", "TIFF", ("rgb", "converted"))],
)
def test_other_colour_spaces_become_rgb(mode: str, name: str, changes: tuple[str, ...]) -> None:
    image = Image.new("CMYK", (9, 6), (0, 255, 255, 0)) if mode == "CMYK" else Image.new(mode, (9, 6))
    got = opened(sent(encoded(image, name))[1])
    assert got.mode == "RGB"
    assert sent(encoded(image, name))[2].changes == changes
    if mode == "CMYK":
        red = np.asarray(got)[0, 0].astype(int)
        assert red[0] > 220 and red[1:].max() < 40


def test_transparent_pixels_are_white_where_an_image_is_encoded_anew() -> None:
    image = Image.new("RGBA", (8, 8), (255, 0, 0, 0))
    image.putpixel((0, 0), (0, 0, 255, 255))
    _, got, picture = sent(encoded(image, "PNG"), PictureSettings(format="jpeg"))
    assert picture.changes == ("flattened", "converted")
    assert min(opened(got).getpixel((7, 7))) > 240  # type: ignore[arg-type, type-var]
    palette = encoded(image.quantize(2), "GIF", transparency=0)
    assert opened(sent(palette)[1]).mode == "RGB"
    opaque = encoded(RGB.convert("RGBA"), "TIFF")
    assert sent(opaque)[2].changes == ("converted",)


def test_sixteen_bits_are_scaled_by_percentiles() -> None:
    # 12-bit data with a few hot pixels: by bit depth, all of it would be nearly black
    values = RNG.integers(200, 4000, (100, 100)).astype(np.uint16)
    values[0, :5] = 65535
    low, high = np.percentile(values, [2, 98])
    expected = np.round(np.clip((values - low) / (high - low), 0, 1) * 255)
    for name, changes in (("PNG", ("stretched",)), ("TIFF", ("stretched", "converted"))):
        kind, got, picture = sent(encoded(Image.fromarray(values), name))
        shown = np.asarray(opened(got))
        assert kind == "image/png" and shown.dtype == np.uint8
        assert np.abs(shown[:, :, 0] - expected).max() <= 1
        assert picture.changes == changes


def test_sixteen_bit_colour_png_keeps_the_upper_bytes() -> None:
    content = png(2, 1, 16, 2, b"\0" + struct.pack(">6H", 0xFF00, 0x8000, 0, 0x1234, 0x5678, 0x9ABC))
    _, got, picture = sent(content)
    assert np.asarray(opened(got)).tolist() == [[[255, 128, 0], [0x12, 0x56, 0x9A]]]
    assert picture.changes == ("high_byte",)


def test_stretching_leaves_out_pixels_without_data() -> None:
    values = np.full((50, 50, 1), -9999.0, np.float32)
    values[:25, :, 0] = np.linspace(0, 1, 25 * 50).reshape(25, 50)
    shown = stretch(values, -9999.0)
    assert shown[:25].min() == 0 and shown[:25].max() == 255 and not shown[25:].any()
    assert stretch(values)[25:].max() == 0  # without the tag they are data
    assert set(np.unique(stretch(np.full((4, 4, 1), 7, np.uint16)))) == {128}
    drawing = np.full((100, 100, 1), 65535, np.uint16)
    drawing[50, :50] = 0  # half a per cent: both percentiles are white
    assert sorted(np.unique(stretch(drawing))) == [0, 255]
    hidden = np.array([[[np.nan], [np.inf], [1.0], [2.0]]], np.float32)
    assert stretch(hidden)[0, :, 0].tolist() == [0, 0, 0, 255]


def test_exif_orientation_is_applied() -> None:
    image = Image.new("RGB", (40, 20), "white")
    image.paste((255, 0, 0), (0, 0, 20, 20))  # red on the left
    exif = Image.Exif()
    exif[0x0112] = 6  # shown turned by 90° clockwise: red at the top
    content = encoded(image, "JPEG", exif=exif)
    _, got, picture = sent(content)
    shown = opened(got)
    assert shown.size == picture.size == (20, 40)
    assert not shown.getexif().get(0x0112)
    assert shown.getpixel((10, 5))[1] < 60 < shown.getpixel((10, 35))[1]  # type: ignore[index]
    assert picture.changes == ("upright",)
    assert image_size_of_base64_head(base64.b64encode(content)) == (20, 40)
    exif[0x0112] = 1
    assert sent(encoded(image, "JPEG", exif=exif))[1] == encoded(image, "JPEG", exif=exif)


def turned_picture(name: str, orientation: int) -> bytes:
    """A picture of 40 × 20 pixels, red or bright on the left, with an orientation."""
    image = Image.new("RGB", (40, 20), "black")
    image.paste((255, 0, 0), (0, 0, 20, 20))
    exif = Image.Exif()
    exif[0x0112] = orientation
    tag = ((274, 3, struct.pack("<H", orientation), 1),)
    if name.startswith("PNG"):
        content = encoded(image, "PNG")
        body = chunk(b"eXIf", exif.tobytes().removeprefix(b"Exif\0\0"))
        at = content.index(b"IEND") - 4 if name == "PNG at its end" else 33
        before = chunk(b"tEXt", b"Comment\0" + b"x" * 9000) if name == "PNG behind a text" else b""
        return content[:at] + before + body + content[at:]
    if name == "TIFF":
        return tiff(np.asarray(image), more=tag)
    if name == "raster":
        return tiff(np.asarray(image)[:, :, :1].astype(np.uint16) * 200, more=tag)
    return encoded(image, name, exif=exif)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("name", ["JPEG", "PNG", "PNG behind a text", "PNG at its end", "WEBP", "TIFF", "raster"])
@pytest.mark.parametrize("settings", [PictureSettings(), PictureSettings(max_pixels=200)])
def test_the_size_that_is_sent_is_the_size_that_targets_are_read_in(
    name: str, orientation: int, settings: PictureSettings
) -> None:
    """Boxes in pixels refer to it, and every orientation shows the same upright picture."""
    content = turned_picture(name, orientation)
    _, got, picture = sent(content, settings)
    # behind its pixels, a PNG's orientation is read by hardly any program, and not looked for here
    is_turned = name != "PNG at its end" and orientation > 4
    assert picture.size == image_size(content) == ((20, 40) if is_turned else (40, 20))
    shown = opened(got)
    assert shown.size == picture.sent_size
    upright = Image.new("L", (40, 20))
    upright.paste(255, (0, 0, 20, 20))
    turns = {2: 0, 3: 3, 4: 1, 5: 5, 6: 4, 7: 6, 8: 2}  # as the EXIF standard has them, in the numbers of Pillow
    if orientation > 1 and name != "PNG at its end":
        upright = upright.transpose(Image.Transpose(turns[orientation]))
    if name != "PNG at its end":
        red = np.asarray(shown.convert("RGB").getchannel("R").resize(upright.size), float)
        assert np.abs(red - np.asarray(upright, float)).mean() < 40


def test_many_exif_segments_are_not_read_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them would cost as much as all: a small file could hold up the event loop for minutes."""
    content = turned_picture("JPEG", 1)
    start = content.index(b"\xff\xe1")
    end = start + 2 + int.from_bytes(content[start + 2 : start + 4])
    hostile = content[:start] + content[start:end] * 3000 + content[end:]
    (tmp_path / "a.jpg").write_bytes(hostile)
    sizes: list[int] = []
    load = Image.Exif.load

    def count_bytes(exif: Image.Exif, data: bytes) -> None:
        sizes.append(len(data))
        load(exif, data)

    monkeypatch.setattr(Image.Exif, "load", count_bytes)
    with pytest.raises(NeedsDecoding):
        prepare_picture(Media(kind="image", path=str(tmp_path / "a.jpg")), inline=True)
    assert sum(sizes) <= end - start


@pytest.mark.parametrize("name", ["PNG", "JPEG", "WEBP", "TIFF", "raster"])
def test_the_size_is_known_without_decoding(name: str, tmp_path: Path) -> None:
    noise = RNG.integers(0, 256, (300, 400, 8), dtype=np.uint8)
    content = tiff(noise) if name == "raster" else encoded(Image.fromarray(noise[:, :, :3]), name)
    text = base64.b64encode(content)
    if name in ("PNG", "JPEG"):
        assert image_size_of_base64_head(text[:HEADER_CHARS]) == (400, 300)
    (tmp_path / "lines").write_bytes(b"before" + text + b"behind")
    assert image_size_of_media(Media(kind="image", path=str(tmp_path / "lines"), span=(6, len(text)))) == (400, 300)
    assert image_size_of_media(Media(kind="image", data=f"data:image/png;base64,{text.decode()}")) == (400, 300)
    assert image_size_of_media(Media(kind="image", data="data:image/png;base64,AAAA")) is None
    assert image_size_of_media(Media(kind="image", path=str(tmp_path / "gone"), span=(0, 9))) is None


@given(
    st.sampled_from(["AVIF", "DDS", "JPEG", "WEBP", "TIFF", "PNG", "GIF"]).map(lambda name: encoded(RGB, name)),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=8),
)
@example(encoded(RGB, "AVIF")[:150], [])
@example(encoded(RGB, "DDS"), [(80.5 / len(encoded(RGB, "DDS")), 0)])  # flags of the pixel format
def test_the_size_of_a_damaged_image_is_known_or_not(content: bytes, changes: list[tuple[float, int]]) -> None:
    damaged = bytearray(content)
    for place, byte in changes:
        damaged[int(place * len(damaged))] = byte
    size = image_size(bytes(damaged))
    assert size is None or min(size) > 0


@pytest.mark.parametrize("sent_size", [(0, 5), (5, 0), (-3, 5), (1, 10**30), (10**30, 1)])
def test_a_size_from_a_damaged_journal_scales_nothing(sent_size: tuple[int, int]) -> None:
    assert Picture(size=(10, 10), sent=sent_size).scale == (1.0, 1.0)
    assert Picture(size=sent_size, sent=(10, 10)).scale == (1.0, 1.0)


def test_only_the_first_frame_is_sent() -> None:
    frames = [Image.new("RGB", (5, 5), colour) for colour in ("red", "blue")]
    for name in ("GIF", "TIFF"):
        content = encoded(frames[0], name, save_all=True, append_images=frames[1:])
        for settings in (PictureSettings(), PictureSettings(format="keep")):
            _, got, picture = sent(content, settings)
            assert opened(got).convert("RGB").getpixel((0, 0)) == (255, 0, 0)
            assert picture.changes == ("first_frame", "converted")


def test_image_format() -> None:
    webp, gif, jpeg = encoded(RGB, "WEBP"), encoded(RGB, "GIF"), encoded(RGB, "JPEG")
    assert sent(webp, PictureSettings(format="keep"))[:2] == ("image/webp", webp)
    assert sent(gif, PictureSettings(format="keep"))[:2] == ("image/gif", gif)
    assert sent(jpeg, PictureSettings(format="keep"))[:2] == ("image/jpeg", jpeg)
    assert sent(webp, PictureSettings(format="webp"))[:2] == ("image/webp", webp)
    for name, content in (("png", jpeg), ("jpeg", encoded(RGB, "PNG")), ("webp", jpeg), ("jpeg", webp)):
        kind, got, picture = sent(content, PictureSettings(format=name))  # type: ignore[arg-type]
        assert (kind, opened(got).format) == (f"image/{name}", name.upper())
        assert picture.changes == ("converted",)
    resized = sent(webp, PictureSettings(format="keep", max_pixels=1000))
    assert (resized[0], opened(resized[1]).format) == ("image/webp", "WEBP")


def bomb(width: int, height: int) -> bytes:
    return png(width, height, 8, 0, b"")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<!DOCTYPE html><title>Not found</title>", "not an image, but text: <!DOCTYPE html>"),
        (b"404 not found", "not an image, but text: 404"),
        (b"", "the file is empty"),
        (bytes(range(1, 200)), "not an image"),
        (encoded(RGB, "PNG")[:4000], "cannot be decoded"),
        (encoded(RGB, "JPEG")[:2000], "cannot be decoded"),
        (encoded(RGB, "TIFF")[:5000], "cannot be decoded"),
        (encoded(Image.fromarray(NOISE[:, :, 0].astype(np.uint16)), "TIFF")[:200], "cannot be decoded"),
        (b"\x89PNG\r\n\x1a\n____", "cannot be decoded"),
        (b"II*\0" + bytes(3), "cannot be decoded"),
        (bomb(60_000, 60_000), "more than 178,956,970 pixels"),
        (b"%PDF-1.4\n%\xe2\xe3", "not an image"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not an image, but text"),
    ],
)
@pytest.mark.parametrize("settings", [PictureSettings(), PictureSettings(max_pixels=1000, format="keep")])
def test_what_is_no_image_is_refused(content: bytes, reason: str, settings: PictureSettings, tmp_path: Path) -> None:
    file = tmp_path / "scene.png"
    file.write_bytes(content)
    with pytest.raises(MediaError, match=reason) as caught:
        prepare_picture(Media(kind="image", path=str(file)), settings)
    assert "scene.png" in str(caught.value)


@given(
    st.binary(max_size=400),
    st.sampled_from([b"", b"II*\0", b"MM\0*", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe1", b"GIF89a", b"BM"]),
)
def test_hostile_bytes_raise_one_kind_of_error(tail: bytes, head: bytes) -> None:
    media = Media(kind="image", data="data:image/png;base64," + base64.b64encode(head + tail).decode())
    try:
        prepare_picture(media)
    except MediaError:
        return


def smart_resize(height: int, width: int, factor: int, least: int, most: int) -> tuple[int, int]:
    """As Qwen2-VL's `image_processing_qwen2_vl.py` has it, an independent implementation."""
    h_bar = max(factor, round(height / factor) * factor)
    w_bar = max(factor, round(width / factor) * factor)
    if h_bar * w_bar > most:
        beta = math.sqrt((height * width) / most)
        h_bar = max(factor, math.floor(height / beta / factor) * factor)
        w_bar = max(factor, math.floor(width / beta / factor) * factor)
    elif h_bar * w_bar < least:
        beta = math.sqrt(least / (height * width))
        h_bar = math.ceil(height * beta / factor) * factor
        w_bar = math.ceil(width * beta / factor) * factor
    return h_bar, w_bar


@given(st.integers(28, 6000), st.integers(28, 6000), st.sampled_from([28, 14, 32]))
def test_sizes_follow_the_rule_of_qwen(width: int, height: int, factor: int) -> None:
    most, least = 1280 * 784, 4 * 784
    settings = PictureSettings(max_pixels=most, min_pixels=least, multiple=factor)
    expected = smart_resize(height, width, factor, least, most)
    got = settings.sent_size((width, height))
    if expected[0] * expected[1] <= most:  # theirs leaves the budget where one side can't shrink
        assert got in {expected[::-1]} or max(abs(a - b) for a, b in zip(got, expected[::-1], strict=True)) <= factor
    assert got[0] * got[1] <= most and got[0] % factor == got[1] % factor == 0


@given(st.integers(1, 20_000), st.integers(1, 20_000), st.integers(1, 2_000_000), st.integers(1, 40))
def test_the_budget_is_kept(width: int, height: int, most: int, factor: int) -> None:
    most = max(most, factor * factor)
    wide, high = PictureSettings(max_pixels=most, multiple=factor).sent_size((width, height))
    assert 0 < wide * high <= most and wide % factor == high % factor == 0
    if factor == 1 and width * height <= most:
        assert (wide, high) == (width, height)
    if factor == 1 and min(wide, high) > 50:
        assert wide / high == pytest.approx(width / height, rel=0.05)
    both = PictureSettings(max_pixels=most, min_pixels=most, multiple=factor)
    wide, high = both.sent_size((width, height))
    assert 0 < wide * high <= most and wide % factor == high % factor == 0
    wide, high = PictureSettings(min_pixels=most).sent_size((width, height))
    assert wide * high >= most
    assert width * height < most or (wide, high) == (width, height)


def test_resizing_keeps_what_the_image_shows() -> None:
    image = Image.new("RGB", (400, 200), "white")
    image.paste((0, 0, 255), (200, 0, 400, 200))
    for name in ("PNG", "JPEG"):
        kind, got, picture = sent(encoded(image, name), PictureSettings(max_pixels=20_000))
        shown = opened(got)
        assert kind == f"image/{name.lower()}"
        assert shown.size == picture.sent == picture.sent_size == (200, 100)
        assert picture.scale == (2.0, 2.0)
        assert shown.getpixel((30, 50))[0] > 240 and shown.getpixel((170, 50))[0] < 20  # type: ignore[index]
    bigger = sent(encoded(image, "PNG"), PictureSettings(min_pixels=320_000))
    assert opened(bigger[1]).size == (800, 400)
    assert opened(sent(encoded(image, "PNG"), PictureSettings(multiple=28))[1]).size == (392, 196)


def tiff(
    pixels: np.ndarray[Any, Any],
    *,
    order: str = "<",
    planar: bool = False,
    tile: int = 0,
    rows: int = 0,
    compression: int = 1,
    predictor: int = 1,
    more: tuple[tuple[int, int, bytes, int], ...] = (),
    big: bool = False,
) -> bytes:
    """A TIFF writer of this test alone: any number of bands, strips or tiles, both byte orders, classic or BigTIFF."""
    height, width, bands = pixels.shape
    pixels = pixels.astype(pixels.dtype.newbyteorder(order))
    wide, high = (tile, tile) if tile else (width, rows or height)
    blocks = []
    for layer in range(bands) if planar else [slice(None)]:
        plane = pixels[:, :, layer].reshape(height, width, -1)
        for top in range(0, height, high):
            for left in range(0, width, wide):
                block = plane[top : top + high, left : left + wide]
                if tile:
                    block = np.pad(block, ((0, tile - block.shape[0]), (0, tile - block.shape[1]), (0, 0)))
                if predictor == 2:
                    block = np.diff(block, axis=1, prepend=np.zeros_like(block[:, :1])).astype(pixels.dtype)
                raw = block.tobytes()
                blocks.append(zlib.compress(raw) if compression == 8 else raw)
    long, letter, slot = (16, "Q", 8) if big else (4, "I", 4)
    body = b"".join(blocks)
    start = 16 if big else 8
    offsets = np.cumsum([start, *map(len, blocks)])[:-1]
    kinds = {"u": 1, "i": 2, "f": 3}

    def shorts(*values: int) -> tuple[int, bytes, int]:
        return 3, struct.pack(f"{order}{len(values)}H", *values), len(values)

    def longs(*values: int) -> tuple[int, bytes, int]:
        return long, struct.pack(f"{order}{len(values)}{letter}", *values), len(values)

    tags: dict[int, tuple[int, bytes, int]] = {
        256: shorts(width),
        257: shorts(height),
        258: shorts(*[8 * pixels.dtype.itemsize] * bands),
        259: shorts(compression),
        262: shorts(2 if bands >= 3 else 1),
        277: shorts(bands),
        284: shorts(2 if planar else 1),
        317: shorts(predictor),
        339: shorts(*[kinds[pixels.dtype.kind]] * bands),
    }
    if tile:
        tags |= {322: shorts(tile), 323: shorts(tile), 324: longs(*offsets), 325: longs(*map(len, blocks))}
    else:
        tags |= {273: longs(*offsets), 278: shorts(high), 279: longs(*map(len, blocks))}
    tags |= {tag: (kind, value, count) for tag, kind, value, count in more}
    behind = start + len(body)
    extra, entries = b"", b""
    directory = (8 if big else 2) + len(tags) * (20 if big else 12) + slot
    for tag in sorted(tags):
        kind, value, count = tags[tag]
        if len(value) > slot:
            place = behind + directory + len(extra)
            extra += value
            value = struct.pack(order + letter, place)
        entries += struct.pack(f"{order}HH{letter}", tag, kind, count) + value.ljust(slot, b"\0")
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "H", 43 if big else 42)
    head += struct.pack(order + "HHQ", 8, 0, behind) if big else struct.pack(order + "I", behind)
    number = struct.pack(order + ("Q" if big else "H"), len(tags))
    return head + body + number + entries + bytes(slot) + extra


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("shape", [{}, {"rows": 7}, {"tile": 16}, {"planar": True}, {"planar": True, "tile": 16}])
@pytest.mark.parametrize("packing", [{}, {"compression": 8}, {"compression": 8, "predictor": 2}, {"big": True}])
def test_tiff_rasters_are_read_as_they_were_written(order: str, shape: dict[str, Any], packing: dict[str, Any]) -> None:
    pixels = RNG.integers(0, 65536, (33, 41, 6)).astype(np.uint16)
    assert np.array_equal(read_tiff(tiff(pixels, order=order, **shape, **packing)).pixels, pixels)


@pytest.mark.parametrize("name", ["tiff_lzw", "tiff_adobe_deflate", "packbits", "zstd", "lzma"])
def test_compressed_tiff_of_another_writer(name: str) -> None:
    pixels = RNG.integers(0, 500, (70, 50)).astype(np.uint16)
    content = encoded(Image.fromarray(pixels), "TIFF", compression=name)
    assert np.array_equal(read_tiff(content).pixels[:, :, 0], pixels)
    heights = RNG.random((70, 50), dtype=np.float32)
    assert np.array_equal(
        read_tiff(encoded(Image.fromarray(heights), "TIFF", compression=name)).pixels[:, :, 0], heights
    )


@pytest.mark.parametrize("dtype", ["u1", "u2", "i2", "u4", "f4", "f8"])
@pytest.mark.parametrize("bands", [1, 2, 3, 4, 8])
def test_any_tiff_raster_is_sent_as_png(dtype: str, bands: int) -> None:
    top = 256 if dtype == "u1" else 3000
    pixels = RNG.integers(0, top, (40, 30, bands)).astype(dtype)
    kind, got, picture = sent(tiff(pixels, tile=16))
    shown = np.asarray(opened(got))
    assert (kind, shown.shape, shown.dtype, picture.size) == ("image/png", (40, 30, 3), np.uint8, (30, 40))
    assert ("stretched" in picture.changes) == (dtype != "u1")
    assert ("first_bands" in picture.changes) == (bands in (2, 4, 8))
    first = pixels[:, :, [0, 0, 0] if bands < 3 else [0, 1, 2]]
    expected = first if dtype == "u1" else stretch(first)
    assert np.abs(shown.astype(int) - expected).max() <= 1
    assert "converted" in picture.changes


def test_alpha_and_no_data_of_a_raster() -> None:
    pixels = RNG.integers(100, 3000, (20, 20, 4)).astype(np.uint16)
    pixels[:, :, 3] = 65535
    pixels[0, 0, 3] = 0
    content = tiff(pixels, more=((338, 3, struct.pack("<H", 2), 1),))
    shown = np.asarray(opened(sent(content)[1]))
    assert shown[0, 0].tolist() == [255, 255, 255]
    assert sent(content)[2].changes == ("stretched", "flattened", "converted")
    marked = pixels[:, :, :1].copy()
    marked[5, 5] = 40000
    assert read_tiff(tiff(marked, more=((42113, 2, b"40000\0", 6),))).no_data == 40000


def test_damaged_rasters_are_errors() -> None:
    content = tiff(RNG.integers(0, 9, (30, 30, 5)).astype(np.uint16), tile=16, compression=8)
    for end in range(0, len(content), 97):
        try:
            read_tiff(content[:end])
        except Exception as error:
            assert isinstance(error, OSError | ValueError), repr(error)
    huge = tiff(np.zeros((1, 1, 1), np.uint16), more=((256, 4, struct.pack("<I", 2**31), 1),))
    with pytest.raises(ValueError, match="pixels of"):
        read_tiff(huge)


def test_tags_that_share_bytes_fill_no_memory() -> None:
    """A thousand tags of 60,000 values each, all at the same place of a small file."""
    entries = [struct.pack("<HHII", tag, 3, 60_000, 8) for tag in range(1000, 2000)]
    start = 8 + 120_000
    content = struct.pack("<2sHI", b"II", 42, start) + bytes(120_000) + struct.pack("<H", 1000) + b"".join(entries)
    tracemalloc.start()
    with pytest.raises(UnsupportedTiff):
        read_tiff(content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


def test_a_size_that_is_no_whole_number_is_unknown() -> None:
    entries = [struct.pack("<HHIf", tag, 11, 1, math.inf) for tag in (256, 257)]
    content = struct.pack("<2sHIH", b"II", 42, 8, 2) + b"".join(entries)
    assert (
        image_size_of_media(Media(kind="image", data=f"data:image/tiff;base64,{base64.b64encode(content).decode()}"))
        is None
    )


def test_an_image_is_not_enlarged_beyond_measure() -> None:
    with pytest.raises(MediaError, match="178000000"):
        PictureSettings(multiple=28).sent_size((1, 178_000_000))
