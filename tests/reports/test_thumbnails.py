"""Pictures inside a page: small, of a kind that browsers show, and never a trap."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest
from PIL import Image

from sightline.core.errors import MediaError
from sightline.reports.sample_cards import MAX_PIXELS, MAX_SIDE, thumbnail_uri
from sightline.reports.sample_view.media import LoadedImage


def picture(image: Image.Image, kind: str = "PNG") -> LoadedImage:
    out = io.BytesIO()
    image.save(out, kind)
    return LoadedImage(out.getvalue(), f"image/{kind.lower()}", *image.size)


def opened(uri: str) -> Image.Image:
    head, data = uri.split(",", 1)
    image = Image.open(io.BytesIO(base64.b64decode(data)))
    assert head == f"data:image/{(image.format or '').lower()};base64"
    return image


def noise(mode: str = "RGB") -> Image.Image:
    shape = (900, 1400) if mode == "L" else (900, 1400, len(mode))
    return Image.fromarray(np.random.default_rng(1).integers(0, 256, shape, np.uint8), mode)


def test_photos_become_small_jpegs() -> None:
    image = opened(thumbnail_uri(picture(noise())))
    assert image.format == "JPEG" and max(image.size) == MAX_SIDE and image.size == (640, 411)


def test_drawings_stay_sharp() -> None:
    drawing = Image.new("RGB", (300, 200), "white")
    drawing.paste((200, 0, 0), (10, 10, 60, 20))
    image = opened(thumbnail_uri(picture(drawing))).convert("RGB")
    assert image.size == (300, 200) and image.tobytes() == drawing.tobytes()


@pytest.mark.parametrize("kind", ["GIF", "BMP", "WEBP", "JPEG"])
def test_every_kind_that_a_page_can_show(kind: str) -> None:
    assert opened(thumbnail_uri(picture(noise().resize((70, 50)), kind))).size == (70, 50)


def test_transparency_lies_on_white_and_sixteen_bits_keep_their_range() -> None:
    clear = Image.new("RGBA", (8, 8), (255, 0, 0, 0))
    assert opened(thumbnail_uri(picture(clear))).convert("RGB").getpixel((3, 3)) == (255, 255, 255)
    deep = Image.fromarray(np.array([[1000, 3000]], np.uint16))
    ends = opened(thumbnail_uri(picture(deep))).convert("L")
    assert (ends.getpixel((0, 0)), ends.getpixel((1, 0))) == (0, 255)


def test_what_is_no_picture_is_said() -> None:
    with pytest.raises(MediaError, match="not an image"):
        thumbnail_uri(LoadedImage(b"\x89PNG\r\n\x1a\n torn", "image/png", 10, 10))
    with pytest.raises(MediaError, match="too many pixels"):
        thumbnail_uri(LoadedImage(b"", "image/png", MAX_PIXELS, 2))
