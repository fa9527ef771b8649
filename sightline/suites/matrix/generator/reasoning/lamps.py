"""Lamps on branches with switches."""

from __future__ import annotations

from sightline.suites.matrix.generator.canvas import XY, Canvas
from sightline.suites.matrix.generator.item import shuffle_options
from sightline.suites.matrix.generator.reasoning.change import CounterfactualQuestion
from sightline.suites.matrix.generator.reasoning.drawing import Style, new_canvas, random_style
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording

_TOLD = {
    "en": (
        "The branches hang side by side on one battery; a lamp shines when the switch of its branch is closed. If "
        "switches {a} and {b} were both put into the other position, which lamps would shine?",
        "A switch drawn as a slanted lever is open, one drawn flat is closed, and only lamps on closed branches shine. "
        "Imagine that {a} and {b} are flipped (open becomes closed, closed becomes open): which lamps shine then?",
    ),
    "zh": (
        "各支路并联在同一个电池上；支路的开关闭合时，该支路上的灯亮。如果把开关{a}和{b}都拨到相反的位置，哪些灯会亮？",
        "斜着画的开关是断开的，平着画的是闭合的，只有闭合支路上的灯才亮。假设{a}和{b}都被拨动（开变合、合变开），哪些灯会亮？",
    ),
}


def _names(lamps: set[str], language: str) -> str:
    return ("、" if language == "zh" else ", ").join(sorted(lamps))


def _lamp(canvas: Canvas, style: Style, at: XY, name: str) -> None:
    x, y = at
    canvas.disc(at, 19, "#ffffff", style.dark, 2.5)
    canvas.line([(x - 13, y - 13), (x + 13, y + 13)], "#b5bac1", 1.5)
    canvas.line([(x - 13, y + 13), (x + 13, y - 13)], "#b5bac1", 1.5)
    canvas.text((x, y - 31), name, style.text_style(18))


def _switch(canvas: Canvas, style: Style, at: XY, name: str, closed: bool) -> None:
    x, y = at
    canvas.rectangle((x - 22, y - 4, x + 22, y + 4), style.paper)
    canvas.line([(x - 22, y), (x + 22, y) if closed else (x + 16, y - 24)], style.dark, 3.0)
    for end in (x - 22, x + 22):
        canvas.disc((end, y), 4.5, style.dark)
    canvas.text((x, y + 18), name, style.text_style(16))


def _draw_lamps(rng: SampleRng, branches: list[tuple[str, bool, list[str]]]) -> bytes:
    style = random_style(rng)
    height, right = 92.0, 520.0
    canvas = new_canvas(style, right + 40, 70 + height * len(branches))
    left = 110.0
    ys = [70 + height * k for k in range(len(branches))]
    for x in (left, right):
        canvas.line([(x, ys[0]), (x, ys[-1])], style.dark, 2.5)
    for y, (switch, closed, lamps) in zip(ys, branches, strict=True):
        canvas.line([(left, y), (right, y)], style.dark, 2.5)
        spots = rng.some([180.0, 270.0, 360.0, 450.0], len(lamps) + 1)
        _switch(canvas, style, (spots[0], y), switch, closed)
        for x, lamp in zip(spots[1:], lamps, strict=True):
            _lamp(canvas, style, (x, y), lamp)
    low = ys[-1] + 45
    canvas.line([(left, ys[-1]), (left, low), (right, low), (right, ys[-1])], style.dark, 2.5)
    canvas.rectangle((305, low - 6, 325, low + 6), style.paper)
    canvas.line([(305, low - 16), (305, low + 16)], style.dark, 2.5)
    canvas.line([(325, low - 9), (325, low + 9)], style.dark, 6.0)
    return canvas.png()


def flip_switches(rng: SampleRng, language: str) -> CounterfactualQuestion:
    """Two switches are flipped; the options differ in what these two do, so that none is the middle of the others."""
    count = rng.pick((4, 5))
    letters = rng.some("ABCDEFGHKLMN", 12)
    branches: list[tuple[str, bool, list[str]]] = []
    for k in range(count):
        some, letters = letters[: (size := rng.whole(1, 2))], letters[size:]
        branches.append((f"S{k + 1}", rng.chance(), some))
    a, b, always = rng.some(range(count), 3)
    branches[always] = (branches[always][0], True, branches[always][2])
    rest = {lamp for k, (_, closed, lamps) in enumerate(branches) if closed and k not in (a, b) for lamp in lamps}
    sets = {
        (x, y): rest | set(branches[a][2] if x else ()) | set(branches[b][2] if y else ())
        for x in (True, False)
        for y in (True, False)
    }
    right = _names(sets[not branches[a][1], not branches[b][1]], language)
    others = [text for text in (_names(lamps, language) for lamps in sets.values()) if text != right]
    first, second = sorted((a, b))
    return CounterfactualQuestion(
        instruction=fill_wording(rng, _TOLD, language, a=branches[first][0], b=branches[second][0]),
        answer=right,
        options=shuffle_options(rng, right, others),
        pictures=(_draw_lamps(rng, branches),),
        scene={"type": "lamps", "branches": branches, "flipped": [first, second]},
    )
