"""Scenes of objects laid out without overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.matrix.generator.canvas import XY, Box, Canvas, add_noise, blur, encode_png
from sightline.suites.matrix.generator.glyphs import GLYPHS, Glyph, Placement, draw_glyph
from sightline.suites.matrix.generator.palette import BACKGROUNDS, COLOURS, Colour
from sightline.suites.matrix.generator.sample_rng import SampleRng

_TRIES = 400
_SHRINK = 0.94


class SceneObject(Struct, frozen=True, kw_only=True):
    """An object in a scene: glyph, colour, position and size."""

    thing: Glyph
    colour: Colour
    x: float = 0.0
    y: float = 0.0
    radius: float = 40.0
    turned: float = 0.0

    @property
    def key(self) -> tuple[str, str]:
        """Colour and thing: what tells pieces apart."""
        return self.colour.name, self.thing.name

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


def blank_canvas(width: int, height: int, look: SceneStyle) -> Canvas:
    """Return an empty canvas with the background pattern."""
    canvas = Canvas(width, height, look.paper)
    faint, step = "#dfe4ea", 24
    if look.pattern == "squares":
        for x in range(step, width, step):
            canvas.line([(x, 0), (x, height)], faint, 1)
    if look.pattern in ("squares", "rules"):
        for y in range(step, height, step):
            canvas.line([(0, y), (width, y)], faint, 1)
    if look.pattern == "dots":
        for x in range(step, width, step):
            for y in range(step, height, step):
                canvas.disc((x, y), 1.2, "#ccd3da")
    return canvas


def render_png(canvas: Canvas, look: SceneStyle, rng: SampleRng) -> bytes:
    """Encode the picture as PNG, with the blur and noise of the style."""
    picture = canvas.image()
    if look.blur:
        picture = blur(picture, look.blur)
    return encode_png(add_noise(picture, rng, look.grain) if look.grain else picture)


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


def rotate_randomly(rng: SampleRng, piece: SceneObject, most: float = 25.0) -> SceneObject:
    """Rotate an object randomly, unless its glyph must be upright."""
    return piece if piece.thing.upright else replace(piece, turned=rng.between(-most, most))


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


def draw_object(canvas: Canvas, piece: SceneObject, look: SceneStyle, rng: SampleRng) -> None:
    """Draw an object in a random shade of its colour."""
    spot = Placement(
        x=piece.x,
        y=piece.y,
        radius=piece.radius,
        colour=rng.pick(piece.colour.shades),
        turned=piece.turned,
        outline=look.outline,
    )
    draw_glyph(canvas, piece.thing, spot, look.paper)


def draw_scene(rng: SampleRng, pieces: Sequence[SceneObject], size: tuple[int, int], look: SceneStyle) -> bytes:
    """Draw a scene that consists of objects only."""
    canvas = blank_canvas(*size, look)
    for piece in pieces:
        draw_object(canvas, piece, look, rng)
    return render_png(canvas, look, rng)
