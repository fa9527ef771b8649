"""What would be: one change, two pictures, a rule in the text, several changes. The answer comes from a simulation."""

from __future__ import annotations

import math
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.matrix.generator.canvas import COLOUR_BY_NAME, pick_shade
from sightline.suites.matrix.generator.diagrams import draw_bar_picture, new_canvas, random_style
from sightline.suites.matrix.generator.item import Item, Scenes, counterfactual_item
from sightline.suites.matrix.generator.reasoning import circuits, schedules
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, load_texts, ordinal

_TEXTS = load_texts(__name__)

_TOP = 50
_LINE = 14
DIRECTIONS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
_DIRECTIONS_ZH = {"up": "上", "down": "下", "left": "左", "right": "右"}
_DIRECTION_ANGLES = {"right": 0.0, "down": 90.0, "left": 180.0, "up": 270.0}
Cell = tuple[int, int]


def apply_change(values: list[int], at: int, change: str) -> list[Fraction]:
    """The bars after the change."""
    bars = [Fraction(value) for value in values]
    if change == "removed":
        return [bar for k, bar in enumerate(bars) if k != at]
    bars[at] = {"doubled": 2 * bars[at], "halved": bars[at] / 2, "tallest": max(bars)}[change]
    return bars


def statistic_of(bars: list[Fraction], figure: str) -> Fraction:
    """The sum, mean or range of bars."""
    if figure == "range":
        return max(bars) - min(bars)
    return sum(bars, Fraction(0)) / (len(bars) if figure == "mean" else 1)


def _random_bars(rng: SampleRng, count: int, unit: int) -> dict[str, int]:
    letters = rng.some("ABCDEFGHKLMNPRST", count)
    return dict(zip(letters, [unit * value for value in rng.some(range(1, 11), count)], strict=True))


def one_bar(rng: SampleRng, language: str) -> Item:
    """Make a sample: one bar is doubled, halved, taken out or made tallest."""
    changes, figures = _TEXTS["changes"], _TEXTS["figures"]
    while True:
        unit = rng.pick((2, 4, 10, 20, 40))
        bars = _random_bars(rng, rng.whole(4, 6), unit)
        letter, change, figure = rng.pick(list(bars)), rng.pick(tuple(changes)), rng.pick(tuple(figures))
        values = list(bars.values())
        place = list(bars).index(letter)
        answer = statistic_of(apply_change(values, place, change), figure)
        same = statistic_of([Fraction(value) for value in values], figure)
        if answer.denominator == 1 and answer != same:
            break
    zh = language == "zh"
    if rng.chance():
        bar = f"{letter} 的柱" if zh else f"the bar of {letter}"
    else:
        bar = f"从左数{ordinal(place + 1, 'zh')}根柱" if zh else f"the {ordinal(place + 1, 'en')} bar from the left"
    words = {"change": changes[change][language], "figure": figures[figure][language]}
    return counterfactual_item(
        instruction=fill_wording(rng, _TEXTS["one_bar"], language, bar=bar, **words),
        answer=int(answer),
        pictures=(draw_bar_picture(rng, list(bars.items()), 10 * unit),),
        scene={"type": "bars", "values": values, "at": place, "change": change, "figure": figure},
    )


def two_charts(rng: SampleRng, language: str) -> Item:
    """Make a sample: a bar comes from another picture."""
    figures = _TEXTS["figures"]
    while True:
        unit, other = rng.some((2, 4, 10, 20), 2)
        bars, others = _random_bars(rng, rng.whole(4, 5), unit), _random_bars(rng, rng.whole(4, 5), other)
        a, b, figure = rng.pick(list(bars)), rng.pick(list(others)), rng.pick(tuple(figures))
        new = [Fraction(others[b] if letter == a else value) for letter, value in bars.items()]
        answer = statistic_of(new, figure)
        if answer.denominator == 1 and others[b] != bars[a]:
            break
    pictures = (
        draw_bar_picture(rng, list(bars.items()), 10 * unit),
        draw_bar_picture(rng, list(others.items()), 10 * other),
    )
    return counterfactual_item(
        instruction=fill_wording(rng, _TEXTS["two_charts"], language, a=a, b=b, figure=figures[figure][language]),
        answer=int(answer),
        pictures=pictures,
        scene={"type": "two charts", "first": bars, "second": others, "a": a, "b": b, "figure": figure},
    )


def open_valve(rng: SampleRng, language: str) -> Item:
    """Make a sample: the common height after the valve has been opened."""
    while True:
        areas = [rng.whole(1, 9) * 10 for _ in range(2)]
        heights = rng.some(range(2, _TOP - 1, 2), 2)
        level, rest = divmod(sum(a * h for a, h in zip(areas, heights, strict=True)), sum(areas))
        if not rest and areas[0] != areas[1] and abs(heights[0] - heights[1]) > 5:
            break
    style = random_style(rng)
    canvas = new_canvas(style, 600, 420)
    water = rng.pick(("#7db8e8", "#8cc9d9", "#92b4e3"))
    top, floor = 40.0, 340.0
    for k, (area, height) in enumerate(zip(areas, heights, strict=True)):
        width = 90 + area
        left = 80.0 if k == 0 else 540.0 - width
        y = floor - (floor - top) * height / _TOP
        canvas.rectangle((left, y, left + width, floor), water)
        canvas.line([(left, top), (left, floor), (left + width, floor), (left + width, top)], style.dark, 4.0)
        for mark in range(0, _TOP + 1, 2):
            at = floor - (floor - top) * mark / _TOP
            long = mark % 10 == 0
            edge = left if k == 0 else left + width
            sign = -1 if k == 0 else 1
            canvas.line([(edge, at), (edge + sign * (14 if long else 8), at)], style.dark, 1.5)
            if long:
                canvas.text((edge + sign * 28, at), str(mark), style.text_style(15))
        canvas.text((left + width / 2, floor + 40), f"{area} cm²", style.text_style(19))
    inner = (80.0 + 90 + areas[0], 540.0 - 90 - areas[1])
    canvas.line([(inner[0], floor - 12), (inner[1], floor - 12)], style.dark, 9.0)
    middle = sum(inner) / 2
    canvas.polygon(
        [(middle - 16, floor - 28), (middle + 16, floor + 4), (middle + 16, floor - 28), (middle - 16, floor + 4)],
        "#d65f5f",
        style.dark,
    )
    return counterfactual_item(
        instruction=fill_wording(rng, _TEXTS["tanks"], language),
        answer=level,
        pictures=(canvas.png(),),
        scene={"type": "tanks", "areas": areas, "heights": heights},
    )


def count_fallen(places: list[bool], reach: int) -> int:
    """Number of dominoes that fall when the first is pushed and each reaches across a number of empty places."""
    count = empty = 0
    for stands in places:
        if stands:
            count, empty = count + 1, 0
        else:
            empty += 1
        if empty > reach:
            break
    return count


def _draw_dominoes(rng: SampleRng, places: list[bool], special: int, colour: str) -> bytes:
    style = random_style(rng)
    rows = -(-len(places) // _LINE)
    canvas = new_canvas(style, 40 + 40 * _LINE, 30 + 100 * rows)
    plain = rng.pick(("#3b4a5a", "#4a4a4a", "#5a4a3b"))
    for row in range(rows):
        y = 100.0 + 100 * row
        canvas.line([(20, y), (20 + 40 * _LINE, y)], "#8a93a0", 3.0)
        for place in range(_LINE):
            canvas.line([(40 + 40 * place, y), (40 + 40 * place, y + 8)], "#8a93a0", 2.0)
    for k, stands in enumerate(places):
        row, place = divmod(k, _LINE)
        x, y = 40 + 40 * place, 100.0 + 100 * row
        if stands:
            canvas.rounded((x - 7, y - 68, x + 7, y - 1), 3, pick_shade(rng, colour) if k == special else plain)
    return canvas.png()


def _domino_item(rng: SampleRng, language: str, reach: int) -> Item:
    """Make a sample: places such that each of many numbers of fallen ones is about as likely."""
    wanted = rng.whole(4, 30)
    total = wanted + rng.whole(4, 10)
    while True:
        places = [True, *(not rng.chance(0.14 if reach else 0.0) for _ in range(total))]
        special = rng.whole(2, len(places) - 2)
        without = [stands and k != special for k, stands in enumerate(places)]
        answer = count_fallen(without, reach)
        if places[special] and answer == wanted and count_fallen(places, reach) > answer:
            break
    colour = rng.pick(("red", "orange", "yellow", "pink"))
    word = COLOUR_BY_NAME[colour].name_in(language)
    wordings = _TEXTS["with_gaps" if reach else "without_gaps"]
    return counterfactual_item(
        instruction=fill_wording(rng, wordings, language, colour=word, reach=reach),
        answer=answer,
        pictures=(_draw_dominoes(rng, places, special, colour),),
        scene={"type": "dominoes", "places": places, "special": special, "reach": reach},
    )


def without_gaps(rng: SampleRng, language: str) -> Item:
    """Make a sample: no gaps but the one that is made."""
    return _domino_item(rng, language, 0)


def with_gaps(rng: SampleRng, language: str) -> Item:
    """Make a sample: empty places, and a rule on how far a domino reaches."""
    return _domino_item(rng, language, rng.pick((1, 2)))


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
        at = (at[0] + DIRECTIONS[way][0], at[1] + DIRECTIONS[way][1])
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
        arrows={cell: rng.pick(tuple(DIRECTIONS)) for cell in cells},
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
        changes[cell] = rng.pick([way for way in DIRECTIONS if way != arrows[cell]])
        arrows[cell] = changes[cell]
        path = trace_ball(replace(board, arrows=arrows))
    return (changes, path) if path and all(cell in path for cell in changes) else None


def _draw_board(rng: SampleRng, board: Board) -> bytes:
    style, side = random_style(rng), 62.0
    canvas = new_canvas(style, side * (board.size + 2), side * (board.size + 2))
    shade = rng.pick(("#f6df9c", "#bfe3ef", "#e2cdf0"))
    for (row, column), way in board.arrows.items():
        x, y = side * (column + 1.5), side * (row + 1.5)
        box = (x - side / 2, y - side / 2, x + side / 2, y + side / 2)
        canvas.rectangle(box, shade if (row, column) in board.slides else "#ffffff", "#8b95a1", 1.5)
        angle = math.radians(_DIRECTION_ANGLES[way])
        dx, dy = 19 * math.cos(angle), 19 * math.sin(angle)
        canvas.arrow((x - dx, y - dy), (x + dx, y + dy), style.dark, 3.5, 15)
    x, y = side * (board.start[1] + 1.5), side * (board.start[0] + 1.5)
    canvas.disc((x - 20, y - 20), 8, "#d62728")
    for (row, column), number in board.gates.items():
        canvas.text((side * (column + 1.5), side * (row + 1.5)), str(number), style.text_style(18, style.hues[0]))
    return canvas.png()


def _change_sentence(changes: dict[Cell, str], language: str) -> str:
    if language == "zh":
        parts = [
            f"第 {row + 1} 行第 {column + 1} 列的箭头改为指向{_DIRECTIONS_ZH[way]}"
            for (row, column), way in changes.items()
        ]
        return "假设" + "，并且".join(parts) + "（行从上数，列从左数）。"
    parts = [f"the arrow in row {row + 1}, column {column + 1} pointed {way}" for (row, column), way in changes.items()]
    return "Suppose " + " and ".join(parts) + " instead (rows from the top, columns from the left)."


def _gate_item(rng: SampleRng, language: str, size: int, changes: int) -> Item:
    """Make a sample: the gate that is reached after a number of changes, which differs from the one without them."""
    while True:
        board = _random_board(rng, size, size)
        before = trace_ball(board)
        rerouted = _turn_arrows(rng, board, changes)
        if before is None or rerouted is None or rerouted[1][-1] == before[-1]:
            continue
        if len(rerouted[1]) > size and board.slides & set(rerouted[1]):
            break
    changed, path = rerouted
    return counterfactual_item(
        instruction=fill_wording(rng, _TEXTS["arrows"], language, change=_change_sentence(changed, language)),
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


def one_arrow(rng: SampleRng, language: str) -> Item:
    """Make a sample: one arrow is turned."""
    return _gate_item(rng, language, 5, 1)


def two_arrows(rng: SampleRng, language: str) -> Item:
    """Make a sample: two arrows are turned."""
    return _gate_item(rng, language, 7, 2)


SCENES: Scenes = {
    "l1": (one_bar, without_gaps),
    "l2": (two_charts, open_valve),
    "l3": (one_arrow, circuits.flip_switches, with_gaps),
    "l4": (two_arrows, schedules.changed_durations, circuits.open_switch),
}


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return rng.balanced_choice("scene", SCENES[level])(rng, language)
