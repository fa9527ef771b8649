"""The scenes that claims are made about: things in rows, bars, lines."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

from sightline.suites.matrix.generator.glyphs import BY_NAME as THING_NAMED
from sightline.suites.matrix.generator.glyphs import GLYPHS
from sightline.suites.matrix.generator.palette import BY_NAME as COLOUR_NAMED
from sightline.suites.matrix.generator.palette import COLOURS
from sightline.suites.matrix.generator.reasoning.claims import Facts, SceneKind, Topic
from sightline.suites.matrix.generator.reasoning.drawing import draw_bar_picture
from sightline.suites.matrix.generator.reasoning.lines import draw_line_chart
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.scenes import SceneObject, arrange_in_grid, draw_scene, random_style

_POINTS = 8


def _topic(read: Any, en: str, zh: str, **names: tuple[Any, Any]) -> Topic:
    """A topic by its two sentences; names hold an English and a Chinese word each, {v} is the value."""

    def words(value: Any, language: str) -> str:
        at = 1 if language == "zh" else 0
        return (en, zh)[at].format(v=value, **{name: pair[at] for name, pair in names.items()})

    return Topic(read=read, words=words)


# Things in rows and columns


def _thing_words(rng: SampleRng) -> Facts:
    colours = [colour.name for colour in rng.some(COLOURS, 3)]
    types = [thing.name for thing in rng.some(GLYPHS, 3)]
    return {"type": "things", "colours": colours, "types": types, "rows": 3, "columns": rng.pick((4, 5))}


def _thing_scene(rng: SampleRng, words: Facts) -> Facts:
    grid = [
        [[rng.pick(words["colours"]), rng.pick(words["types"])] for _ in range(words["columns"])]
        for _ in range(words["rows"])
    ]
    return {**words, "grid": grid}


def _count(at: int, name: str, scene: Facts) -> int:
    return sum(cell[at] == name for row in scene["grid"] for cell in row)


def _row_count(row: int, name: str, scene: Facts) -> int:
    return sum(cell[0] == name for cell in scene["grid"][row])


def _here(row: int, column: int, scene: Facts) -> tuple[str, str]:
    colour, thing = scene["grid"][row][column]
    return colour, thing


def _thing_topics(rng: SampleRng, words: Facts) -> list[Topic]:
    """A count of a colour, of a type, of a colour in a row, and what is at a place."""
    colour, type_, other = rng.pick(words["colours"]), rng.pick(words["types"]), rng.pick(words["colours"])
    named, sort, more = COLOUR_NAMED[colour], THING_NAMED[type_], COLOUR_NAMED[other]
    row, line, column = rng.whole(0, 2), rng.whole(0, 2), rng.whole(0, words["columns"] - 1)

    def placed(value: Any, language: str) -> str:
        label = SceneObject(colour=COLOUR_NAMED[value[0]], thing=THING_NAMED[value[1]]).label(language)
        if language == "zh":
            return f"从上数第 {line + 1} 行、从左数第 {column + 1} 个物体是{label}"
        return f"the object in row {line + 1} from the top, place {column + 1} from the left, is: {label}"

    return [
        _topic(
            partial(_count, 0, colour),
            "the number of {c} objects is {v}",
            "图中共有 {v} 个{c}的物体",
            c=(named.name, named.zh),
        ),
        _topic(
            partial(_count, 1, type_),
            "the number of objects of the type “{t}” is {v}",
            "图中“{t}”的个数是 {v}",
            t=(sort.name, sort.zh),
        ),
        _topic(
            partial(_row_count, row, other),
            "row {r} from the top has {c} objects in this number: {v}",
            "从上数第 {r} 行中{c}物体的个数是 {v}",
            r=(row + 1, row + 1),
            c=(more.name, more.zh),
        ),
        Topic(read=partial(_here, line, column), words=placed),
    ]


def _thing_picture(rng: SampleRng, scene: Facts) -> bytes:
    pieces = [SceneObject(colour=COLOUR_NAMED[c], thing=THING_NAMED[t]) for row in scene["grid"] for c, t in row]
    columns = scene["columns"]
    placed = arrange_in_grid(rng, pieces, columns, (10, 10, 130 * columns - 10, 380))
    return draw_scene(rng, placed, (130 * columns, 390), random_style(rng, rough=0.3))


# Bars


def _bar_words(rng: SampleRng) -> Facts:
    return {
        "type": "bars",
        "letters": rng.some("ABCDEFGHKLMNPRST", rng.whole(5, 6)),
        "unit": rng.pick((1, 2, 5, 10)),
    }


def _bar_scene(rng: SampleRng, words: Facts) -> Facts:
    values = [words["unit"] * value for value in rng.some(range(1, 11), len(words["letters"]))]
    return {**words, "values": dict(zip(words["letters"], values, strict=True))}


def _value(letter: str, scene: Facts) -> int:
    return int(scene["values"][letter])


def _taller(pair: tuple[str, str], scene: Facts) -> str:
    return max(pair, key=lambda letter: int(scene["values"][letter]))


def _ranked(rank: int, scene: Facts) -> str:
    return str(sorted(scene["values"], key=lambda letter: -scene["values"][letter])[rank])


def _gap(pair: tuple[str, str], scene: Facts) -> int:
    return abs(int(scene["values"][pair[0]]) - int(scene["values"][pair[1]]))


def _bar_topics(rng: SampleRng, words: Facts) -> list[Topic]:
    """A value, which of two is taller, which has a rank, and a difference."""
    letters = words["letters"]
    letter, rank = rng.pick(letters), rng.whole(0, len(letters) - 1)
    a, b = rng.some(letters, 2)
    p, q = rng.some(letters, 2)
    return [
        _topic(partial(_value, letter), "the value of {a} is {v}", "{a} 的值是 {v}", a=(letter, letter)),
        _topic(
            partial(_taller, (a, b)),
            "of the bars {a} and {b} the taller one is {v}",
            "{a} 和 {b} 两根柱中较高的是 {v}",
            a=(a, a),
            b=(b, b),
        ),
        _topic(
            partial(_ranked, rank),
            "ordered from tallest to shortest, number {n} is {v}",
            "按从高到低排列，第 {n} 根柱是 {v}",
            n=(rank + 1, rank + 1),
        ),
        _topic(partial(_gap, (p, q)), "{p} and {q} differ by {v}", "{p} 与 {q} 相差 {v}", p=(p, p), q=(q, q)),
    ]


def _bar_draw(rng: SampleRng, scene: Facts) -> bytes:
    return draw_bar_picture(rng, list(scene["values"].items()), 10 * scene["unit"])


# Lines


def _line_words(rng: SampleRng) -> Facts:
    return {"type": "lines", "names": rng.some(("red", "blue", "green", "orange", "purple"), 2)}


def _line_scene(rng: SampleRng, words: Facts) -> Facts:
    series: dict[str, list[int]] = {}
    for name in words["names"]:
        values = [rng.whole(1, 9)]
        while len(values) < _POINTS:
            values.append(rng.pick([value for value in range(11) if value != values[-1]]))
        series[name] = values
    return {**words, "series": series}


def _rising(name: str, at: int, scene: Facts) -> bool:
    return bool(scene["series"][name][at] > scene["series"][name][at - 1])


def _point(name: str, at: int, scene: Facts) -> int:
    return int(scene["series"][name][at])


def _above(at: int, scene: Facts) -> str | None:
    (a, first), (b, second) = scene["series"].items()
    return None if first[at] == second[at] else str(a if first[at] > second[at] else b)


def _rises(name: str, scene: Facts) -> int:
    return sum(later > before for before, later in pairwise(scene["series"][name]))


def _line_topics(rng: SampleRng, words: Facts) -> list[Topic]:
    """Up or down, a value, which line is higher, and how often a line rises."""
    a, b = rng.shuffled(words["names"])
    called = {name: (name, COLOUR_NAMED[name].zh) for name in (a, b)}
    at, step, place = rng.whole(0, _POINTS - 1), rng.whole(1, _POINTS - 1), rng.whole(0, _POINTS - 1)

    def moves(value: Any, language: str) -> str:
        if language == "zh":
            return f"{called[a][1]}线从位置 {step} 到 {step + 1} {'上升' if value else '下降'}"
        return f"the {a} line {'rises' if value else 'falls'} from {step} to {step + 1}"

    def higher(value: Any, language: str) -> str:
        if language == "zh":
            return f"在位置 {place + 1} 处较高的是{called[value][1]}线"
        return f"at {place + 1} the {value} line is the higher one"

    return [
        Topic(read=partial(_rising, a, step), words=moves),
        _topic(
            partial(_point, b, at),
            "at {i} the {n} line has the value {v}",
            "{n}线在位置 {i} 处的值是 {v}",
            i=(at + 1, at + 1),
            n=called[b],
        ),
        Topic(read=partial(_above, place), words=higher),
        _topic(
            partial(_rises, a),
            "of the seven stretches of the {n} line, so many rise: {v}",
            "{n}线的七段中上升的段数是 {v}",
            n=called[a],
        ),
    ]


def _line_draw(rng: SampleRng, scene: Facts) -> bytes:
    return draw_line_chart(rng, scene["series"], 10)


SCENE_KINDS = (
    SceneKind(vocabulary=_thing_words, scene=_thing_scene, topics=_thing_topics, draw=_thing_picture),
    SceneKind(vocabulary=_bar_words, scene=_bar_scene, topics=_bar_topics, draw=_bar_draw),
    SceneKind(vocabulary=_line_words, scene=_line_scene, topics=_line_topics, draw=_line_draw),
)
