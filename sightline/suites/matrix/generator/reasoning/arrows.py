"""Boards of arrows: a ball follows them and leaves through a numbered gate."""

from __future__ import annotations

import math

from msgspec import Struct

from sightline.suites.matrix.generator.reasoning.change import CounterfactualQuestion
from sightline.suites.matrix.generator.reasoning.drawing import new_canvas, random_style
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording

WAYS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
_ZH = {"up": "上", "down": "下", "left": "左", "right": "右"}
_TURNS = {"right": 0.0, "down": 90.0, "left": 180.0, "up": 270.0}
Cell = tuple[int, int]
_TOLD = {
    "en": (
        "A ball starts in the cell with the dot and moves from cell to cell as the arrows point, until it leaves the "
        "board through a numbered gate. In a shaded cell it slides on in the direction in which it came, whatever the "
        "arrow there says. {change} Through which gate would the ball leave? Answer with the number of the gate.",
        "Follow the arrows from the cell with the dot; in shaded cells the ball ignores the arrow and keeps its "
        "direction. {change} What is the number of the gate through which it would leave the board?",
    ),
    "zh": (
        "小球从带圆点的格子出发，按箭头逐格移动，直到从某个带编号的出口离开。在有底色的格子里，小球不管箭头，保持原来的方向继续滑行。"
        "{change}小球会从几号出口离开？请回答出口的编号。",
        "从带圆点的格子开始按箭头走；遇到有底色的格子时忽略箭头、保持方向。{change}小球将从哪个编号的出口离开？",
    ),
}


class Board(Struct, frozen=True, kw_only=True):
    """Arrows by row and column; gates by the cell outside the board."""

    size: int
    arrows: dict[Cell, str]
    slides: frozenset[Cell]
    start: Cell
    gates: dict[Cell, int]


def trace_ball(board: Board) -> list[Cell] | None:
    """The cells of the ball's way, the last one outside the board; None where it never leaves."""
    at, way, seen = board.start, board.arrows[board.start], set()
    path = [at]
    while (at, way) not in seen:
        seen.add((at, way))
        if at not in board.slides:
            way = board.arrows[at]
        at = (at[0] + WAYS[way][0], at[1] + WAYS[way][1])
        path.append(at)
        if at not in board.arrows:
            return path
    return None


def _random_board(rng: SampleRng, size: int, slides: int) -> Board:
    cells = [(row, column) for row in range(size) for column in range(size)]
    start = rng.pick(cells)
    outside = [(k, -1) for k in range(size)] + [(k, size) for k in range(size)]
    outside += [(-1, k) for k in range(size)] + [(size, k) for k in range(size)]
    return Board(
        size=size,
        arrows={cell: rng.pick(tuple(WAYS)) for cell in cells},
        slides=frozenset(rng.some([cell for cell in cells if cell != start], slides)),
        start=start,
        gates=dict(zip(outside, rng.some(range(11, 99), len(outside)), strict=True)),
    )


def _turn_arrows(rng: SampleRng, board: Board, count: int) -> tuple[dict[Cell, str], list[Cell]] | None:
    """New arrows, each met by the ball after the ones before have been changed, and the way that comes of it."""
    arrows, changes = dict(board.arrows), dict[Cell, str]()
    path = trace_ball(board)
    for _ in range(count):
        met = [cell for cell in path[1:-1] if cell not in board.slides and cell not in changes] if path else []
        if not met:
            return None
        cell = rng.pick(met)
        changes[cell] = rng.pick([way for way in WAYS if way != arrows[cell]])
        arrows[cell] = changes[cell]
        path = trace_ball(
            Board(size=board.size, arrows=arrows, slides=board.slides, start=board.start, gates=board.gates)
        )
    return (changes, path) if path and all(cell in path for cell in changes) else None


def _draw_board(rng: SampleRng, board: Board) -> bytes:
    style, side = random_style(rng), 62.0
    canvas = new_canvas(style, side * (board.size + 2), side * (board.size + 2))
    shade = rng.pick(("#f6df9c", "#bfe3ef", "#e2cdf0"))
    for (row, column), way in board.arrows.items():
        x, y = side * (column + 1.5), side * (row + 1.5)
        box = (x - side / 2, y - side / 2, x + side / 2, y + side / 2)
        canvas.rectangle(box, shade if (row, column) in board.slides else "#ffffff", "#8b95a1", 1.5)
        angle = math.radians(_TURNS[way])
        dx, dy = 19 * math.cos(angle), 19 * math.sin(angle)
        canvas.arrow((x - dx, y - dy), (x + dx, y + dy), style.dark, 3.5, 15)
    x, y = side * (board.start[1] + 1.5), side * (board.start[0] + 1.5)
    canvas.disc((x - 20, y - 20), 8, "#d62728")
    for (row, column), number in board.gates.items():
        canvas.text((side * (column + 1.5), side * (row + 1.5)), str(number), style.text_style(18, style.hues[0]))
    return canvas.png()


def _sentence(changes: dict[Cell, str], language: str) -> str:
    if language == "zh":
        parts = [f"第 {row + 1} 行第 {column + 1} 列的箭头改为指向{_ZH[way]}" for (row, column), way in changes.items()]
        return "假设" + "，并且".join(parts) + "（行从上数，列从左数）。"
    parts = [f"the arrow in row {row + 1}, column {column + 1} pointed {way}" for (row, column), way in changes.items()]
    return "Suppose " + " and ".join(parts) + " instead (rows from the top, columns from the left)."


def gate(rng: SampleRng, language: str, size: int, changes: int) -> CounterfactualQuestion:
    """The gate after so many changes, another one than without them."""
    while True:
        board = _random_board(rng, size, size)
        before = trace_ball(board)
        found = _turn_arrows(rng, board, changes)
        if before is None or found is None or found[1][-1] == before[-1]:
            continue
        if len(found[1]) > size and board.slides & set(found[1]):
            break
    changed, path = found
    return CounterfactualQuestion(
        instruction=fill_wording(rng, _TOLD, language, change=_sentence(changed, language)),
        answer=board.gates[path[-1]],
        pictures=(_draw_board(rng, board),),
        scene={
            "type": "arrows",
            "arrows": [[*cell, way] for cell, way in board.arrows.items()],
            "slides": sorted(map(list, board.slides)),
            "start": list(board.start),
            "gates": [[*cell, number] for cell, number in board.gates.items()],
            "changes": [[*cell, way] for cell, way in changed.items()],
        },
    )


def one_arrow(rng: SampleRng, language: str) -> CounterfactualQuestion:
    """One arrow is turned."""
    return gate(rng, language, 5, 1)


def two_arrows(rng: SampleRng, language: str) -> CounterfactualQuestion:
    """Two arrows are turned."""
    return gate(rng, language, 7, 2)
