"""Spatial questions on boards, maps and floor plans: chains of moves, and a north that can be anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.matrix.generator import scenes
from sightline.suites.matrix.generator.canvas import XY, Canvas, TextStyle
from sightline.suites.matrix.generator.item import Item, shuffle_options
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.scenes import SceneObject
from sightline.suites.matrix.generator.wording import fill_wording, load_texts

_TEXTS = load_texts(__name__)

_ROWS, _COLUMNS, _CELL = 5, 6, 86
_CLOCKWISE = ("up", "right", "down", "left")
Cell = tuple[int, int]
_POINTS = ("north", "east", "south", "west")
_PAPERS = ("#ffffff", "#f7f4ec", "#eef4fa")
_FLOORS = ("#fbe9d7", "#e3efe0", "#e4ebf7", "#f6e6ee", "#f5f1d8", "#e6f2f2", "#efe9f6")
SIZE = (600, 450)
STEP: dict[str, XY] = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


def steps(rng: SampleRng, language: str) -> Item:
    """Make a sample: moves by direction."""
    count = rng.whole(4, 5)
    while True:
        cell = start = (rng.whole(0, _ROWS - 1), rng.whole(0, _COLUMNS - 1))
        cells, orders = [start], []
        for _ in range(count):
            way, far = rng.pick(_CLOCKWISE), rng.whole(1, 3)
            cell = _cell_after(cell, way, far)
            cells.append(cell)
            orders.append((way, far))
        fresh = all(a[0] != b[0] and _opposite(a[0]) != b[0] for a, b in pairwise(orders))
        if fresh and all(map(_on_board, cells)) and len(set(cells)) == len(cells):
            break
    board = _random_board(rng, cells)
    comma = ", then " if language == "en" else "，再"
    moves = comma.join(_TEXTS["moves"][language][way].format(n=far) for way, far in orders)
    question = fill_wording(rng, _TEXTS["steps"], language, first=board[start].label(language), moves=moves)
    return _board_item(rng, language, question, board, cells)


def robot(rng: SampleRng, language: str) -> Item:
    """Make a sample: moves of a person who turns."""
    while True:
        cell = start = (rng.whole(0, _ROWS - 1), rng.whole(0, _COLUMNS - 1))
        facing = heading = rng.pick(_CLOCKWISE)
        cells, orders = [start], []
        for k in range(3):
            far = rng.whole(1, 3)
            cell = _cell_after(cell, heading, far)
            cells.append(cell)
            orders.append(("forward", far))
            if k < 2:
                turn = rng.pick(("left", "right", "left", "right", "around"))
                at = _CLOCKWISE.index(heading) + {"right": 1, "around": 2, "left": 3}[turn]
                heading = _CLOCKWISE[at % 4]
                orders.append((turn, 0))
        if all(map(_on_board, cells)) and len(set(cells)) == len(cells):
            break
    board = _random_board(rng, cells)
    comma = ", " if language == "en" else "，"
    instruction = comma.join(_TEXTS["orders"][language][order].format(n=far) for order, far in orders)
    first, edge = board[start].label(language), _TEXTS["edges"][language][facing]
    question = fill_wording(rng, _TEXTS["robot"], language, first=first, edge=edge, moves=instruction)
    return _board_item(rng, language, question, board, cells)


def _cell_after(cell: Cell, way: str, far: int = 1) -> Cell:
    dx, dy = STEP[way]
    return cell[0] + int(dy) * far, cell[1] + int(dx) * far


def _opposite(way: str) -> str:
    return _CLOCKWISE[(_CLOCKWISE.index(way) + 2) % 4]


def _on_board(cell: Cell) -> bool:
    return 0 <= cell[0] < _ROWS and 0 <= cell[1] < _COLUMNS


def _random_board(rng: SampleRng, cells: list[Cell]) -> dict[Cell, SceneObject]:
    """Things on the start, on the stops and near the end: wrong paths end on things as well."""
    row, column = cells[-1]
    near = [(row + a, column + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    must = {*cells, *(cell for cell in near if _on_board(cell))}
    others = [(r, c) for r in range(_ROWS) for c in range(_COLUMNS) if (r, c) not in must]
    filled = sorted(must) + rng.some(others, rng.whole(4, 9))
    pieces = scenes.random_objects(rng, len(filled))
    return {
        (r, c): replace(piece, x=(c + 0.5) * _CELL + 12, y=(r + 0.5) * _CELL + 12, radius=0.36 * _CELL)
        for (r, c), piece in zip(filled, pieces, strict=True)
    }


def _board_item(
    rng: SampleRng, language: str, question: str, board: dict[Cell, SceneObject], cells: list[Cell]
) -> Item:
    """Make a sample: three wrong options near the end, of which chance says nothing."""
    end = cells[-1]
    near = sorted(
        (cell for cell in board if cell not in (end, cells[0])),
        key=lambda cell: abs(cell[0] - end[0]) + abs(cell[1] - end[1]),
    )
    wrong = [board[cell].label(language) for cell in rng.some(near[:6], 3)]
    style = replace(scenes.random_style(rng, 0.4), pattern="plain")
    canvas = scenes.blank_canvas(_COLUMNS * _CELL + 24, _ROWS * _CELL + 24, style)
    for k in range(_COLUMNS + 1):
        canvas.line([(12 + k * _CELL, 12), (12 + k * _CELL, 12 + _ROWS * _CELL)], "#8a929a", 1.5)
    for k in range(_ROWS + 1):
        canvas.line([(12, 12 + k * _CELL), (12 + _COLUMNS * _CELL, 12 + k * _CELL)], "#8a929a", 1.5)
    scenes.draw_objects(canvas, board.values(), style, rng)
    return make_choice_item(rng, question, board[end].label(language), wrong, scenes.render_png(canvas, style, rng))


class FloorPlan(Struct, frozen=True, kw_only=True):
    """Rooms in rows and columns, with doors between neighbours."""

    rooms: dict[Cell, str]
    edges: tuple[tuple[float, ...], tuple[float, ...]]
    """Where the walls run: x and y."""
    doors: frozenset[tuple[Cell, Cell]]
    north: str
    """The way on the paper to which north points."""


def _direction_on_map(point: str, north: str) -> str:
    """The way on the paper that a point of the compass means."""
    return _CLOCKWISE[(_CLOCKWISE.index(north) + _POINTS.index(point)) % 4]


def compass(rng: SampleRng, language: str) -> Item:
    """Make a sample: four things around one; the text says where north is."""
    north, point = rng.pick(_CLOCKWISE), rng.balanced_choice("truth", _POINTS)
    first, *others = scenes.unique_objects(rng, 5)
    middle = (SIZE[0] / 2 + rng.between(-40, 40), SIZE[1] / 2 + rng.between(-20, 20))
    placed = [replace(first, x=middle[0], y=middle[1], radius=38)]
    around = {}
    for piece, way in zip(others, _CLOCKWISE, strict=True):
        (dx, dy), far = STEP[way], rng.between(115, 140)
        off = rng.between(-25, 25)
        around[way] = replace(
            piece, x=middle[0] + far * dx + off * abs(dy), y=middle[1] + far * dy + off * abs(dx), radius=36
        )
    right = around.pop(_direction_on_map(point, north))
    edge, name = _TEXTS["edges"][language][north], _TEXTS["point_names"][language][point]
    question = fill_wording(rng, _TEXTS["compass"], language, edge=edge, point=name, first=first.label(language))
    picture = scenes.draw_scene(rng, [*placed, right, *around.values()], SIZE, scenes.random_style(rng, 0.5))
    wrong = [piece.label(language) for piece in around.values()]
    return make_choice_item(rng, question, right.label(language), wrong, picture)


def _random_plan(rng: SampleRng, language: str, rows: int, columns: int) -> FloorPlan:
    names = iter(rng.shuffled(_TEXTS["rooms"][language]))
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    pairs = [
        (cell, _cell_after(cell, way)) for cell in cells for way in ("right", "down") if _cell_after(cell, way) in cells
    ]
    doors = frozenset(pair for pair in pairs if rng.chance(0.8))
    return FloorPlan(
        rooms={cell: next(names) for cell in cells},
        edges=(_walls(rng, columns, 24, 536), _walls(rng, rows, 24, 416)),
        doors=doors,
        north=rng.pick(_CLOCKWISE),
    )


def _walls(rng: SampleRng, count: int, low: float, high: float) -> tuple[float, ...]:
    shares = [rng.between(0.85, 1.15) for _ in range(count)]
    edges = [low]
    for share in shares:
        edges.append(edges[-1] + share / sum(shares) * (high - low))
    return tuple(edges)


def _draw_plan(rng: SampleRng, plan: FloorPlan) -> bytes:
    canvas = Canvas(650, 440, rng.pick(_PAPERS))
    (xs, ys), wall, face = plan.edges, rng.pick((4.0, 6.0)), rng.pick(("plain", "sans", "serif"))
    coloured = rng.chance(0.6)
    for (r, c), name in plan.rooms.items():
        box = (xs[c], ys[r], xs[c + 1], ys[r + 1])
        canvas.rectangle(box, rng.pick(_FLOORS) if coloured else "#ffffff", "#333333", wall)
        canvas.text(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), name, TextStyle(size=17, face=face))
    for (r, c), (row, column) in sorted(plan.doors):
        middle = ((xs[c] + xs[c + 1]) / 2, ys[row]) if row > r else (xs[column], (ys[r] + ys[r + 1]) / 2)
        wide, high = (19, wall / 2 + 1) if row > r else (wall / 2 + 1, 19)
        canvas.rectangle((middle[0] - wide, middle[1] - high, middle[0] + wide, middle[1] + high), "#ffffff")
        for sign in (-1, 1):
            at = (middle[0] + sign * wide, middle[1]) if row > r else (middle[0], middle[1] + sign * high)
            canvas.disc(at, wall / 2, "#333333")
    (dx, dy), at = STEP[plan.north], (594.0, 80.0)
    canvas.arrow((at[0] - 26 * dx, at[1] - 26 * dy), (at[0] + 26 * dx, at[1] + 26 * dy), "#b02020", 4, 18)
    canvas.text((at[0] + 42 * dx, at[1] + 42 * dy), "N", TextStyle(size=20, colour="#b02020", face="bold"))
    return canvas.png()


def neighbour(rng: SampleRng, language: str) -> Item:
    """Make a sample: the room beside the room beside a named one."""
    plan = _random_plan(rng, language, 3, 3)
    while True:
        start = rng.pick(list(plan.rooms))
        first, second = rng.some(_POINTS, 2)
        middle = _cell_after(start, _direction_on_map(first, plan.north))
        end = _cell_after(middle, _direction_on_map(second, plan.north))
        if middle in plan.rooms and end in plan.rooms and end != start:
            break
    points = _TEXTS["point_names"][language]
    names = {"person": rng.pick(_TEXTS["people"][language]), "first": points[first], "second": points[second]}
    question = fill_wording(rng, _TEXTS["neighbour"], language, room=plan.rooms[start], **names)
    wrong = [name for cell, name in plan.rooms.items() if cell not in (start, middle, end)]
    return make_choice_item(rng, question, plan.rooms[end], rng.some(wrong, 3), _draw_plan(rng, plan))


def doors(rng: SampleRng, language: str) -> Item:
    """Make a sample: a walk through three or four doors."""
    while True:
        plan = _random_plan(rng, language, 3, 4)
        start = rng.pick(list(plan.rooms))
        walk, walls = [start], []
        for _ in range(rng.whole(3, 4)):
            ways = [point for point in _POINTS if _door_neighbour(plan, walk[-1], point) not in (None, *walk)]
            if not ways:
                break
            walls.append(rng.pick(ways))
            walk.append(_door_neighbour(plan, walk[-1], walls[-1]) or start)
        if len(walk) >= 4:
            break
    names = (", " if language == "en" else "、").join(_TEXTS["point_names"][language][point] for point in walls)
    question = fill_wording(rng, _TEXTS["doors"], language, room=plan.rooms[start], walls=names)
    wrong = [name for cell, name in plan.rooms.items() if cell not in (start, walk[-1])]
    return make_choice_item(rng, question, plan.rooms[walk[-1]], rng.some(wrong, 3), _draw_plan(rng, plan))


def _door_neighbour(plan: FloorPlan, cell: Cell, point: str) -> Cell | None:
    there = _cell_after(cell, _direction_on_map(point, plan.north))
    return there if (cell, there) in plan.doors or (there, cell) in plan.doors else None


def make_choice_item(rng: SampleRng, question: str, right: str, wrong: Sequence[str], *pictures: bytes) -> Item:
    """Make a sample: a question with four options."""
    return Item(
        question=question,
        ground_truth=right,
        metric="accuracy",
        pictures=pictures,
        options=shuffle_options(rng, right, wrong[:3]),
    )
