"""Pictures of single text lines on signs, plates, screens and labels."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from sightline.suites.matrix.generator.canvas import Box, Canvas, TextStyle, add_noise, blur, encode_png
from sightline.suites.matrix.generator.palette import BACKGROUNDS, Colour
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.typefaces import FACES, text_width

SIGN_KINDS = ("sign", "plate", "screen", "sticker", "tape", "dial")
_WALLS = ("#d9d4c8", "#c8d0d6", "#e6e2da", "#b9c4b4", "#ddd6e0")


def draw_sign(rng: SampleRng, kind: str, text: str) -> Canvas:
    """A thing with one line on it."""
    canvas = Canvas(rng.pick((520, 600)), rng.pick((260, 340)), rng.pick(_WALLS))
    face = "mono" if kind == "screen" else rng.pick(FACES)
    wide = canvas.width * rng.between(0.62, 0.84)
    size = rng.whole(24, 40)
    while text_width(text, face, size) > wide * 0.88:
        size -= 1
    high = size * rng.between(2.0, 3.0)
    left = rng.between(16, canvas.width - wide - 16)
    top = rng.between(24, canvas.height - high - 30)
    box = (left, top, left + wide, top + high)
    colour = _PAINTERS[kind](rng, canvas, box)
    middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    canvas.text(middle, text, TextStyle(size=size, colour=colour, face=face))
    return canvas


def _sign(rng: SampleRng, canvas: Canvas, box: Box) -> str:
    ground, ink = rng.pick(
        (("#1d5aa6", "#ffffff"), ("#1f7a3d", "#ffffff"), ("#f3c515", "#1a1a1a"), ("#ffffff", "#222222"))
    )
    for x in (box[0] + 30, box[2] - 30):
        canvas.rectangle((x - 5, box[3], x + 5, canvas.height), "#7c7c7c")
    canvas.rounded(box, 10, ground, ink, 3)
    return ink


def _plate(rng: SampleRng, canvas: Canvas, box: Box) -> str:
    canvas.rounded(box, 6, rng.pick(("#b8bcc0", "#c9b98a", "#a9b3b8")), "#6d7174", 2)
    for x in (box[0] + 12, box[2] - 12):
        for y in (box[1] + 12, box[3] - 12):
            canvas.disc((x, y), 5, "#e3e5e6", "#6d7174", 1.2)
            canvas.line([(x - 3, y + 3), (x + 3, y - 3)], "#6d7174", 1.2)
    return "#33383b"


def _screen(rng: SampleRng, canvas: Canvas, box: Box) -> str:
    left, top, right, bottom = box
    canvas.rounded((left - 10, top - 10, right + 10, bottom + 10), 10, "#3a3d40", "#202224", 2)
    ground, ink = rng.pick(
        (("#0c1a10", "#46e06d"), ("#101522", "#6bc7ff"), ("#9fb08a", "#1d2616"), ("#1e0f08", "#ff9a3c"))
    )
    canvas.rectangle(box, ground)
    return ink


def _sticker(rng: SampleRng, canvas: Canvas, box: Box) -> str:
    canvas.rounded(box, 18, rng.pick(BACKGROUNDS), "#999999", 1.5)
    ink = rng.pick(("#a01f2a", "#1d3f8a", "#1e6b35", "#222222"))
    canvas.rectangle((box[0] + 14, box[1] + 6, box[2] - 14, box[1] + 10), ink)
    canvas.rectangle((box[0] + 14, box[3] - 10, box[2] - 14, box[3] - 6), ink)
    return ink


def _tape(rng: SampleRng, canvas: Canvas, box: Box) -> str:
    colour = rng.pick(("#111111", "#8c1c1c", "#173a7a"))
    canvas.rectangle((0, box[1], canvas.width, box[3]), colour)
    return "#f2f2f2"


def _dial(rng: SampleRng, canvas: Canvas, box: Box) -> str:
    """The rim of an instrument behind its name plate."""
    middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    radius = (box[2] - box[0]) / 2
    canvas.disc(middle, radius + 12, "#50555a")
    canvas.disc(middle, radius + 2, "#f5f3ec")
    for k in range(0, 360, 12):
        canvas.sector(middle, radius - 2, k - 0.5, k + 0.5, "#333333")
    canvas.disc(middle, radius - rng.pick((10, 14)), "#f5f3ec")
    canvas.rectangle((box[0] + 8, box[1], box[2] - 8, box[3]), "#f5f3ec")
    return "#2b2b2b"


_PAINTERS = {"sign": _sign, "plate": _plate, "screen": _screen, "sticker": _sticker, "tape": _tape, "dial": _dial}


def draw_labels(rng: SampleRng, texts: Sequence[str], colours: Sequence[Colour]) -> Canvas:
    """Four labels with coloured rims: upper left, upper right, lower left, lower right."""
    canvas = Canvas(720, 400, rng.pick(_WALLS))
    for k, (text, colour) in enumerate(zip(texts, colours, strict=True)):
        left = 14 + (k % 2) * 356 + rng.between(0, 14)
        top = 30 + (k // 2) * 190 + rng.between(0, 50)
        box = (left, top, left + 322, top + rng.between(74, 96))
        face, size = rng.pick(FACES), rng.whole(20, 26)
        while text_width(text, face, size) > 296:
            size -= 1
        canvas.rounded(box, rng.pick((4, 16)), "#fdfdfb", rng.pick(colour.shades), 6)
        canvas.text(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), text, TextStyle(size=size, face=face))
    return canvas


def photograph(rng: SampleRng, canvas: Canvas, rough: float) -> bytes:
    """Simulate a photograph: perspective, blur and noise."""
    picture = canvas.image()
    ground = picture.getpixel((1, 1))
    tilt = rng.pick((0.0, 1.0, 1.0)) * rng.between(-6, 6) * rough
    if tilt:
        picture = picture.rotate(tilt, Image.Resampling.BICUBIC, expand=True, fillcolor=ground)
    if rng.chance(0.5):
        picture = blur(picture, rng.between(0.3, 0.7) * rough)
    grain = rng.pick((0.0, 3.0, 6.0, 10.0)) * rough
    return encode_png(add_noise(picture, rng, grain) if grain else picture)
