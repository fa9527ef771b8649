"""Label placement with an occupancy mask: a text goes to the first candidate position that is still free."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from PIL import Image, ImageDraw

from sightline.suites.structural.drawing.canvas import Arc, Disc, Path, Shape, Text
from sightline.suites.structural.drawing.vectors import XY, Axes, Box, angle_of, distance, offset_point

_CELL = 2.0


class OccupancyMask:
    """Raster mask of occupied areas, two pixels per cell."""

    def __init__(self, box: Box) -> None:
        self._corner = (box.left, box.top)
        self._mask = Image.new("L", (math.ceil(box.width / _CELL), math.ceil(box.height / _CELL)))
        self._pen = ImageDraw.Draw(self._mask)

    def mark(self, shapes: Iterable[Shape]) -> None:
        """Mark the area of shapes as occupied."""
        for shape in shapes:
            match shape:
                case Text(corners=points):
                    self.mark_area(points)
                case Disc(centre=(x, y), radius=r):
                    self._pen.ellipse([*self._cell((x - r, y - r)), *self._cell((x + r, y + r))], 255)
                case Path(points=points, closed=True):
                    self.mark_area(points)
                case Path(points=points, pen=pen) | Arc(points=points, pen=pen):
                    self._pen.line(self._cells(points), 255, max(1, round((pen.width if pen else 1.0) / _CELL)))

    def mark_area(self, points: Iterable[XY]) -> None:
        """Mark the area of a polygon as occupied."""
        self._pen.polygon(self._cells(points), 255, 255)

    def is_free(self, box: Box) -> bool:
        """Whether nothing is marked there; a cell that is touched counts as a whole."""
        return self._mask.crop(self._crop(box)).getbbox() is None

    def is_clear(self, start: XY, end: XY, width: float) -> bool:
        """Whether nothing is marked along a line so wide."""
        return self.reach(start, end, width) >= distance(start, end)

    def reach(self, start: XY, end: XY, width: float) -> float:
        """Free distance from start towards end."""
        length = distance(start, end)
        if start[0] == end[0] or start[1] == end[1]:
            return min(length, self._straight_reach(start, end, width))
        axes = Axes(start, angle_of(start, end))
        step = max(width / 2, _CELL)
        walked = 0.0
        while walked < length:
            if not self.is_free(Box.bounding((axes.to_sheet(walked, 0),), width / 2)):
                return walked
            walked += step
        return length

    def _straight_reach(self, start: XY, end: XY, width: float) -> float:
        """The same along a horizontal or vertical line, with a single lookup."""
        left, top, right, bottom = crop = self._crop(Box.bounding((start, end), width / 2))
        marked_box = self._mask.crop(crop).getbbox()
        if marked_box is None:
            return math.inf
        if start[1] == end[1]:
            cells = marked_box[0] if end[0] > start[0] else right - left - marked_box[2]
        else:
            cells = marked_box[1] if end[1] > start[1] else bottom - top - marked_box[3]
        return max(0.0, cells * _CELL - width / 2)

    def _crop(self, box: Box) -> tuple[int, int, int, int]:
        (left, top), (right, bottom) = self._cell((box.left, box.top)), self._cell((box.right, box.bottom))
        return math.floor(left), math.floor(top), math.ceil(right) + 1, math.ceil(bottom) + 1

    def _cell(self, point: XY) -> XY:
        return (point[0] - self._corner[0]) / _CELL, (point[1] - self._corner[1]) / _CELL

    def _cells(self, points: Iterable[XY]) -> list[XY]:
        return [self._cell(point) for point in points]


def place_label(mask: OccupancyMask, candidates: Iterable[Text]) -> Text | None:
    """The first candidate whose area is free, which is marked as occupied; None if there is none."""
    for text in candidates:
        if mask.is_free(text.box.expanded(3.0)):
            mask.mark((text,))
            return text
    return None


def candidates_beside(text: Text, at: XY, angle: float, clearances: Iterable[float]) -> Iterator[Text]:
    """The text at growing clearances from a point: its box touches the point's side that faces the angle."""
    box = Text((0.0, 0.0), text.words, text.size, angle=text.angle).box
    for clearance in clearances:
        # the box's own extent in that direction, so that the gap is the same all around
        dx, dy = offset_point((0.0, 0.0), angle, 1.0)
        reach = min(
            box.width / 2 / abs(dx) if abs(dx) > 1e-9 else math.inf,
            box.height / 2 / abs(dy) if abs(dy) > 1e-9 else math.inf,
        )
        centre = offset_point(at, angle, clearance + reach)
        yield Text(centre, text.words, text.size, text.colour, "m", text.angle, text.patch)
