"""A maze to walk: small, with a key, with a text that closes a passage, large with several keys and few turns."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, to_builtins

from sightline.suites.matrix.generator import scenes
from sightline.suites.matrix.generator.canvas import COLOUR_BY_NAME, pick_shade
from sightline.suites.matrix.generator.diagrams import new_canvas, random_style
from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.scenes import GLYPH_BY_NAME, Placement
from sightline.suites.matrix.generator.wording import fill_wording, load_texts
from sightline.suites.matrix.maze import MOVES, Cell, Maze, optimal_reply, shortest_path

_TEXTS = load_texts(__name__)
_GOAL = {"en": "the {colour} flag", "zh": "{colour}的旗子"}


class MazeStyle(Struct, frozen=True, kw_only=True):
    """What a maze's picture shows beside its walls."""

    flags: dict[Cell, str]
    """The colours of the flags."""
    numbered: bool
    """Whether rows and columns have their numbers."""


def draw_maze(rng: SampleRng, maze: Maze, details: MazeStyle) -> bytes:
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
    things = [(cell, "flag", name) for cell, name in details.flags.items()]
    for cell, thing, name in [*things, *((cell, "key", "yellow") for cell in maze.keys)]:
        x, y = middle(cell)
        spot = Placement(x=x, y=y, radius=0.32 * side, colour=pick_shade(rng, name), outline=1.2)
        scenes.draw_glyph(canvas, GLYPH_BY_NAME[thing], spot)
    if details.numbered:
        for k in range(maze.columns):
            canvas.text((edge + side * (k + 0.5), edge / 2), str(k + 1), style.text_style(17))
        for k in range(maze.rows):
            canvas.text((edge / 2, edge + side * (k + 0.5)), str(k + 1), style.text_style(17))
    return canvas.png()


class Size(Struct, frozen=True, kw_only=True):
    """How hard a maze is."""

    sides: tuple[int, ...]
    keys: int
    loops: int
    turns: int
    closed: bool = False


SIZES = {
    "l1": Size(sides=(5,), keys=0, loops=1, turns=4),
    "l2": Size(sides=(5, 6), keys=1, loops=2, turns=4),
    "l3": Size(sides=(6, 7), keys=0, loops=6, turns=3, closed=True),
    "l4": Size(sides=(8, 9, 10), keys=3, loops=5, turns=2),
}


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    size = SIZES[level]
    maze, drawn_maze, closed = _world(rng, size)
    colours = rng.some(("blue", "green", "orange", "purple"), 3 if size.closed else 1)
    flags = {maze.goal: colours[0]}
    free = [(r, c) for r in range(maze.rows) for c in range(maze.columns) if (r, c) not in (maze.goal, maze.start)]
    flags |= dict(zip(rng.some(free, len(colours) - 1), colours[1:], strict=True))
    zh = language == "zh"
    more = _TEXTS["keys"][language] if maze.keys else ""
    if closed:
        cells = [f"第 {r + 1} 行第 {c + 1} 列" if zh else f"row {r + 1}, column {c + 1}" for r, c in closed]
        more += _TEXTS["closed"][language].format(a=cells[0], b=cells[1])
    goal = _GOAL[language].format(colour=COLOUR_BY_NAME[colours[0]].zh if zh else colours[0])
    world: dict[str, Any] = to_builtins(maze)
    return Item(
        question=fill_wording(rng, _TEXTS["ask"], language, goal=goal, more=more, turns=size.turns),
        ground_truth={"world": world, "most_turns": size.turns},
        metric="success",
        pictures=(draw_maze(rng, drawn_maze, MazeStyle(flags=flags, numbered=size.closed or rng.chance())),),
        metadata={"ideal": optimal_reply(maze, (), language)},
    )


def _world(rng: SampleRng, size: Size) -> tuple[Maze, Maze, tuple[Cell, Cell] | None]:
    """The maze, as it is drawn, and the passage that the text closes."""
    while True:
        rows, columns = rng.pick(size.sides), rng.pick(size.sides)
        walls = _walls(rng, rows, columns, size.loops)
        cells = rng.some([(r, c) for r in range(rows) for c in range(columns)], 2 + size.keys)
        drawn_maze = Maze(
            rows=rows, columns=columns, walls=walls, start=cells[0], goal=cells[1], keys=tuple(sorted(cells[2:]))
        )
        path = shortest_path(drawn_maze)
        # a passage that is closed makes the way longer anyhow
        if len(path) < rows + columns + (-3 if size.closed else 1 + 2 * size.keys):
            continue
        if not size.closed:
            return drawn_maze, drawn_maze, None
        a, b = _passage(rng, drawn_maze, path)
        maze = Maze(rows=rows, columns=columns, walls=(*walls, (*a, *b)), start=cells[0], goal=cells[1])
        if len(shortest_path(maze)) > len(path):
            return maze, drawn_maze, (a, b)


def _passage(rng: SampleRng, maze: Maze, path: list[str]) -> tuple[Cell, Cell]:
    """A passage on the way."""
    cells = [maze.start]
    for move in path:
        cells.append((cells[-1][0] + MOVES[move][0], cells[-1][1] + MOVES[move][1]))
    at = rng.whole(0, len(path) - 1)
    first, second = sorted(cells[at : at + 2])
    return first, second


def _walls(rng: SampleRng, rows: int, columns: int, loops: int) -> tuple[tuple[int, int, int, int], ...]:
    """Walls that leave one way between any two cells, and some more that are taken down again."""
    all_walls = [(r, c, r, c + 1) for r in range(rows) for c in range(columns - 1)]
    all_walls += [(r, c, r + 1, c) for r in range(rows - 1) for c in range(columns)]
    open_, seen, trail = set(), {(0, 0)}, [(0, 0)]
    while trail:
        r, c = trail[-1]
        near = [cell for cell in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)) if cell not in seen]
        near = [(x, y) for x, y in near if 0 <= x < rows and 0 <= y < columns]
        if not near:
            trail.pop()
            continue
        cell = rng.pick(near)
        first, second = sorted(((r, c), cell))
        open_.add((*first, *second))
        seen.add(cell)
        trail.append(cell)
    left = [wall for wall in all_walls if wall not in open_]
    taken = set(rng.some(left, loops))
    return tuple(wall for wall in left if wall not in taken)
