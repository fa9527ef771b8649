"""PNG renderer: shapes are drawn with 3× supersampling, texts at their final size."""

from __future__ import annotations

import random
from io import BytesIO

from msgspec import Struct
from PIL import Image, ImageDraw

from sightline.core.fonts import font_for
from sightline.suites.structural.drawing.canvas import Arc, Disc, Drawing, Path, Pen, Shape, Text, dash_segments
from sightline.suites.structural.drawing.vectors import XY

_FINE = 3
_ROUND_FROM = 2.5
"""Thinner lines have no ends to round."""


class Scan(Struct, frozen=True, kw_only=True):
    """Scanner artefacts."""

    tilt: float = 0.0
    """In degrees, counter-clockwise."""
    specks: int = 0
    """How many grey specks lie on the paper."""
    seed: int = 0
    """Where they lie."""


def to_png(drawing: Drawing, scan: Scan | None = None) -> bytes:
    """The file; grey where all its colours are."""
    stream = BytesIO()
    to_image(drawing, scan).save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def to_image(drawing: Drawing, scan: Scan | None = None) -> Image.Image:
    """The picture."""
    mode = "L" if all(map(_is_grey, _colours(drawing))) else "RGB"
    fine = Image.new(mode, (drawing.width * _FINE, drawing.height * _FINE), drawing.paper)
    brush = _Brush(ImageDraw.Draw(fine))
    for shape in drawing.shapes:
        brush.draw(shape)
    picture = fine.reduce(_FINE)
    for text in drawing.texts:
        _write(picture, text)
    return _scanned(picture, scan, drawing.paper) if scan else picture


class _Brush:
    """Draws shapes on the fine sheet."""

    def __init__(self, draw: ImageDraw.ImageDraw) -> None:
        self._draw = draw

    def draw(self, shape: Shape) -> None:
        match shape:
            case Path():
                self._path(shape)
            case Arc():
                self._line(shape.points, shape.pen)
            case Disc():
                self._disc(shape)
            case Text(patch=patch) if patch:
                self._draw.polygon(_fine(shape.ground), patch)

    def _path(self, path: Path) -> None:
        points = (*path.points, path.points[0]) if path.closed else path.points
        if path.fill:
            self._draw.polygon(_fine(path.points), path.fill)
        if path.pen:
            self._line(points, path.pen)

    def _line(self, points: tuple[XY, ...], pen: Pen) -> None:
        width = max(1, round(pen.width * _FINE))
        if pen.dash:
            for start, end in dash_segments(points, pen.dash):
                self._draw.line(_fine((start, end)), pen.colour, width)
            return
        self._draw.line(_fine(points), pen.colour, width)
        if pen.width >= _ROUND_FROM:
            for point in points:
                self._dot(point, pen.width / 2, pen.colour)

    def _dot(self, at: XY, radius: float, colour: str) -> None:
        x, y, r = at[0] * _FINE, at[1] * _FINE, radius * _FINE
        self._draw.ellipse((x - r, y - r, x + r, y + r), colour)

    def _disc(self, disc: Disc) -> None:
        if not disc.pen:
            self._dot(disc.centre, disc.radius, disc.fill)
            return
        # Pillow draws an outline inwards from the box
        (x, y), r = disc.centre, disc.radius + disc.pen.width / 2
        box = [(x - r) * _FINE, (y - r) * _FINE, (x + r) * _FINE, (y + r) * _FINE]
        self._draw.ellipse(box, disc.fill or None, disc.pen.colour, round(disc.pen.width * _FINE))


def _fine(points: tuple[XY, ...]) -> list[XY]:
    return [(x * _FINE, y * _FINE) for x, y in points]


def _write(picture: Image.Image, text: Text) -> None:
    font = font_for(text.words, text.size)
    if text.angle % 360.0 == 0.0:
        at = (text.at[0] + text.left, text.at[1] + text.baseline)
        ImageDraw.Draw(picture).text(at, text.words, text.colour, font, "ls")
        return
    box = text.box.expanded(text.size)
    half = int(max(box.width, box.height)) // 2 + 1
    mask = Image.new("L", (2 * half, 2 * half))
    pen = ImageDraw.Draw(mask)
    pen.text((half + text.left, half + text.baseline), text.words, 255, font, "ls")
    mask = mask.rotate(text.angle, Image.Resampling.BICUBIC)
    picture.paste(text.colour, (round(text.at[0]) - half, round(text.at[1]) - half), mask)


def _scanned(picture: Image.Image, scan: Scan, paper: str) -> Image.Image:
    if scan.specks:
        chance = random.Random(scan.seed)
        pen = ImageDraw.Draw(picture)
        for _ in range(scan.specks):
            at = (chance.randrange(picture.width), chance.randrange(picture.height))
            level = chance.randrange(150, 225)
            pen.point(at, level if picture.mode == "L" else (level, level, level))
    return picture.rotate(scan.tilt, Image.Resampling.BILINEAR, fillcolor=paper) if scan.tilt else picture


def _colours(drawing: Drawing) -> set[str]:
    colours = {drawing.paper}
    for shape in drawing.shapes:
        match shape:
            case Text():
                colours |= {shape.colour, shape.patch}
            case Arc():
                colours.add(shape.pen.colour)
            case Path(pen=pen, fill=fill) | Disc(pen=pen, fill=fill):
                colours |= {fill, pen.colour if pen else ""}
    return colours - {""}


def _is_grey(colour: str) -> bool:
    return colour[1:3] == colour[3:5] == colour[5:7]
