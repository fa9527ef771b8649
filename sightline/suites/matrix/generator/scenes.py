"""Things laid out without touching, and drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.glyphs import THINGS, Spot, Thing, draw
from sightline.suites.matrix.generator.palette import COLOURS, PAPERS, Colour
from sightline.suites.matrix.generator.sheet import XY, Box, Sheet, blurred, noisy, png

_TRIES = 400
_SHRINK = 0.94


class Piece(Struct, frozen=True, kw_only=True):
    """A thing in a scene."""

    thing: Thing
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


class Look(Struct, frozen=True, kw_only=True):
    """How a scene is drawn."""

    paper: str
    pattern: str
    """`plain`, `squares`, `dots` or `rules`."""
    outline: float
    grain: float
    blur: float


def a_look(dice: Dice, rough: float = 0.0) -> Look:
    """A style; the rougher, the more grain and blur."""
    return Look(
        paper=dice.pick(PAPERS),
        pattern=dice.pick(("plain", "plain", "squares", "dots", "rules")),
        outline=dice.pick((0.0, 0.0, 1.2, 2.0)),
        grain=dice.pick((0.0, 4.0, 8.0)) * rough,
        blur=dice.pick((0.0, 0.5, 0.8)) * rough,
    )


def blank(width: int, height: int, look: Look) -> Sheet:
    """Paper with its pattern."""
    sheet = Sheet(width, height, look.paper)
    faint, step = "#dfe4ea", 24
    if look.pattern == "squares":
        for x in range(step, width, step):
            sheet.line([(x, 0), (x, height)], faint, 1)
    if look.pattern in ("squares", "rules"):
        for y in range(step, height, step):
            sheet.line([(0, y), (width, y)], faint, 1)
    if look.pattern == "dots":
        for x in range(step, width, step):
            for y in range(step, height, step):
                sheet.disc((x, y), 1.2, "#ccd3da")
    return sheet


def finish(sheet: Sheet, look: Look, dice: Dice) -> bytes:
    """The file, out of focus and grainy as the look asks."""
    picture = sheet.image()
    if look.blur:
        picture = blurred(picture, look.blur)
    return png(noisy(picture, dice, look.grain) if look.grain else picture)


def kinds(dice: Dice, count: int, colours: Sequence[Colour] = COLOURS, things: Sequence[Thing] = THINGS) -> list[Piece]:
    """So many pieces, all different in colour or thing."""
    pairs = [(colour, thing) for colour in colours for thing in things]
    return [Piece(thing=thing, colour=colour) for colour, thing in dice.some(pairs, count)]


def single(dice: Dice, count: int) -> list[Piece]:
    """So many pieces, no colour and no thing twice."""
    colours, things = dice.some(COLOURS, count), dice.some(THINGS, count)
    return [Piece(thing=thing, colour=colour) for colour, thing in zip(colours, things, strict=True)]


def turned(dice: Dice, piece: Piece, most: float = 25.0) -> Piece:
    """The piece at an angle, where it doesn't look odd so."""
    return piece if piece.thing.upright else replace(piece, turned=dice.between(-most, most))


def scattered(dice: Dice, pieces: Sequence[Piece], box: Box, radii: XY, gap: float = 10.0) -> list[Piece]:
    """The pieces at places of their own in a box, with radii from a range; smaller where they don't fit."""
    low, high = radii
    while True:
        placed: list[Piece] = []
        for piece in pieces:
            radius = dice.between(low, high)
            for _ in range(_TRIES):
                x = dice.between(box[0] + radius, box[2] - radius)
                y = dice.between(box[1] + radius, box[3] - radius)
                if all(math.hypot(x - other.x, y - other.y) > radius + other.radius + gap for other in placed):
                    placed.append(replace(turned(dice, piece), x=x, y=y, radius=radius))
                    break
            else:
                break
        if len(placed) == len(pieces):
            return placed
        low, high = low * _SHRINK, high * _SHRINK


def gridded(dice: Dice, pieces: Sequence[Piece], columns: int, box: Box) -> list[Piece]:
    """The pieces row by row in the cells of a grid, a little off their middles."""
    rows = -(-len(pieces) // columns)
    wide, high = (box[2] - box[0]) / columns, (box[3] - box[1]) / rows
    radius = 0.36 * min(wide, high)
    return [
        replace(
            piece,
            x=box[0] + wide * (k % columns + 0.5) + dice.between(-0.06, 0.06) * wide,
            y=box[1] + high * (k // columns + 0.5) + dice.between(-0.06, 0.06) * high,
            radius=radius,
        )
        for k, piece in enumerate(pieces)
    ]


def draw_piece(sheet: Sheet, piece: Piece, look: Look, dice: Dice) -> None:
    """One thing in a shade of its colour."""
    spot = Spot(
        x=piece.x,
        y=piece.y,
        radius=piece.radius,
        colour=dice.pick(piece.colour.shades),
        turned=piece.turned,
        outline=look.outline,
    )
    draw(sheet, piece.thing, spot, look.paper)


def picture_of(dice: Dice, pieces: Sequence[Piece], size: tuple[int, int], look: Look) -> bytes:
    """A scene of things and nothing else."""
    sheet = blank(*size, look)
    for piece in pieces:
        draw_piece(sheet, piece, look, dice)
    return finish(sheet, look, dice)
