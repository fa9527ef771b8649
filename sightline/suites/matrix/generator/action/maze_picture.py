"""A maze, drawn."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.matrix.generator import glyphs
from sightline.suites.matrix.generator.glyphs import BY_NAME, Placement
from sightline.suites.matrix.generator.palette import pick_shade
from sightline.suites.matrix.generator.reasoning.drawing import new_canvas, random_style
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.maze import Cell, Maze


class MazeStyle(Struct, frozen=True, kw_only=True):
    """What a maze's picture shows beside its walls."""

    flags: dict[Cell, str]
    """The colours of the flags."""
    numbered: bool
    """Whether rows and columns have their numbers."""


def draw_maze(rng: SampleRng, maze: Maze, looks: MazeStyle) -> bytes:
    """The maze from above."""
    style, side, edge = random_style(rng), float(rng.pick((52, 58, 64))), 44.0
    canvas = new_canvas(style, 2 * edge + side * maze.columns, 2 * edge + side * maze.rows)
    wide, high = side * maze.columns, side * maze.rows
    canvas.rectangle((edge, edge, edge + wide, edge + high), rng.pick(("#ffffff", "#fbf7ea", "#f1f6fa")))
    if rng.chance(0.7):
        for k in range(1, maze.columns):
            canvas.line([(edge + side * k, edge), (edge + side * k, edge + high)], "#e3e6ea", 1.0)
        for k in range(1, maze.rows):
            canvas.line([(edge, edge + side * k), (edge + wide, edge + side * k)], "#e3e6ea", 1.0)
    colour, thick = rng.pick(("#222222", "#2d4a6b", "#5a3d2b", "#1f5a46")), rng.pick((4.0, 5.5, 7.0))
    canvas.rectangle((edge, edge, edge + wide, edge + high), None, colour, thick)
    for a, b, c, d in maze.walls:
        # the wall between two cells stands on the side that they share
        x, y = edge + side * max(b, d), edge + side * max(a, c)
        canvas.line([(x, y), (x, y + side)] if a == c else [(x, y), (x + side, y)], colour, thick)

    def middle(cell: Cell) -> tuple[float, float]:
        return edge + side * (cell[1] + 0.5), edge + side * (cell[0] + 0.5)

    canvas.disc(middle(maze.start), 0.24 * side, "#e0262b", "#7a1013", 2.0)
    things = [(cell, "flag", name) for cell, name in looks.flags.items()]
    for cell, thing, name in [*things, *((cell, "key", "yellow") for cell in maze.keys)]:
        x, y = middle(cell)
        spot = Placement(x=x, y=y, radius=0.32 * side, colour=pick_shade(rng, name), outline=1.2)
        glyphs.draw_glyph(canvas, BY_NAME[thing], spot)
    if looks.numbered:
        for k in range(maze.columns):
            canvas.text((edge + side * (k + 0.5), edge / 2), str(k + 1), style.text_style(17))
        for k in range(maze.rows):
            canvas.text((edge / 2, edge + side * (k + 0.5)), str(k + 1), style.text_style(17))
    return canvas.png()
