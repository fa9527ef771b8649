"""Balances: what things weigh, one by way of the other."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sightline.suites.matrix.generator import glyphs
from sightline.suites.matrix.generator.canvas import Canvas
from sightline.suites.matrix.generator.glyphs import BY_NAME, Glyph, Placement
from sightline.suites.matrix.generator.palette import DISTINCT_COLOURS, Colour
from sightline.suites.matrix.generator.reasoning.drawing import Style, new_canvas, random_style
from sightline.suites.matrix.generator.reasoning.puzzle import StepsQuestion
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording

_THINGS = ("star", "heart", "house", "cup", "fish", "bell", "moon", "flower", "cross", "circle")
_TOLD = {
    "en": (
        "Both balances in the picture are level. Gray blocks carry their weight in grams.",
        "In each of the balances the two sides weigh the same; the numbers on the gray weights are grams.",
    ),
    "zh": ("图中的天平都是平衡的。灰色砝码上标有克数。", "每架天平两边一样重；灰色砝码上的数字是克数。"),
}
_KNOWN = {
    "en": ("One {name} weighs {weight} g. All balances in the picture are level.",),
    "zh": ("一个{name}重{weight}克。图中的天平都是平衡的。",),
}


class ObjectKind(Struct, frozen=True, kw_only=True):
    """Things of one sort."""

    thing: Glyph
    colour: Colour
    weight: int

    def name(self, language: str) -> str:
        """Such as "red star"."""
        if language == "zh":
            return self.colour.zh + self.thing.zh
        return f"{self.colour.name} {self.thing.name}"


Load = ObjectKind | int
"""A thing, or a weight in grams."""


def _random_kinds(rng: SampleRng, weights: Sequence[int]) -> list[ObjectKind]:
    things = rng.some([BY_NAME[name] for name in _THINGS], len(weights))
    colours = rng.some([colour for colour in DISTINCT_COLOURS if colour.name != "black"], len(weights))
    return [ObjectKind(thing=t, colour=c, weight=w) for t, c, w in zip(things, colours, weights, strict=True)]


def _draw_pan(canvas: Canvas, style: Style, middle: float, floor: float, loads: Sequence[Load]) -> None:
    """Loads side by side, at most four in a row, upon a pan."""
    canvas.line([(middle - 105, floor), (middle + 105, floor)], style.dark, 5.0)
    for k, load in enumerate(loads):
        row, place = divmod(k, 4)
        many = min(4, len(loads) - 4 * row)
        x, y = middle + 50 * (place - (many - 1) / 2), floor - 26 - 48 * row
        if isinstance(load, int):
            canvas.polygon(
                [(x - 18, y - 16), (x + 18, y - 16), (x + 23, y + 22), (x - 23, y + 22)], "#b9bec6", "#555555"
            )
            canvas.text((x, y + 4), str(load), style.text_style(16, "#111111"))
        else:
            glyphs.draw_glyph(
                canvas, load.thing, Placement(x=x, y=y, radius=20, colour=load.colour.shades[0]), style.paper
            )


def _draw_balances(rng: SampleRng, balances: Sequence[tuple[Sequence[Load], Sequence[Load]]]) -> bytes:
    style = random_style(rng)
    height = 215.0
    canvas = new_canvas(style, 580, height * len(balances) + 20)
    for k, (left, right) in enumerate(balances):
        floor = height * k + 150
        canvas.line([(150, floor + 28), (430, floor + 28)], style.dark, 6.0)
        for x in (150, 430):
            canvas.line([(x, floor), (x, floor + 28)], style.dark, 4.0)
        canvas.polygon([(290, floor + 26), (262, floor + 62), (318, floor + 62)], style.hues[0], style.dark)
        _draw_pan(canvas, style, 150, floor, left)
        _draw_pan(canvas, style, 430, floor, right)
    return canvas.png()


def _either(rng: SampleRng, a: Sequence[Load], b: Sequence[Load]) -> tuple[Sequence[Load], Sequence[Load]]:
    return (a, b) if rng.chance() else (b, a)


def _facts(balances: Sequence[tuple[Sequence[Load], Sequence[Load]]]) -> list[list[list[str | int]]]:
    return [[[x if isinstance(x, int) else x.name("en") for x in side] for side in pair] for pair in balances]


def _asked(sorts: Sequence[ObjectKind], language: str) -> list[str]:
    return [f"一个{s.name('zh')}的克数" if language == "zh" else f"grams of one {s.name('en')}" for s in sorts]


def two_balances(rng: SampleRng, language: str) -> StepsQuestion:
    """Some of one sort against a weight, then the other sort against both."""
    first, more = rng.whole(3, 25), rng.whole(2, 30)
    count, again = rng.whole(2, 4), rng.whole(1, 3)
    a, b = _random_kinds(rng, (first, again * first + more))
    balances = [
        _either(rng, [a] * count, [count * first]),
        _either(rng, [b], [*[a] * again, more]),
    ]
    step_names = _asked((a, b), language)
    return StepsQuestion(
        instruction=fill_wording(rng, _TOLD, language),
        step_names=(step_names[0],),
        end=step_names[1],
        steps=(a.weight,),
        final=b.weight,
        pictures=(_draw_balances(rng, balances),),
        scene={"type": "scales", "balances": _facts(balances), "sorts": [a.name("en"), b.name("en")]},
    )


def told_weight(rng: SampleRng, language: str) -> StepsQuestion:
    """Three sorts; the weight of one is in the text, and the final answer is a sum of all."""
    while True:
        known, more, less = rng.whole(3, 20), rng.whole(1, 3), rng.whole(2, 3)
        second = known * more + (extra := rng.whole(2, 25))
        third, rest = divmod(second + known * rng.whole(0, 1) * 2, less)
        if not rest and third > 0 and len({known, second, third}) == 3:
            break
    a, b, c = _random_kinds(rng, (known, second, third))
    added = (third * less - second) // known
    balances = [
        _either(rng, [b], [*[a] * more, extra]),
        _either(rng, [c] * less, [b, *[a] * added]),
    ]
    step_names = _asked((b, c), language)
    numbers = [rng.whole(1, 4) for _ in range(3)]
    zh = language == "zh"
    parts = [f"{n}个{s.name('zh')}" if zh else f"{n} × {s.name('en')}" for n, s in zip(numbers, (a, b, c), strict=True)]
    return StepsQuestion(
        instruction=fill_wording(rng, _KNOWN, language, name=a.name(language), weight=known),
        step_names=tuple(step_names),
        end="、".join(parts) + "一共的克数" if zh else "the grams of " + ", ".join(parts) + " together",
        steps=(second, third),
        final=sum(n * s.weight for n, s in zip(numbers, (a, b, c), strict=True)),
        pictures=(_draw_balances(rng, balances),),
        scene={
            "type": "scales",
            "balances": _facts(balances),
            "known": known,
            "sorts": [s.name("en") for s in (a, b, c)],
            "numbers": numbers,
        },
    )
