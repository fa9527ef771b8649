"""Display list of a drawing: its shapes (paths, discs, arcs, texts), and the canvas that collects them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from sightline.core.fonts import CAP_HEIGHT, legible, width_of
from sightline.suites.structural.drawing.vectors import XY, Axes, Box, angle_of, distance, offset_point

BLACK = "#000000"


class Pen(Struct, frozen=True):
    """How a line is drawn. Ends and corners are round."""

    width: float = 1.5
    colour: str = BLACK
    dash: float = 0.0
    """The length of dashes and of the gaps between them; 0 for a solid line."""


class Path(Struct, frozen=True):
    """A polyline, or a polygon where it is closed."""

    points: tuple[XY, ...]
    pen: Pen | None = None
    fill: str = ""
    closed: bool = False

    @property
    def box(self) -> Box:
        """Where its ink lies."""
        return Box.bounding(self.points, self.pen.width / 2 if self.pen else 0.0)


class Disc(Struct, frozen=True):
    """A circle, filled or not."""

    centre: XY
    radius: float
    pen: Pen | None = None
    fill: str = ""

    @property
    def box(self) -> Box:
        """Where its ink lies."""
        return Box.bounding((self.centre,), self.radius + (self.pen.width / 2 if self.pen else 0.0))


class Arc(Struct, frozen=True):
    """Part of a circle, from one angle through `sweep` degrees, counter-clockwise where it is positive."""

    centre: XY
    radius: float
    start: float
    sweep: float
    pen: Pen

    @property
    def points(self) -> tuple[XY, ...]:
        """A polyline close to it."""
        steps = max(6, round(abs(self.sweep) / 8))
        return tuple(
            offset_point(self.centre, self.start + self.sweep * k / steps, self.radius) for k in range(steps + 1)
        )

    @property
    def box(self) -> Box:
        """Where its ink lies."""
        return Box.bounding(self.points, self.pen.width / 2)


class Text(Struct, frozen=True):
    """Words on one line. `at` is the middle of their height; `align` says which end of them: l, m or r."""

    at: XY
    words: str
    size: int = 20
    colour: str = BLACK
    align: str = "m"
    angle: float = 0.0
    patch: str = ""
    """The colour of a ground under the words that hides what lies beneath; empty for none."""

    @property
    def left(self) -> float:
        """Where the words begin, along their own direction from `at`."""
        return -{"l": 0.0, "m": 0.5, "r": 1.0}[self.align] * width_of(self.words, self.size)

    @property
    def baseline(self) -> float:
        """How far below `at` the letters stand."""
        return CAP_HEIGHT * self.size / 2

    @property
    def corners(self) -> tuple[XY, ...]:
        """The four corners of the words, turned with them."""
        return self._corners(0.0)

    @property
    def ground(self) -> tuple[XY, ...]:
        """The four corners of the patch, a little outside of the words."""
        return self._corners(4.0)

    def _corners(self, margin: float) -> tuple[XY, ...]:
        left, up = self.left - margin, self.baseline + margin
        right = left + width_of(self.words, self.size) + 2 * margin
        return Axes(self.at, self.angle).path((left, -up), (right, -up), (right, up), (left, up))

    @property
    def box(self) -> Box:
        """An upright box around the words."""
        if self.angle == 0.0:
            (x, y), left, up = self.at, self.left, self.baseline
            width = width_of(self.words, self.size)
            return Box(x + left - 1.0, y - up - 1.0, x + left + width + 1.0, y + up + 1.0)
        return Box.bounding(self.corners, 1.0)


Shape: TypeAlias = Path | Disc | Arc | Text


S = TypeVar("S", Path, Disc, Arc, Text)


class Drawing(Struct, frozen=True, kw_only=True):
    """A finished display list; `png.to_png` and `svg.to_svg` render it."""

    width: int
    height: int
    shapes: tuple[Shape, ...]
    paper: str = "#ffffff"

    @property
    def texts(self) -> tuple[Text, ...]:
        """All texts, in the order in which they were written."""
        return tuple(shape for shape in self.shapes if isinstance(shape, Text))

    @property
    def box(self) -> Box:
        """The whole sheet."""
        return Box(0.0, 0.0, float(self.width), float(self.height))


class Canvas:
    """Shapes are kept in the order in which they are drawn; later ones lie above, and texts above all."""

    def __init__(self) -> None:
        self.shapes: list[Shape] = []

    def line(self, points: Iterable[XY], pen: Pen) -> Path:
        """A polyline."""
        return self._keep(Path(tuple(points), pen))

    def polygon(self, points: Iterable[XY], fill: str = "", pen: Pen | None = None) -> Path:
        """A closed area, filled, outlined, or both."""
        return self._keep(Path(tuple(points), pen, fill, True))

    def circle(self, centre: XY, radius: float, pen: Pen | None = None, fill: str = "") -> Disc:
        """A circle, filled, outlined, or both."""
        return self._keep(Disc(centre, radius, pen, fill))

    def arc(self, centre: XY, radius: float, start: float, sweep: float, pen: Pen) -> Arc:
        """Part of a circle."""
        return self._keep(Arc(centre, radius, start, sweep, pen))

    def head(self, tip: XY, angle: float, size: float, colour: str) -> Path:
        """A filled arrow head that points along the angle."""
        return self.polygon(Axes(tip, angle).path((0, 0), (-size, 0.34 * size), (-size, -0.34 * size)), colour)

    def arrow(self, points: Sequence[XY], pen: Pen, head: float = 10.0) -> None:
        """A polyline that ends in a head."""
        start, tip = points[-2], points[-1]
        angle = angle_of(start, tip)
        # the line stops inside the head, so that its round end doesn't blunt the tip
        stop = Axes(tip, angle).to_sheet(-min(0.8 * head, distance(start, tip)), 0)
        self.line([*points[:-1], stop], pen)
        self.head(tip, angle, head, pen.colour)

    def hatch(self, start: XY, end: XY, depth: float, pen: Pen, spacing: float = 8.0) -> None:
        """Short slanting strokes along a line, on its right as one walks from start to end."""
        length = distance(start, end)
        axes = Axes(start, angle_of(start, end))
        count = max(2, round(length / spacing))
        step = length / count
        for k in range(count):
            self.line(axes.path(((k + 1) * step, 0), ((k + 1) * step - depth, -depth)), pen)

    def text(self, text: Text) -> Text:
        """Words; characters that no typeface has are left out."""
        words = legible(text.words)
        return self._keep(text if words == text.words else msgspec.structs.replace(text, words=words))

    def _keep(self, shape: S) -> S:
        self.shapes.append(shape)
        return shape

    @property
    def box(self) -> Box:
        """Bounding box of all shapes."""
        first, *others = (shape.box for shape in self.shapes)
        for box in others:
            first = first.joined(box)
        return first

    def finish(self, margin: float, paper: str = "#ffffff") -> tuple[Drawing, XY]:
        """The drawing cropped to its content plus a margin, and the translation applied to the shapes."""
        box = self.box.expanded(margin)
        shift = (-math.floor(box.left), -math.floor(box.top))
        shapes = tuple(translate_shape(shape, *shift) for shape in self.shapes)
        width, height = math.ceil(box.right) + shift[0], math.ceil(box.bottom) + shift[1]
        return Drawing(width=width, height=height, shapes=shapes, paper=paper), shift


def translate_shape(shape: Shape, x: float, y: float) -> Shape:
    """A translated shape."""
    match shape:
        case Path(points=points):
            return Path(tuple((px + x, py + y) for px, py in points), shape.pen, shape.fill, shape.closed)
        case Disc(centre=centre) | Arc(centre=centre):
            return msgspec.structs.replace(shape, centre=(centre[0] + x, centre[1] + y))
        case Text(at=at):
            return msgspec.structs.replace(shape, at=(at[0] + x, at[1] + y))


def dash_segments(points: Sequence[XY], dash: float) -> Iterable[tuple[XY, XY]]:
    """The dashes of a dashed polyline."""
    walked = 0.0
    for start, end in pairwise(points):
        length = distance(start, end)
        axes = Axes(start, angle_of(start, end))
        cut = -(walked % (2 * dash))
        while cut < length:
            low, high = max(cut, 0.0), min(cut + dash, length)
            if high > low:
                yield axes.to_sheet(low, 0), axes.to_sheet(high, 0)
            cut += 2 * dash
        walked += length
