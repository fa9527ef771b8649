"""Shapes of a display list: paths, discs, arcs, texts."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from sightline.core.fonts import CAP_HEIGHT, width_of
from sightline.suites.structural.drawing.vectors import XY, Axes, Box, offset_point

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
