"""Labels for loads and dimensions, placed in free space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sightline.suites.structural.drawing.canvas import Canvas, Pen, Shape, Text
from sightline.suites.structural.drawing.labels import OccupancyMask, place_label
from sightline.suites.structural.drawing.symbols import DimensionStyle, draw_chain
from sightline.suites.structural.drawing.vectors import XY, Box
from sightline.suites.structural.figures.sketch import Panel
from sightline.suites.structural.model import DistributedLoad, Load, Model, Moment
from sightline.suites.structural.physics.compare import distinct_values
from sightline.suites.structural.physics.descriptions import format_number

_SIZE = 15
_SOFT = "#566170"
_MAX_STEPS = 14
"""Maximum number of dimensions in a chain."""
_STYLE = DimensionStyle(pen=Pen(1.0, _SOFT), size=5.0)


def format_load_value(load: Load) -> str:
    """`20 kN`, `8 kN·m`, `5 kN/m`, or `0-5 kN/m` where it varies."""
    if isinstance(load, Moment):
        return f"{format_number(abs(load.value))} kN·m"
    if not isinstance(load, DistributedLoad):
        return f"{format_number(abs(load.value))} kN"
    if abs(load.w_begin - load.w_end) <= 1e-3 * max(abs(load.w_begin), abs(load.w_end)):
        return f"{format_number(abs(load.w_begin))} kN/m"
    return f"{format_number(abs(load.w_begin))}-{format_number(abs(load.w_end))} kN/m"


class LabelPlacer:
    """Places labels beside shapes; labels without free space are omitted."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._sheet = OccupancyMask(canvas.box.expanded(160.0))
        self._sheet.mark(canvas.shapes)

    def place_beside(self, shapes: Sequence[Shape], words: str, colour: str) -> None:
        """Place a label next to shapes."""
        box = shapes[0].box
        for shape in shapes[1:]:
            box = box.joined(shape.box)
        if text := place_label(self._sheet, _around(box, words, colour)):
            self._canvas.text(text)


def _around(box: Box, words: str, colour: str) -> Iterator[Text]:
    """Above, right, left, below, and then farther away."""
    x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    for gap in (5.0, 14.0, 26.0):
        up, down = box.top - gap - _SIZE / 2, box.bottom + gap + _SIZE / 2
        for at, align in (
            ((x, up), "m"),
            ((box.right + gap, box.top + _SIZE / 2), "l"),
            ((box.left - gap, box.top + _SIZE / 2), "r"),
            ((box.right + gap, y), "l"),
            ((box.left - gap, y), "r"),
            ((box.right + gap, up), "l"),
            ((box.left - gap, up), "r"),
            ((x, down), "m"),
        ):
            yield Text(at, words, _SIZE, colour, align)


def draw_dimensions(canvas: Canvas, model: Model, panel: Panel) -> None:
    """A chain of all distances below, and one of all heights on the left, in metres."""
    box = canvas.box
    xs, ys = _steps([point.x for point in model.points]), _steps([point.y for point in model.points])
    if len(xs) > 1:
        y = box.bottom + 26.0
        _chain(canvas, [(panel.at(x, 0.0)[0], y) for x in xs], xs, 0.0)
    if len(ys) > 1:
        x = box.left - 26.0
        _chain(canvas, [(x, panel.at(0.0, y)[1]) for y in ys], ys, 90.0)


def _steps(values: list[float]) -> list[float]:
    """Distinct values in order; only the outermost where there are too many to distinguish."""
    steps = distinct_values(values, 1e-3 * (max(values) - min(values)))
    return steps if len(steps) <= _MAX_STEPS + 1 else [steps[0], steps[-1]]


def _chain(canvas: Canvas, points: list[XY], values: list[float], angle: float) -> None:
    draw_chain(canvas, points, _STYLE)
    for (start, end), (low, high) in zip(pairwise(points), pairwise(values), strict=True):
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        at = (middle[0], middle[1] - 11.0) if angle == 0.0 else (middle[0] - 11.0, middle[1])
        room = max(abs(end[0] - start[0]), abs(end[1] - start[1])) - 6.0
        text = Text(at, format_number(high - low), _SIZE - 1, _SOFT, "m", angle)
        if Text(at, text.words, text.size).box.width <= room:
            canvas.text(text)
