"""Scenes of glyphs (recognisable objects) laid out without overlap."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.matrix.generator.canvas import (
    BACKGROUNDS,
    COLOURS,
    XY,
    Box,
    Canvas,
    Colour,
    Named,
    add_noise,
    blur,
    encode_png,
)
from sightline.suites.matrix.generator.sample_rng import SampleRng

OUTLINE_COLOUR = "#222222"
_TRIES = 400
_SHRINK = 0.94


class Placement(Struct, frozen=True, kw_only=True):
    """Position, size, rotation and colours of a drawn glyph."""

    x: float
    y: float
    radius: float
    colour: str
    turned: float = 0.0
    """Degrees, clockwise."""
    outline: float = 1.5
    """Width of its dark line; 0 for none."""


class Brush:
    """Draws in the local coordinates of a glyph."""

    def __init__(self, canvas: Canvas, spot: Placement, paper: str) -> None:
        self._sheet, self._spot, self.paper = canvas, spot, paper
        self.colour = spot.colour
        self._cos, self._sin = math.cos(math.radians(spot.turned)), math.sin(math.radians(spot.turned))

    def at(self, x: float, y: float) -> XY:
        """A point of the square on the canvas."""
        spot = self._spot
        return (
            spot.x + spot.radius * (x * self._cos - y * self._sin),
            spot.y + spot.radius * (x * self._sin + y * self._cos),
        )

    def shape(self, points: Sequence[XY], fill: str | None = None) -> None:
        """A filled outline, by default in the colour of the object."""
        spot = self._spot
        line = OUTLINE_COLOUR if spot.outline else None
        self._sheet.polygon([self.at(*point) for point in points], fill or self.colour, line, spot.outline)

    def disc(self, x: float, y: float, radius: float, fill: str | None = None) -> None:
        """A circle."""
        spot = self._spot
        line = OUTLINE_COLOUR if spot.outline else None
        self._sheet.disc(self.at(x, y), radius * spot.radius, fill or self.colour, line, spot.outline)

    def box(self, left: float, top: float, right: float, bottom: float, fill: str | None = None) -> None:
        """A rectangle."""
        self.shape([(left, top), (right, top), (right, bottom), (left, bottom)], fill)

    def stroke(self, points: Sequence[XY], width: float, colour: str | None = None) -> None:
        """A thick line; its width is a share of the radius."""
        self._sheet.line([self.at(*point) for point in points], colour or self.colour, width * self._spot.radius)


def regular_polygon(count: int, radius: float, start: float = -90.0) -> list[XY]:
    """Return the corners of a regular polygon."""
    angles = [math.radians(start + 360.0 * k / count) for k in range(count)]
    return [(radius * math.cos(a), radius * math.sin(a)) for a in angles]


def arc_points(centre: XY, radius: float, start: float, end: float, radius_y: float | None = None) -> list[XY]:
    """Return points along an arc; degrees clockwise from 3 o'clock."""
    high = radius if radius_y is None else radius_y
    angles = [math.radians(start + (end - start) * k / 24) for k in range(25)]
    return [(centre[0] + radius * math.cos(a), centre[1] + high * math.sin(a)) for a in angles]


def _circle(brush: Brush) -> None:
    brush.disc(0, 0, 0.9)


def _square(brush: Brush) -> None:
    brush.box(-0.8, -0.8, 0.8, 0.8)


def _triangle(brush: Brush) -> None:
    brush.shape([(0, -0.9), (0.95, 0.75), (-0.95, 0.75)])


def _star(brush: Brush) -> None:
    outer, inner = regular_polygon(5, 1.0), regular_polygon(5, 0.42, -54.0)
    brush.shape([point for pair in zip(outer, inner, strict=True) for point in pair])


def _heart(brush: Brush) -> None:
    angles = [2 * math.pi * k / 60 for k in range(60)]
    brush.shape(
        [
            (math.sin(a) ** 3, -(13 * math.cos(a) - 5 * math.cos(2 * a) - 2 * math.cos(3 * a) - math.cos(4 * a)) / 16.5)
            for a in angles
        ]
    )


def _arrow(brush: Brush) -> None:
    brush.shape([(-0.95, -0.28), (0.1, -0.28), (0.1, -0.75), (0.98, 0), (0.1, 0.75), (0.1, 0.28), (-0.95, 0.28)])


def _house(brush: Brush) -> None:
    brush.box(-0.7, -0.1, 0.7, 0.9)
    brush.shape([(-0.95, -0.1), (0, -0.95), (0.95, -0.1)])
    brush.box(-0.17, 0.35, 0.2, 0.9, brush.paper)
    brush.box(-0.55, 0.12, -0.25, 0.42, brush.paper)


def _tree(brush: Brush) -> None:
    brush.box(-0.13, 0.3, 0.13, 0.95)
    for x, y, radius in ((-0.42, 0.02, 0.45), (0.42, 0.02, 0.45), (0.0, -0.42, 0.53)):
        brush.disc(x, y, radius)
    brush.stroke([(-0.1, -0.02), (0.1, -0.02)], 0.55)


def _car(brush: Brush) -> None:
    brush.shape([(-0.5, -0.1), (-0.3, -0.55), (0.35, -0.55), (0.6, -0.1)])
    brush.shape([(-0.98, -0.1), (0.85, -0.1), (0.98, 0.1), (0.98, 0.42), (-0.98, 0.42)])
    brush.shape([(-0.36, -0.12), (-0.22, -0.43), (-0.02, -0.43), (-0.02, -0.12)], brush.paper)
    brush.shape([(0.08, -0.12), (0.08, -0.43), (0.28, -0.43), (0.43, -0.12)], brush.paper)
    for x in (-0.52, 0.52):
        brush.disc(x, 0.42, 0.24, "#2b2b2b")
        brush.disc(x, 0.42, 0.09, "#d0d0d0")


def _cup(brush: Brush) -> None:
    brush.stroke(arc_points((0.5, -0.05), 0.34, -75, 75), 0.17)
    brush.shape([(-0.75, -0.6), (0.55, -0.6), (0.5, 0.35), (0.3, 0.7), (-0.5, 0.7), (-0.7, 0.35)])
    brush.box(-0.9, 0.76, 0.7, 0.9)


def _key(brush: Brush) -> None:
    brush.box(-0.3, -0.12, 0.95, 0.12)
    brush.box(0.45, 0.12, 0.6, 0.42)
    brush.box(0.75, 0.12, 0.9, 0.5)
    brush.disc(-0.55, 0, 0.42)
    brush.disc(-0.62, 0, 0.17, brush.paper)


def _fish(brush: Brush) -> None:
    brush.shape([(0.4, 0), (0.98, -0.5), (0.85, 0), (0.98, 0.5)])
    brush.shape(arc_points((-0.2, 0), 0.76, 0, 360, 0.48)[:-1])
    brush.disc(-0.62, -0.12, 0.09, "#ffffff")


def _bolt(brush: Brush) -> None:
    brush.shape([(0.2, -0.98), (-0.6, 0.12), (-0.08, 0.12), (-0.25, 0.98), (0.62, -0.28), (0.1, -0.28), (0.45, -0.98)])


def _ring(brush: Brush) -> None:
    brush.disc(0, 0, 0.9)
    brush.disc(0, 0, 0.52, brush.paper)


def _moon(brush: Brush) -> None:
    brush.shape(arc_points((0, 0), 0.92, 60, 300) + arc_points((0.42, 0), 0.8, 266, 94))


def _cross(brush: Brush) -> None:
    a, b = 0.28, 0.9
    brush.shape(
        [(-a, -b), (a, -b), (a, -a), (b, -a), (b, a), (a, a), (a, b), (-a, b), (-a, a), (-b, a), (-b, -a), (-a, -a)]
    )


def _flower(brush: Brush) -> None:
    for x, y in regular_polygon(6, 0.58):
        brush.disc(x, y, 0.34)
    brush.disc(0, 0, 0.3, "#ffe9a8" if brush.colour[1:3] < "e0" else "#6b4a20")


def _umbrella(brush: Brush) -> None:
    brush.stroke([(0, -0.1), (0, 0.72), *arc_points((0.18, 0.72), 0.18, 180, 0)], 0.12, OUTLINE_COLOUR)
    dome = arc_points((0, 0.05), 0.95, 180, 360, 0.95)
    brush.shape(dome + [p for x in (0.63, 0.0, -0.63) for p in arc_points((x, 0.05), 0.316, 0, -180, 0.2)])


def _boat(brush: Brush) -> None:
    brush.box(-0.06, -0.95, 0.06, 0.4)
    brush.shape([(0.1, -0.9), (0.85, 0.25), (0.1, 0.25)])
    brush.shape([(-0.12, -0.65), (-0.12, 0.25), (-0.7, 0.25)])
    brush.shape([(-0.98, 0.4), (0.98, 0.4), (0.6, 0.88), (-0.6, 0.88)])


def _bell(brush: Brush) -> None:
    brush.disc(0, 0.68, 0.2)
    brush.disc(0, -0.82, 0.13)
    brush.shape([(-0.85, 0.62), (-0.6, 0.3), *arc_points((0, -0.25), 0.52, 180, 360, 0.5), (0.6, 0.3), (0.85, 0.62)])


def _flag(brush: Brush) -> None:
    brush.box(-0.75, -0.95, -0.6, 0.95, "#6a6a6a")
    brush.shape([(-0.6, -0.88), (0.9, -0.88), (0.55, -0.4), (0.9, 0.08), (-0.6, 0.08)])


class Glyph(Named, frozen=True):
    """A type of object that can be drawn."""

    draw: Callable[[Brush], None]
    upright: bool = False
    """Whether it looks odd when turned."""


GLYPHS = (
    Glyph("circle", "圆形", _circle),
    Glyph("square", "正方形", _square, upright=True),
    Glyph("triangle", "三角形", _triangle),
    Glyph("star", "星形", _star),
    Glyph("heart", "心形", _heart),
    Glyph("arrow", "箭头", _arrow),
    Glyph("house", "房子", _house, upright=True),
    Glyph("tree", "树", _tree, upright=True),
    Glyph("car", "汽车", _car, upright=True),
    Glyph("cup", "杯子", _cup, upright=True),
    Glyph("key", "钥匙", _key),
    Glyph("fish", "鱼", _fish),
    Glyph("bolt", "闪电", _bolt),
    Glyph("ring", "圆环", _ring),
    Glyph("moon", "月亮", _moon),
    Glyph("cross", "十字", _cross),
    Glyph("flower", "花", _flower),
    Glyph("umbrella", "雨伞", _umbrella, upright=True),
    Glyph("boat", "帆船", _boat, upright=True),
    Glyph("bell", "铃铛", _bell),
    Glyph("flag", "旗子", _flag, upright=True),
)
GLYPH_BY_NAME = {thing.name: thing for thing in GLYPHS}


def draw_glyph(canvas: Canvas, thing: Glyph, spot: Placement, paper: str = "#ffffff") -> None:
    """Draw a glyph; `paper` shows through its windows and holes."""
    thing.draw(Brush(canvas, spot, paper))


class SceneObject(Struct, frozen=True, kw_only=True):
    """An object in a scene: glyph, colour, position and size."""

    thing: Glyph
    colour: Colour
    x: float = 0.0
    y: float = 0.0
    radius: float = 40.0
    turned: float = 0.0

    def label(self, language: str) -> str:
        """Such as "red star" or 红色星形."""
        if language == "zh":
            return self.colour.zh + self.thing.zh
        return f"{self.colour.name} {self.thing.name}"


class SceneStyle(Struct, frozen=True, kw_only=True):
    """Background, outline, noise and blur of a scene."""

    paper: str
    pattern: str
    """`plain`, `squares`, `dots` or `rules`."""
    outline: float
    grain: float
    blur: float


def random_style(rng: SampleRng, rough: float = 0.0) -> SceneStyle:
    """Return a random style; `rough` scales noise and blur."""
    return SceneStyle(
        paper=rng.pick(BACKGROUNDS),
        pattern=rng.pick(("plain", "plain", "squares", "dots", "rules")),
        outline=rng.pick((0.0, 0.0, 1.2, 2.0)),
        grain=rng.pick((0.0, 4.0, 8.0)) * rough,
        blur=rng.pick((0.0, 0.5, 0.8)) * rough,
    )


def blank_canvas(width: int, height: int, style: SceneStyle) -> Canvas:
    """Return an empty canvas with the background pattern."""
    canvas = Canvas(width, height, style.paper)
    faint, step = "#dfe4ea", 24
    if style.pattern == "squares":
        for x in range(step, width, step):
            canvas.line([(x, 0), (x, height)], faint, 1)
    if style.pattern in ("squares", "rules"):
        for y in range(step, height, step):
            canvas.line([(0, y), (width, y)], faint, 1)
    if style.pattern == "dots":
        for x in range(step, width, step):
            for y in range(step, height, step):
                canvas.disc((x, y), 1.2, "#ccd3da")
    return canvas


def render_png(canvas: Canvas, style: SceneStyle, rng: SampleRng) -> bytes:
    """Encode the picture as PNG, with the blur and noise of the style."""
    picture = canvas.image()
    if style.blur:
        picture = blur(picture, style.blur)
    return encode_png(add_noise(picture, rng, style.grain) if style.grain else picture)


def random_objects(
    rng: SampleRng, count: int, colours: Sequence[Colour] = COLOURS, things: Sequence[Glyph] = GLYPHS
) -> list[SceneObject]:
    """Return random objects that differ in colour or glyph."""
    pairs = [(colour, thing) for colour in colours for thing in things]
    return [SceneObject(thing=thing, colour=colour) for colour, thing in rng.some(pairs, count)]


def unique_objects(rng: SampleRng, count: int) -> list[SceneObject]:
    """Return random objects without a repeated colour or glyph."""
    colours, things = rng.some(COLOURS, count), rng.some(GLYPHS, count)
    return [SceneObject(thing=thing, colour=colour) for colour, thing in zip(colours, things, strict=True)]


def rotate_randomly(rng: SampleRng, piece: SceneObject) -> SceneObject:
    """Rotate an object randomly, unless its glyph must be upright."""
    return piece if piece.thing.upright else replace(piece, turned=rng.between(-25.0, 25.0))


def scatter(rng: SampleRng, pieces: Sequence[SceneObject], box: Box, radii: XY, gap: float = 10.0) -> list[SceneObject]:
    """Place objects randomly in a box without overlap; radii shrink until all fit."""
    low, high = radii
    while True:
        placed: list[SceneObject] = []
        for piece in pieces:
            radius = rng.between(low, high)
            for _ in range(_TRIES):
                x = rng.between(box[0] + radius, box[2] - radius)
                y = rng.between(box[1] + radius, box[3] - radius)
                if all(math.hypot(x - other.x, y - other.y) > radius + other.radius + gap for other in placed):
                    placed.append(replace(rotate_randomly(rng, piece), x=x, y=y, radius=radius))
                    break
            else:
                break
        if len(placed) == len(pieces):
            return placed
        low, high = low * _SHRINK, high * _SHRINK


def arrange_in_grid(rng: SampleRng, pieces: Sequence[SceneObject], columns: int, box: Box) -> list[SceneObject]:
    """Place objects row by row in a grid, with a small random offset."""
    rows = -(-len(pieces) // columns)
    wide, high = (box[2] - box[0]) / columns, (box[3] - box[1]) / rows
    radius = 0.36 * min(wide, high)
    return [
        replace(
            piece,
            x=box[0] + wide * (k % columns + 0.5) + rng.between(-0.06, 0.06) * wide,
            y=box[1] + high * (k // columns + 0.5) + rng.between(-0.06, 0.06) * high,
            radius=radius,
        )
        for k, piece in enumerate(pieces)
    ]


def draw_object(canvas: Canvas, piece: SceneObject, style: SceneStyle, rng: SampleRng) -> None:
    """Draw an object in a random shade of its colour."""
    spot = Placement(
        x=piece.x,
        y=piece.y,
        radius=piece.radius,
        colour=rng.pick(piece.colour.shades),
        turned=piece.turned,
        outline=style.outline,
    )
    draw_glyph(canvas, piece.thing, spot, style.paper)


def draw_objects(canvas: Canvas, pieces: Iterable[SceneObject], style: SceneStyle, rng: SampleRng) -> None:
    """Draw objects one after the other."""
    for piece in pieces:
        draw_object(canvas, piece, style, rng)


def draw_scene(rng: SampleRng, pieces: Sequence[SceneObject], size: tuple[int, int], style: SceneStyle) -> bytes:
    """Draw a scene that consists of objects only."""
    canvas = blank_canvas(*size, style)
    draw_objects(canvas, pieces, style, rng)
    return render_png(canvas, style, rng)
