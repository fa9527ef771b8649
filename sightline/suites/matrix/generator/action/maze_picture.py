"""A maze, drawn."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.matrix.generator import glyphs
from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.glyphs import BY_NAME, Spot
from sightline.suites.matrix.generator.palette import shade
from sightline.suites.matrix.generator.reasoning.boards import a_style, open_sheet
from sightline.suites.matrix.maze import Cell, Maze


class Looks(Struct, frozen=True, kw_only=True):
    """What a maze's picture shows beside its walls."""

    flags: dict[Cell, str]
    """The colours of the flags."""
    numbered: bool
    """Whether rows and columns have their numbers."""


def maze_picture(dice: Dice, maze: Maze, looks: Looks) -> bytes:
    """The maze from above."""
    style, side, edge = a_style(dice), float(dice.pick((52, 58, 64))), 44.0
    sheet = open_sheet(style, 2 * edge + side * maze.columns, 2 * edge + side * maze.rows)
    wide, high = side * maze.columns, side * maze.rows
    sheet.rectangle((edge, edge, edge + wide, edge + high), dice.pick(("#ffffff", "#fbf7ea", "#f1f6fa")))
    if dice.chance(0.7):
        for k in range(1, maze.columns):
            sheet.line([(edge + side * k, edge), (edge + side * k, edge + high)], "#e3e6ea", 1.0)
        for k in range(1, maze.rows):
            sheet.line([(edge, edge + side * k), (edge + wide, edge + side * k)], "#e3e6ea", 1.0)
    colour, thick = dice.pick(("#222222", "#2d4a6b", "#5a3d2b", "#1f5a46")), dice.pick((4.0, 5.5, 7.0))
    sheet.rectangle((edge, edge, edge + wide, edge + high), None, colour, thick)
    for a, b, c, d in maze.walls:
        # the wall between two cells stands on the side that they share
        x, y = edge + side * max(b, d), edge + side * max(a, c)
        sheet.line([(x, y), (x, y + side)] if a == c else [(x, y), (x + side, y)], colour, thick)

    def middle(cell: Cell) -> tuple[float, float]:
        return edge + side * (cell[1] + 0.5), edge + side * (cell[0] + 0.5)

    sheet.disc(middle(maze.start), 0.24 * side, "#e0262b", "#7a1013", 2.0)
    things = [(cell, "flag", name) for cell, name in looks.flags.items()]
    for cell, thing, name in [*things, *((cell, "key", "yellow") for cell in maze.keys)]:
        x, y = middle(cell)
        spot = Spot(x=x, y=y, radius=0.32 * side, colour=shade(dice, name), outline=1.2)
        glyphs.draw(sheet, BY_NAME[thing], spot)
    if looks.numbered:
        for k in range(maze.columns):
            sheet.text((edge + side * (k + 0.5), edge / 2), str(k + 1), style.ink(17))
        for k in range(maze.rows):
            sheet.text((edge / 2, edge + side * (k + 0.5)), str(k + 1), style.ink(17))
    return sheet.png()
