"""Drawing canvas with oversampling for anti-aliasing, fonts and named colours; coordinates are pixels of the result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
from msgspec import Struct
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from sightline.core.fonts import Font, chinese_typeface
from sightline.suites.matrix.generator.sample_rng import SampleRng

DEFAULT_FACE = "plain"
"""Pillow's own."""
_FILES = {
    "sans": "DejaVuSans.ttf",
    "bold": "DejaVuSans-Bold.ttf",
    "serif": "DejaVuSerif.ttf",
    "mono": "DejaVuSansMono.ttf",
    "book": "STIXGeneral.ttf",
}
FACES = (DEFAULT_FACE, *_FILES)
"""The names of the typefaces for Latin letters; Chinese has one."""
_LAST_LATIN = "\u024f"
_SIGNS = frozenset("°·×÷±–—’“”€£→≤≥−…")
XY = tuple[float, float]
_ROUND_FROM = 4
"""Thinner lines, in fine pixels, have no ends to round."""
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@cache
def _font_folder() -> Path:
    spec = find_spec("matplotlib")
    paths = (spec and spec.submodule_search_locations) or ()
    return next((Path(path) / "mpl-data" / "fonts" / "ttf" for path in paths), Path())


@cache
def typeface(face: str, size: int, chinese: bool) -> Font:
    """Load a font at a size."""
    if chinese and (path := chinese_typeface()):
        return ImageFont.truetype(path, size)
    if face == DEFAULT_FACE:
        return ImageFont.load_default(size)
    return ImageFont.truetype(_font_folder() / _FILES[face], size)


def font_for(words: str, face: str, size: int) -> Font:
    """Return a font that has all characters of a text."""
    chinese = any(letter > _LAST_LATIN and letter not in _SIGNS for letter in words)
    if not chinese and face == DEFAULT_FACE and not words.isascii():
        face = "sans"
    return typeface(face, size, chinese)


def text_width(words: str, face: str, size: int) -> float:
    """Return the width of a text in pixels."""
    return float(font_for(words, face, size).getlength(words))


class TextStyle(Struct, frozen=True, kw_only=True):
    """Text style: size, colour, font, anchor and angle."""

    size: int = 18
    colour: str = "#222222"
    face: str = DEFAULT_FACE
    anchor: str = "mm"
    """Pillow's anchor: l, m or r, then t, m, s (baseline) or b."""
    angle: float = 0.0
    """Degrees, counter-clockwise, around the anchor."""


class Canvas:
    """Canvas that draws at a multiple of the size and downsamples at the end."""

    def __init__(self, width: int, height: int, paper: str = "#ffffff", oversampling: int = 2) -> None:
        self.width, self.height, self._oversampling = width, height, oversampling
        self._picture = Image.new("RGB", (width * oversampling, height * oversampling), paper)
        self._draw = ImageDraw.Draw(self._picture)

    def polygon(self, points: Sequence[XY], fill: str | None, outline: str | None = None, width: float = 1.5) -> None:
        """A filled outline."""
        if fill:
            self._draw.polygon(self._points(points), fill)
        if outline:
            self.line([*points, points[0]], outline, width)

    def line(self, points: Sequence[XY], colour: str, width: float = 2.0, dash: XY | None = None) -> None:
        """A polyline with round joints; `dash` is the length of a stroke and of a gap."""
        if dash:
            for start, end in _dash_segments(points, dash):
                self.line([start, end], colour, width)
            return
        stroke_width = max(1, round(width * self._oversampling))
        self._draw.line(self._points(points), colour, stroke_width, joint="curve")
        if stroke_width > _ROUND_FROM:
            for x, y in points:
                # a hair smaller than the line, so that curves don't look like beads
                self.disc((x, y), (stroke_width - 1) / 2 / self._oversampling, colour)

    def rectangle(self, box: Box, fill: str | None, outline: str | None = None, width: float = 1.5) -> None:
        """A box with upright sides."""
        left, top, right, bottom = box
        self.polygon([(left, top), (right, top), (right, bottom), (left, bottom)], fill, outline, width)

    def rounded(
        self, box: Box, radius: float, fill: str | None, outline: str | None = None, width: float = 1.5
    ) -> None:
        """A box with round corners."""
        self._draw.rounded_rectangle(
            self._box(box),
            radius * self._oversampling,
            fill,
            outline,
            round(width * self._oversampling) if outline else 0,
        )

    def disc(self, centre: XY, radius: float, fill: str | None, outline: str | None = None, width: float = 1.5) -> None:
        """A circle."""
        (x, y), r = centre, radius
        self.ellipse((x - r, y - r, x + r, y + r), fill, outline, width)

    def ellipse(self, box: Box, fill: str | None, outline: str | None = None, width: float = 1.5) -> None:
        """An ellipse in its box."""
        self._draw.ellipse(self._box(box), fill, outline, max(1, round(width * self._oversampling)) if outline else 0)

    def sector(self, centre: XY, radius: float, start: float, end: float, fill: str) -> None:
        """A slice of a disc; degrees from 3 o'clock, clockwise."""
        (x, y), r = centre, radius
        self._draw.pieslice(self._box((x - r, y - r, x + r, y + r)), start, end, fill)

    def arrow(self, start: XY, end: XY, colour: str, width: float = 2.0, head: float = 10.0) -> None:
        """A line with a head at its end."""
        angle = math.atan2(end[1] - start[1], end[0] - start[0])
        base = (end[0] - 0.8 * head * math.cos(angle), end[1] - 0.8 * head * math.sin(angle))
        self.line([start, base], colour, width)
        wings = [(end[0] - head * math.cos(angle + a), end[1] - head * math.sin(angle + a)) for a in (0.42, -0.42)]
        self.polygon([end, *wings], colour)

    def text(self, at: XY, words: str, style: TextStyle) -> None:
        """A text in one line."""
        font = font_for(words, style.face, style.size * self._oversampling)
        position = (at[0] * self._oversampling, at[1] * self._oversampling)
        if not style.angle:
            self._draw.text(position, words, style.colour, font, style.anchor)
            return
        left, top, right, bottom = font.getbbox(words, anchor=style.anchor)
        half = int(max(abs(left), abs(top), abs(right), abs(bottom)) * 1.5) + 2
        mask = Image.new("L", (2 * half, 2 * half))
        ImageDraw.Draw(mask).text((half, half), words, 255, font, style.anchor)
        mask = mask.rotate(style.angle, Image.Resampling.BICUBIC)
        self._picture.paste(style.colour, (round(position[0]) - half, round(position[1]) - half), mask)

    def paste(self, picture: Image.Image, at: tuple[int, int]) -> None:
        """Another picture, by its top left corner."""
        size = (picture.width * self._oversampling, picture.height * self._oversampling)
        self._picture.paste(
            picture.resize(size, Image.Resampling.NEAREST), (at[0] * self._oversampling, at[1] * self._oversampling)
        )

    def image(self) -> Image.Image:
        """Return the finished picture."""
        return self._picture.reduce(self._oversampling) if self._oversampling > 1 else self._picture.copy()

    def png(self) -> bytes:
        """Return the finished picture as PNG bytes."""
        return encode_png(self.image())

    def _points(self, points: Sequence[XY]) -> list[XY]:
        return [(x * self._oversampling, y * self._oversampling) for x, y in points]

    def _box(self, box: Box) -> Box:
        left, top, right, bottom = (value * self._oversampling for value in box)
        return left, top, right, bottom


def encode_png(picture: Image.Image) -> bytes:
    """Encode a picture as PNG."""
    stream = BytesIO()
    picture.save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def add_noise(picture: Image.Image, rng: SampleRng, strength: float) -> Image.Image:
    """Add Gaussian noise of a standard deviation in grey levels, equal in all three channels."""
    pixels = np.asarray(picture, np.int16)
    # in steps of two levels: it looks the same and takes fewer bytes
    grain = (
        np.rint(rng.numpy_generator().standard_normal(pixels.shape[:2], np.float32) * (strength / 2)).astype(np.int16)
        * 2
    )
    return Image.fromarray(np.clip(pixels + grain[..., None], 0, 255).astype(np.uint8))


def blur(picture: Image.Image, radius: float) -> Image.Image:
    """Apply a Gaussian blur."""
    return picture.filter(ImageFilter.GaussianBlur(radius))


def _dash_segments(points: Sequence[XY], dash: XY) -> list[tuple[XY, XY]]:
    strokes = []
    for (x0, y0), (x1, y1) in pairwise(points):
        length = math.hypot(x1 - x0, y1 - y0)
        position = 0.0
        while position < length:
            end = min(position + dash[0], length)
            strokes.append(
                (
                    (x0 + (x1 - x0) * position / length, y0 + (y1 - y0) * position / length),
                    (x0 + (x1 - x0) * end / length, y0 + (y1 - y0) * end / length),
                )
            )
            position += dash[0] + dash[1]
    return strokes


class Named(Struct, frozen=True):
    """Something with an English and a Chinese name."""

    name: str
    zh: str

    def name_in(self, language: str) -> str:
        """Return the name in a language."""
        return self.zh if language == "zh" else self.name


class Colour(Named, frozen=True):
    """A named colour with shades that are all recognised as it."""

    shades: tuple[str, ...]


COLOURS = (
    Colour("red", "红色", ("#d62728", "#c81e2c", "#e53935")),
    Colour("blue", "蓝色", ("#1f5fd0", "#2456c8", "#1e6fe0")),
    Colour("green", "绿色", ("#2a9d3a", "#1f8f45", "#35a835")),
    Colour("yellow", "黄色", ("#f2c400", "#f5cd1c", "#ebc000")),
    Colour("orange", "橙色", ("#f57c00", "#ee7a10", "#fb8510")),
    Colour("purple", "紫色", ("#7b2fb0", "#8a35bd", "#6f2da8")),
    Colour("black", "黑色", ("#141414", "#1c1c1c", "#202020")),
    Colour("brown", "棕色", ("#7a4a22", "#80501f", "#6f4320")),
    Colour("pink", "粉色", ("#f48fb8", "#f58bb0", "#ef86b5")),
    Colour("gray", "灰色", ("#8a8a8a", "#909090", "#848484")),
)
"""Well apart from each other on any of the papers."""
COLOUR_BY_NAME = {colour.name: colour for colour in COLOURS}
DISTINCT_COLOURS = tuple(
    colour for colour in COLOURS if colour.name in ("red", "blue", "green", "yellow", "purple", "black")
)
"""Colours that are not confused with each other."""
BACKGROUNDS = ("#ffffff", "#fbfaf5", "#f4f7fb", "#fff8ec", "#f3f8f1", "#eef1f4")
"""Light grounds on which every colour stands out."""
CHART_PALETTES = (
    ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#17becf"),
    ("#0b3c5d", "#d9822b", "#328cc1", "#a23b3b", "#5b8c5a", "#8e6c8a", "#c9a227", "#4f5d75"),
    ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#9c755f", "#edc948", "#76b7b2"),
    ("#264653", "#e76f51", "#2a9d8f", "#e9c46a", "#8d5a97", "#bc4749", "#577590", "#f4a261"),
    ("#332288", "#cc6677", "#117733", "#ddaa33", "#88ccee", "#882255", "#44aa99", "#999933"),
)
"""Sets of colours for charts."""


def pick_shade(rng: SampleRng, name: str) -> str:
    """Return a random shade of a named colour."""
    return rng.pick(COLOUR_BY_NAME[name].shades)
