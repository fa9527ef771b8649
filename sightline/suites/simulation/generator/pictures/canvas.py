"""Drawing canvas with 2× oversampling, the transformation from scene coordinates to pixels, and number formats."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from sightline.suites.simulation.generator.case import Array, Point, Window


class Frame(Struct, frozen=True):
    """A rectangle of pixels; y runs downwards."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """In pixels."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """In pixels."""
        return self.bottom - self.top


class View(Struct, frozen=True, kw_only=True):
    """A window of the plane, centred in a frame."""

    window: Window
    frame: Frame
    turned: bool = False
    mirrored: bool = False

    @property
    def scale(self) -> float:
        """Pixels per metre."""
        width, height = self.window.width, self.window.height
        if self.turned:
            width, height = height, width
        return min(self.frame.width / width, self.frame.height / height)

    @property
    def _middle(self) -> Point:
        return (self.window.left + self.window.right) / 2, (self.window.bottom + self.window.top) / 2

    def pixel(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Where points of the plane are in the picture."""
        across, up = x - self._middle[0], y - self._middle[1]
        if self.turned:
            across, up = -up, across
        if self.mirrored:
            across = -across
        frame = self.frame
        return ((frame.left + frame.right) / 2 + self.scale * across, (frame.top + frame.bottom) / 2 - self.scale * up)

    def plane(self, px: Array, py: Array) -> tuple[Array, Array]:
        """The reverse of `pixel`."""
        across = (px - (self.frame.left + self.frame.right) / 2) / self.scale
        up = -(py - (self.frame.top + self.frame.bottom) / 2) / self.scale
        if self.mirrored:
            across = -across
        if self.turned:
            across, up = up, -across
        return across + self._middle[0], up + self._middle[1]

    def path(self, points: Sequence[Point]) -> list[Point]:
        """A polyline of the plane, in pixels."""
        x, y = np.array(points, dtype=float).T
        px, py = self.pixel(x, y)
        return list(zip(px.tolist(), py.tolist(), strict=True))

    @property
    def covered(self) -> Frame:
        """The pixels that the window takes up."""
        (x0, y0), (x1, y1) = self.path([(self.window.left, self.window.bottom), (self.window.right, self.window.top)])
        left, right = sorted((x0, x1))
        top, bottom = sorted((y0, y1))
        return Frame(round(left), round(top), round(right), round(bottom))


def format_short(value: float) -> str:
    """Three significant digits, without an exponent where plain digits take no more room."""
    if value and (abs(value) >= 1e5 or abs(value) < 1e-3):
        return f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Multiples of a round step within the range: as many as possible, but no more than `most`."""
    power = 10.0 ** np.floor(np.log10((high - low) / most))
    steps = [float(power * factor) for factor in (1, 2, 2.5, 5, 10, 20)]
    step = next(step for step in steps if (high - low) / step <= most)
    first, last = int(np.ceil(low / step - 1e-6)), int(np.floor(high / step + 1e-6))
    return [k * step for k in range(first, last + 1)]


_OVERSAMPLING = 2


@cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own typeface, so that pictures look the same everywhere."""
    return ImageFont.load_default(size)


class Canvas:
    """A canvas; all coordinates are pixels of the finished picture."""

    def __init__(self, width: int, height: int, paper: str) -> None:
        self.width = width
        self._fine = Image.new("RGB", (width * _OVERSAMPLING, height * _OVERSAMPLING), paper)
        self._pen = ImageDraw.Draw(self._fine)
        self._texts: list[tuple[Point, str, int, str, str, int]] = []

    def line(self, points: Sequence[Point], colour: str, width: float = 1.0) -> None:
        """A polyline."""
        if len(points) > 1:
            self._pen.line(
                [(x * _OVERSAMPLING, y * _OVERSAMPLING) for x, y in points],
                colour,
                round(width * _OVERSAMPLING),
                joint="curve",
            )

    def dashes(self, points: Sequence[Point], colour: str, width: float = 1.0, dash: float = 6.0) -> None:
        """A dashed polyline."""
        walked = 0.0
        for (x0, y0), (x1, y1) in pairwise(points):
            length = float(np.hypot(x1 - x0, y1 - y0))
            if length == 0:
                continue
            cuts = np.arange(-(walked % (2 * dash)), length, 2 * dash)
            for start, end in zip(
                np.clip(cuts, 0, length) / length, np.clip(cuts + dash, 0, length) / length, strict=True
            ):
                if end > start:
                    self.line([(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t) for t in (start, end)], colour, width)
            walked += length

    def polygon(self, points: Sequence[Point], fill: str, outline: str | None = None) -> None:
        """A filled area."""
        self._pen.polygon([(x * _OVERSAMPLING, y * _OVERSAMPLING) for x, y in points], fill, outline)

    def box(self, left: float, top: float, right: float, bottom: float, fill: str, outline: str | None = None) -> None:
        """A filled rectangle."""
        self._pen.rectangle(
            [left * _OVERSAMPLING, top * _OVERSAMPLING, right * _OVERSAMPLING, bottom * _OVERSAMPLING],
            fill,
            outline,
            _OVERSAMPLING,
        )

    def disc(self, centre: Point, radius: float, fill: str, outline: str | None = None) -> None:
        """A filled circle."""
        x, y, r = centre[0] * _OVERSAMPLING, centre[1] * _OVERSAMPLING, radius * _OVERSAMPLING
        self._pen.ellipse([x - r, y - r, x + r, y + r], fill, outline, _OVERSAMPLING)

    def arrow(self, points: Sequence[Point], colour: str, width: float = 2.0, head: float = 8.0) -> None:
        """A path that ends in a head."""
        (x0, y0), (x1, y1) = points[-2], points[-1]
        length = float(np.hypot(x1 - x0, y1 - y0)) or 1.0
        dx, dy = (x1 - x0) / length, (y1 - y0) / length
        back = (x1 - head * dx, y1 - head * dy)
        self.line([*points[:-1], back], colour, width)
        side = 0.42 * head
        self.polygon(
            [(x1, y1), (back[0] - side * dy, back[1] + side * dx), (back[0] + side * dy, back[1] - side * dx)], colour
        )

    def text(
        self, at: Point, words: str, size: int = 13, colour: str = "#24292f", anchor: str = "la", halo: bool = False
    ) -> None:
        """Words, with a pale rim where they stand on colours."""
        self._texts.append((at, words, size, colour, anchor, 3 if halo else 0))

    def pixels(self, corner: tuple[int, int], colours: NDArray[np.uint8], shown: NDArray[np.bool_]) -> None:
        """A block of coloured pixels, where they are to be shown."""
        size = (colours.shape[1] * _OVERSAMPLING, colours.shape[0] * _OVERSAMPLING)
        block = Image.fromarray(colours).resize(size, Image.Resampling.NEAREST)
        mask = Image.fromarray(shown.astype(np.uint8) * 255).resize(size, Image.Resampling.NEAREST)
        self._fine.paste(block, (corner[0] * _OVERSAMPLING, corner[1] * _OVERSAMPLING), mask)

    def to_image(self) -> Image.Image:
        """The picture at its size, with all words."""
        picture = self._fine.reduce(_OVERSAMPLING)
        pen = ImageDraw.Draw(picture)
        for at, words, size, colour, anchor, rim in self._texts:
            pen.text(at, words, colour, font(size), anchor, stroke_width=rim, stroke_fill="#ffffff")
        return picture
