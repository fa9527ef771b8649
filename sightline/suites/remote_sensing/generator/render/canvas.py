"""Canvas with 2× supersampling, in scene coordinates."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw

from sightline.suites.remote_sensing.generator.catalog import Colour, Palette
from sightline.suites.remote_sensing.generator.scene import SIDE, SceneObject
from sightline.suites.remote_sensing.generator.shapes import Point, bounds, rotate

OVERSAMPLING = 2
_SMOOTH = 22


class Canvas:
    """Colour layer and roughness layer of a picture."""

    def __init__(self, size: int, palette: Palette, base: Colour, scale: float = 1.0) -> None:
        self.scale = scale
        """Size of details relative to the standard scale."""
        self.side = size * OVERSAMPLING
        self.factor = self.side / SIDE
        self.palette = palette
        self.image = Image.new("RGB", (self.side, self.side), base)
        self.rough = Image.new("L", (self.side, self.side))
        self._pen = ImageDraw.Draw(self.image)
        self._rough_pen = ImageDraw.Draw(self.rough)

    def scaled(self, points: Sequence[Point]) -> list[Point]:
        """Points of the scene as points of the canvas, whose pixels have their middle at whole numbers."""
        return [(x * self.factor - 0.5, y * self.factor - 0.5) for x, y in points]

    def fill(self, points: Sequence[Point], colour: Colour) -> None:
        """A polygon."""
        self._pen.polygon(self.scaled(points), fill=colour)

    def ground(self, points: Sequence[Point], colour: Colour, rough: int) -> None:
        """A polygon of terrain."""
        self.fill(points, colour)
        self._rough_pen.polygon(self.scaled(points), fill=rough)

    def strip(self, points: Sequence[Point], width: float, colour: Colour, rough: int) -> None:
        """A band of terrain along a line."""
        line, thick = self.scaled(points), max(round(width * self.factor), 1)
        self._pen.line(line, fill=colour, width=thick, joint="curve")
        self._rough_pen.line(line, fill=rough, width=thick, joint="curve")

    def line(self, points: Sequence[Point], width: float, colour: Colour) -> None:
        """A painted line."""
        self._pen.line(self.scaled(points), fill=colour, width=max(round(width * self.factor), 1))

    def crown(self, at: Point, radius: float, colour: Colour) -> None:
        """A round spot that is rough: leaves."""
        self.disc(at, radius, colour)
        ((x, y),) = self.scaled((at,))
        reach = radius * self.factor
        self._rough_pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=120)

    def disc(self, at: Point, radius: float, colour: Colour) -> None:
        """A round spot."""
        ((x, y),) = self.scaled((at,))
        reach = radius * self.factor
        self._pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=colour)

    def ring(self, at: Point, radius: float, width: float, colour: Colour) -> None:
        """A circle line."""
        ((x, y),) = self.scaled((at,))
        reach = radius * self.factor
        self._pen.ellipse(
            (x - reach, y - reach, x + reach, y + reach), outline=colour, width=max(round(width * self.factor), 1)
        )

    def window(self, points: Sequence[Point]) -> tuple[int, int, int, int] | None:
        """The canvas pixels about an outline; none where it lies outside."""
        left, top, right, bottom = bounds(self.scaled(points))
        window = max(int(left), 0), max(int(top), 0), min(int(right) + 2, self.side), min(int(bottom) + 2, self.side)
        return window if window[0] < window[2] and window[1] < window[3] else None


class ObjectCanvas:
    """Draws parts of an object in its local frame: x forwards and y to its right, both from -0.5 to 0.5."""

    def __init__(self, canvas: Canvas, obj: SceneObject) -> None:
        self.canvas = canvas
        self.palette = canvas.palette
        self.obj = obj

    def to_scene(self, points: Sequence[Point]) -> list[Point]:
        """Local coordinates to scene coordinates."""
        obj = self.obj
        return list(rotate(((x * obj.length, y * obj.width) for x, y in points), obj.at, obj.angle))

    def body(self, colour: Colour) -> None:
        """The whole outline."""
        self.canvas.ground(self.obj.outline, colour, _SMOOTH)

    def part(self, points: Sequence[Point], colour: Colour) -> None:
        """A polygon of it."""
        self.canvas.fill(self.to_scene(points), colour)

    def block(self, begin: float, end: float, half: float, colour: Colour) -> None:
        """A rectangle about its axis."""
        self.part(((begin, -half), (end, -half), (end, half), (begin, half)), colour)

    def patch(self, x: tuple[float, float], y: tuple[float, float], colour: Colour) -> None:
        """A rectangle anywhere on it."""
        self.part(((x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])), colour)

    def line(self, points: Sequence[Point], width: float, colour: Colour) -> None:
        """A line on it, its width in the scene's units."""
        self.canvas.line(self.to_scene(points), width, colour)
