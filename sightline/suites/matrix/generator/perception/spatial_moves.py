"""Chains of moves over a board of things."""

from __future__ import annotations

from itertools import pairwise

from msgspec.structs import replace

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.frame import Item
from sightline.suites.matrix.generator.perception import spatial_words as words
from sightline.suites.matrix.generator.perception.spatial_scenes import STEP, item
from sightline.suites.matrix.generator.scenes import Piece, a_look, blank, draw_piece, finish, kinds
from sightline.suites.matrix.generator.wording import say

_ROWS, _COLUMNS, _CELL = 5, 6, 86
_CLOCKWISE = ("up", "right", "down", "left")
Cell = tuple[int, int]


def steps(dice: Dice, language: str) -> Item:
    """Moves by direction."""
    count = dice.whole(4, 5)
    while True:
        cell = start = (dice.whole(0, _ROWS - 1), dice.whole(0, _COLUMNS - 1))
        cells, orders = [start], []
        for _ in range(count):
            way, far = dice.pick(_CLOCKWISE), dice.whole(1, 3)
            cell = _beside(cell, way, far)
            cells.append(cell)
            orders.append((way, far))
        fresh = all(a[0] != b[0] and _opposite(a[0]) != b[0] for a, b in pairwise(orders))
        if fresh and all(map(_on_board, cells)) and len(set(cells)) == len(cells):
            break
    board = _board(dice, cells)
    comma = ", then " if language == "en" else "，再"
    moves = comma.join(words.MOVES[language][way].format(n=far) for way, far in orders)
    asked = say(dice, words.STEPS, language, first=board[start].label(language), moves=moves)
    return _asked(dice, language, asked, board, cells)


def robot(dice: Dice, language: str) -> Item:
    """Moves of somebody who turns."""
    while True:
        cell = start = (dice.whole(0, _ROWS - 1), dice.whole(0, _COLUMNS - 1))
        facing = heading = dice.pick(_CLOCKWISE)
        cells, orders = [start], []
        for k in range(3):
            far = dice.whole(1, 3)
            cell = _beside(cell, heading, far)
            cells.append(cell)
            orders.append(("forward", far))
            if k < 2:
                turn = dice.pick(("left", "right", "left", "right", "around"))
                at = _CLOCKWISE.index(heading) + {"right": 1, "around": 2, "left": 3}[turn]
                heading = _CLOCKWISE[at % 4]
                orders.append((turn, 0))
        if all(map(_on_board, cells)) and len(set(cells)) == len(cells):
            break
    board = _board(dice, cells)
    comma = ", " if language == "en" else "，"
    told = comma.join(words.ORDERS[language][order].format(n=far) for order, far in orders)
    asked = say(
        dice, words.ROBOT, language, first=board[start].label(language), edge=words.EDGES[language][facing], moves=told
    )
    return _asked(dice, language, asked, board, cells)


def _beside(cell: Cell, way: str, far: int) -> Cell:
    dx, dy = STEP[way]
    return cell[0] + int(dy) * far, cell[1] + int(dx) * far


def _opposite(way: str) -> str:
    return _CLOCKWISE[(_CLOCKWISE.index(way) + 2) % 4]


def _on_board(cell: Cell) -> bool:
    return 0 <= cell[0] < _ROWS and 0 <= cell[1] < _COLUMNS


def _board(dice: Dice, cells: list[Cell]) -> dict[Cell, Piece]:
    """Things on the start, on the stops and near the end: wrong paths end on things as well."""
    row, column = cells[-1]
    near = [(row + a, column + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    must = {*cells, *(cell for cell in near if _on_board(cell))}
    others = [(r, c) for r in range(_ROWS) for c in range(_COLUMNS) if (r, c) not in must]
    filled = sorted(must) + dice.some(others, dice.whole(4, 9))
    pieces = kinds(dice, len(filled))
    return {
        (r, c): replace(piece, x=(c + 0.5) * _CELL + 12, y=(r + 0.5) * _CELL + 12, radius=0.36 * _CELL)
        for (r, c), piece in zip(filled, pieces, strict=True)
    }


def _asked(dice: Dice, language: str, asked: str, board: dict[Cell, Piece], cells: list[Cell]) -> Item:
    """Three wrong options near the end, of which chance says nothing."""
    end = cells[-1]
    near = sorted(
        (cell for cell in board if cell not in (end, cells[0])),
        key=lambda cell: abs(cell[0] - end[0]) + abs(cell[1] - end[1]),
    )
    wrong = [board[cell].label(language) for cell in dice.some(near[:6], 3)]
    look = replace(a_look(dice, 0.4), pattern="plain")
    sheet = blank(_COLUMNS * _CELL + 24, _ROWS * _CELL + 24, look)
    for k in range(_COLUMNS + 1):
        sheet.line([(12 + k * _CELL, 12), (12 + k * _CELL, 12 + _ROWS * _CELL)], "#8a929a", 1.5)
    for k in range(_ROWS + 1):
        sheet.line([(12, 12 + k * _CELL), (12 + _COLUMNS * _CELL, 12 + k * _CELL)], "#8a929a", 1.5)
    for piece in board.values():
        draw_piece(sheet, piece, look, dice)
    return item(dice, asked, board[end].label(language), wrong, finish(sheet, look, dice))
