"""Drawing canvas with 2× oversampling for anti-aliased shapes; text is drawn at its own size."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from sightline.suites.simulation.generator.arrays import Point

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

    def finished(self) -> Image.Image:
        """The picture at its size, with all words."""
        picture = self._fine.reduce(_OVERSAMPLING)
        pen = ImageDraw.Draw(picture)
        for at, words, size, colour, anchor, rim in self._texts:
            pen.text(at, words, colour, font(size), anchor, stroke_width=rim, stroke_fill="#ffffff")
        return picture
