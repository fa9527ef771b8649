"""Trains of gears."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from msgspec import Struct

from sightline.suites.matrix.generator.canvas import XY, Canvas
from sightline.suites.matrix.generator.reasoning.drawing import Style, draw_table_picture, new_canvas, random_style
from sightline.suites.matrix.generator.reasoning.puzzle import StepsQuestion, Value, round_value
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording

_TEETH = (10, 12, 14, 15, 16, 18, 20, 21, 24, 25, 27, 28, 30, 32, 36)
_TOLD = {
    "en": (
        "The gears in the picture mesh; the number on each is its number of teeth. Gear {first} makes {turns} turns.",
        "Each gear carries its letter and its number of teeth. Gear {first} is turned {turns} times.",
    ),
    "zh": (
        "图中的齿轮互相啮合，每个齿轮上的数字是它的齿数。齿轮{first}转{turns}圈。",
        "每个齿轮上标有字母和齿数。齿轮{first}转动{turns}圈。",
    ),
}
_TABLE = {
    "en": (
        "The first picture shows gears that mesh, the second how many teeth each has. Gear {first} makes {turns} "
        "turns.",
        "Gears are drawn in the first picture; their teeth are listed in the second. Gear {first} is turned {turns} "
        "times.",
    ),
    "zh": (
        "第一幅图画的是互相啮合的齿轮，第二幅图列出各齿轮的齿数。齿轮{first}转{turns}圈。",
        "第一幅图是齿轮，第二幅图给出齿数。齿轮{first}转动{turns}圈。",
    ),
}
_AXLE = {
    "en": ("Two gears joined by a bar sit on the same axle: they turn together, and don't mesh.",),
    "zh": ("用横杆连在一起的两个齿轮装在同一根轴上：它们一起转动，彼此不啮合。",),
}
_SIZE = 2.9
"""Pixels of radius a tooth."""


class Gear(Struct, frozen=True, kw_only=True):
    """A gear; `axle` tells that it sits on the axle of the one before instead of meshing with it."""

    name: str
    teeth: int
    axle: bool = False


def gear_turns(gears: list[Gear], turns: int) -> list[Fraction]:
    """How often each gear turns while the first makes so many turns."""
    found = [Fraction(turns)]
    for before, gear in pairwise(gears):
        found.append(found[-1] if gear.axle else found[-1] * before.teeth / gear.teeth)
    return found


def _random_train(rng: SampleRng, axles: tuple[bool, ...], halves: bool) -> tuple[list[Gear], int, list[Fraction]]:
    """Gears whose turns are whole, or halves where allowed, and not all alike."""
    names = rng.some("ABCDEFGHKMPRT", len(axles))
    while True:
        teeth = [rng.pick(_TEETH) for _ in axles]
        gears = [Gear(name=n, teeth=t, axle=a) for n, t, a in zip(names, teeth, axles, strict=True)]
        turns = rng.whole(3, 40)
        found = gear_turns(gears, turns)
        whole = all((f * (2 if halves else 1)).denominator == 1 for f in found)
        clear = all(a.teeth != b.teeth for a, b in pairwise(gears))
        if whole and clear and found[-1] not in found[:-1]:
            return gears, turns, found


def draw_gear(canvas: Canvas, centre: XY, gear: Gear, radius: float, colour: str) -> None:
    """A wheel with as many teeth as it has."""
    deep = 2.2 * radius / gear.teeth
    points = []
    for k in range(gear.teeth):
        for shift, reach in ((0.0, -deep), (0.3, -deep), (0.4, deep), (0.75, deep), (0.85, -deep)):
            angle = 2 * math.pi * (k + shift) / gear.teeth
            points.append(
                (centre[0] + (radius + reach) * math.cos(angle), centre[1] + (radius + reach) * math.sin(angle))
            )
    canvas.polygon(points, colour, "#333333", 1.2)


def _layout(rng: SampleRng, gears: list[Gear]) -> list[tuple[XY, float]]:
    """Centres and radii from left to right; a gear on the axle of another stands below or above it."""
    places: list[tuple[XY, float]] = [((0.0, 0.0), gears[0].teeth * _SIZE)]
    lean = rng.pick((-1, 1))
    upright = rng.pick((-1, 1))
    for gear in gears[1:]:
        radius, ((x, y), before) = gear.teeth * _SIZE, places[-1]
        away = radius + before + (42 if gear.axle else 3)
        angle = math.radians(upright * 90 if gear.axle else lean * rng.between(3, 14))
        lean = -lean
        places.append(((x + away * math.cos(angle), y + away * math.sin(angle)), radius))
    return places


def _draw_train(rng: SampleRng, gears: list[Gear], written: bool = True) -> bytes:
    style: Style = random_style(rng)
    while True:
        places = _layout(rng, gears)
        apart = (math.dist(a[0], b[0]) > a[1] + b[1] + 14 for k, a in enumerate(places) for b in places[k + 2 :])
        if all(apart):
            break
    left, top = (min(at[axis] - r for at, r in places) - 30 for axis in (0, 1))
    right, bottom = (max(at[axis] + r for at, r in places) + 30 for axis in (0, 1))
    canvas = new_canvas(style, right - left, bottom - top)
    centres = [(x - left, y - top) for (x, y), _ in places]
    for gear, (_, radius), centre, colour in zip(gears, places, centres, style.hues, strict=False):
        draw_gear(canvas, centre, gear, radius, _lighten(colour))
    for number, gear in enumerate(gears):
        if gear.axle:
            canvas.line(centres[number - 1 : number + 1], "#444444", 13.0)
            canvas.line(centres[number - 1 : number + 1], "#9aa3ad", 9.0)
    for gear, (_, radius), (x, y), colour in zip(gears, places, centres, style.hues, strict=False):
        canvas.disc((x, y), min(26.0, 0.8 * radius), _lighten(colour))
        if written:
            canvas.text((x, y - 9), gear.name, style.text_style(18, "#111111"))
            canvas.text((x, y + 10), str(gear.teeth), style.text_style(16, "#111111"))
        else:
            canvas.text((x, y), gear.name, style.text_style(20, "#111111"))
    return canvas.png()


def _lighten(colour: str) -> str:
    """A colour on which black letters can be read."""
    parts = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{(part + 2 * 255) // 3:02x}" for part in parts)


def _make_question(
    gears: list[Gear], found: list[Fraction], instruction: str, language: str, pictures: tuple[bytes, ...]
) -> StepsQuestion:
    step_names = [f"齿轮{gear.name}的圈数" if language == "zh" else f"turns of gear {gear.name}" for gear in gears[1:]]
    values: list[Value] = [round_value(float(value)) for value in found]
    return StepsQuestion(
        instruction=instruction,
        step_names=tuple(step_names[:-1]),
        end=step_names[-1],
        steps=tuple(values[1:-1]),
        final=values[-1],
        pictures=pictures,
        scene={
            "type": "gears",
            "turns": values[0],
            "gears": [[gear.name, gear.teeth, gear.axle] for gear in gears],
        },
    )


def pair(rng: SampleRng, language: str) -> StepsQuestion:
    """Three gears in a row."""
    gears, turns, found = _random_train(rng, (False, False, False), halves=False)
    instruction = fill_wording(rng, _TOLD, language, first=gears[0].name, turns=turns)
    return _make_question(gears, found, instruction, language, (_draw_train(rng, gears),))


def train_and_table(rng: SampleRng, language: str) -> StepsQuestion:
    """The numbers of teeth are in a second picture, with gears that don't take part."""
    gears, turns, found = _random_train(rng, (False, False, False), halves=False)
    others = [(name, rng.pick(_TEETH)) for name in rng.some("JLNQSUVWXYZ", 3)]
    rows = rng.shuffled([*((gear.name, gear.teeth) for gear in gears), *others])
    head = ("齿轮", "齿数") if language == "zh" else ("gear", "teeth")
    listed = draw_table_picture(rng, [head, *((name, str(teeth)) for name, teeth in rows)])
    instruction = fill_wording(rng, _TABLE, language, first=gears[0].name, turns=turns)
    return _make_question(gears, found, instruction, language, (_draw_train(rng, gears, written=False), listed))


def train(rng: SampleRng, language: str) -> StepsQuestion:
    """Six gears, two of them on one axle."""
    axles = rng.pick(((False, False, True, False, False, False), (False, False, False, False, True, False)))
    gears, turns, found = _random_train(rng, axles, halves=True)
    gap = "" if language == "zh" else " "
    instruction = (
        fill_wording(rng, _TOLD, language, first=gears[0].name, turns=turns) + gap + fill_wording(rng, _AXLE, language)
    )
    return _make_question(gears, found, instruction, language, (_draw_train(rng, gears),))
