"""Chains of moves over a board of things."""

from __future__ import annotations

from itertools import pairwise

from msgspec.structs import replace

from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.perception import spatial_words as words
from sightline.suites.matrix.generator.perception.spatial_scenes import STEP, make_choice_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.scenes import (
    SceneObject,
    blank_canvas,
    draw_object,
    random_objects,
    random_style,
    render_png,
)
from sightline.suites.matrix.generator.wording import fill_wording

_ROWS, _COLUMNS, _CELL = 5, 6, 86
_CLOCKWISE = ("up", "right", "down", "left")
Cell = tuple[int, int]


def steps(rng: SampleRng, language: str) -> Item:
    """Moves by direction."""
    count = rng.whole(4, 5)
    while True:
        cell = start = (rng.whole(0, _ROWS - 1), rng.whole(0, _COLUMNS - 1))
        cells, orders = [start], []
        for _ in range(count):
            way, far = rng.pick(_CLOCKWISE), rng.whole(1, 3)
            cell = _neighbour(cell, way, far)
            cells.append(cell)
            orders.append((way, far))
        fresh = all(a[0] != b[0] and _opposite(a[0]) != b[0] for a, b in pairwise(orders))
        if fresh and all(map(_on_board, cells)) and len(set(cells)) == len(cells):
            break
    board = _random_board(rng, cells)
    comma = ", then " if language == "en" else "，再"
    moves = comma.join(words.MOVES[language][way].format(n=far) for way, far in orders)
    question = fill_wording(rng, words.STEPS, language, first=board[start].label(language), moves=moves)
    return _make_item(rng, language, question, board, cells)


def robot(rng: SampleRng, language: str) -> Item:
    """Moves of somebody who turns."""
    while True:
        cell = start = (rng.whole(0, _ROWS - 1), rng.whole(0, _COLUMNS - 1))
        facing = heading = rng.pick(_CLOCKWISE)
        cells, orders = [start], []
        for k in range(3):
            far = rng.whole(1, 3)
            cell = _neighbour(cell, heading, far)
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
    instruction = comma.join(words.ORDERS[language][order].format(n=far) for order, far in orders)
    question = fill_wording(
        rng,
        words.ROBOT,
        language,
        first=board[start].label(language),
        edge=words.EDGES[language][facing],
        moves=instruction,
    )
    return _make_item(rng, language, question, board, cells)


def _neighbour(cell: Cell, way: str, far: int) -> Cell:
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
    pieces = random_objects(rng, len(filled))
    return {
        (r, c): replace(piece, x=(c + 0.5) * _CELL + 12, y=(r + 0.5) * _CELL + 12, radius=0.36 * _CELL)
        for (r, c), piece in zip(filled, pieces, strict=True)
    }


def _make_item(rng: SampleRng, language: str, question: str, board: dict[Cell, SceneObject], cells: list[Cell]) -> Item:
    """Three wrong options near the end, of which chance says nothing."""
    end = cells[-1]
    near = sorted(
        (cell for cell in board if cell not in (end, cells[0])),
        key=lambda cell: abs(cell[0] - end[0]) + abs(cell[1] - end[1]),
    )
    wrong = [board[cell].label(language) for cell in rng.some(near[:6], 3)]
    look = replace(random_style(rng, 0.4), pattern="plain")
    canvas = blank_canvas(_COLUMNS * _CELL + 24, _ROWS * _CELL + 24, look)
    for k in range(_COLUMNS + 1):
        canvas.line([(12 + k * _CELL, 12), (12 + k * _CELL, 12 + _ROWS * _CELL)], "#8a929a", 1.5)
    for k in range(_ROWS + 1):
        canvas.line([(12, 12 + k * _CELL), (12 + _COLUMNS * _CELL, 12 + k * _CELL)], "#8a929a", 1.5)
    for piece in board.values():
        draw_object(canvas, piece, look, rng)
    return make_choice_item(rng, question, board[end].label(language), wrong, render_png(canvas, look, rng))
