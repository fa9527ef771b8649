"""Several steps, each reported: two from one picture, two pictures, a rule in the text, four steps and more."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sightline.suites.matrix.generator import scenes
from sightline.suites.matrix.generator.canvas import DISTINCT_COLOURS, Canvas, Colour
from sightline.suites.matrix.generator.diagrams import Style, draw_table_picture, new_canvas, random_style
from sightline.suites.matrix.generator.item import Item, Scenes, steps_item
from sightline.suites.matrix.generator.reasoning import circuits, machines, roads, schedules
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.scenes import GLYPH_BY_NAME, Glyph, Placement
from sightline.suites.matrix.generator.wording import GOODS, fill_wording, join_sentences, join_words, load_texts

_TEXTS = load_texts(__name__)

Goods = list[tuple[str, int]]
_WEIGHED_GLYPHS = ("star", "heart", "house", "cup", "fish", "bell", "moon", "flower", "cross", "circle")


def _random_prices(rng: SampleRng, language: str, step: int = 1) -> Goods:
    names = [zh if language == "zh" else en for en, zh in rng.some(GOODS, rng.whole(6, 8))]
    return [(name, step * price) for name, price in zip(names, rng.some(range(3, 40), len(names)), strict=True)]


def _draw_prices(rng: SampleRng, goods: Goods, language: str) -> bytes:
    head = ("商品", "单价") if language == "zh" else (rng.pick(("article", "item")), rng.pick(("price", "price each")))
    return draw_table_picture(rng, [head, *((name, str(price)) for name, price in goods)])


def _purchase_text(rng: SampleRng, bought: Goods, language: str) -> str:
    listed = join_words([f"{n} × {name}" for name, n in bought], language)
    return fill_wording(rng, _TEXTS["bought"], language, what=listed)


def _subtotals(bought: Goods, language: str) -> tuple[str, ...]:
    return tuple(f"{name}的总价" if language == "zh" else f"what all of “{name}” costs" for name, _ in bought)


def _choose_goods(rng: SampleRng, goods: Goods, count: int, numbers: range) -> Goods:
    return [(name, rng.pick(numbers)) for name, _ in rng.some(goods, count)]


def _price_item(
    rng: SampleRng,
    language: str,
    instruction: str,
    goods: Goods,
    bought: Goods,
    *slips: bytes,
    step_names: Sequence[str],
    steps: Sequence[int],
    final: int,
    **facts: int,
) -> Item:
    return steps_item(
        rng,
        language,
        instruction=instruction,
        step_names=step_names,
        end="应付总额" if language == "zh" else "what has to be paid in all",
        steps=steps,
        final=final,
        pictures=(_draw_prices(rng, goods, language), *slips),
        scene={"type": "prices", "prices": dict(goods), "bought": dict(bought), **facts},
    )


def _costs(goods: Goods, bought: Goods) -> list[int]:
    return [dict(goods)[name] * n for name, n in bought]


def two_items(rng: SampleRng, language: str) -> Item:
    """Make a sample: two articles, their costs and the sum."""
    goods = _random_prices(rng, language)
    bought = _choose_goods(rng, goods, 2, range(2, 10))
    costs, names = _costs(goods, bought), _subtotals(bought, language)
    instruction = _purchase_text(rng, bought, language)
    return _price_item(rng, language, instruction, goods, bought, step_names=names, steps=costs, final=sum(costs))


def table_and_slip(rng: SampleRng, language: str) -> Item:
    """Make a sample: the numbers are in a second picture."""
    goods = _random_prices(rng, language)
    bought = _choose_goods(rng, goods, 3, range(2, 13))
    costs = _costs(goods, bought)
    head = ("商品", "数量") if language == "zh" else ("article", "pieces")
    slip = draw_table_picture(rng, [head, *((name, str(n)) for name, n in bought)])
    names = [f"购物单第{k}行的总价" if language == "zh" else f"cost of line {k} of the slip" for k in (1, 2, 3)]
    instruction = fill_wording(rng, _TEXTS["slip"], language)
    return _price_item(rng, language, instruction, goods, bought, slip, step_names=names, steps=costs, final=sum(costs))


def discount(rng: SampleRng, language: str) -> Item:
    """Make a sample: one of two articles is cheaper by a rule in the text."""
    goods = _random_prices(rng, language, 5)
    least, share = rng.whole(5, 8), rng.pick((20, 40))
    many, few = rng.some(goods, 2)
    bought = rng.shuffled([(many[0], rng.whole(least, least + 6)), (few[0], rng.whole(2, least - 1))])
    full = zip(_costs(goods, bought), bought, strict=True)
    costs = [cost * (100 - share) // 100 if n >= least else cost for cost, (_, n) in full]
    purchase = _purchase_text(rng, bought, language)
    rule = fill_wording(rng, _TEXTS["rule"], language, least=least, share=share)
    return _price_item(
        rng,
        language,
        join_sentences(language, purchase, rule),
        goods,
        bought,
        step_names=_subtotals(bought, language),
        steps=costs,
        final=sum(costs),
        least=least,
        share=share,
    )


def basket(rng: SampleRng, language: str) -> Item:
    """Make a sample: three articles, their sum, what is taken off and what is added."""
    goods = _random_prices(rng, language, 10)
    bought = _choose_goods(rng, goods, 3, range(2, 10))
    share, fee = rng.pick((10, 20, 30)), rng.whole(3, 29)
    costs = _costs(goods, bought)
    reduced = sum(costs) * (100 - share) // 100
    more = ("减价前的总和", "减价后的总和") if language == "zh" else ("the sum", "the sum after the reduction")
    purchase = _purchase_text(rng, bought, language)
    delivery = fill_wording(rng, _TEXTS["delivery"], language, share=share, fee=fee)
    return _price_item(
        rng,
        language,
        join_sentences(language, purchase, delivery),
        goods,
        bought,
        step_names=(*_subtotals(bought, language), *more),
        steps=(*costs, sum(costs), reduced),
        final=reduced + fee,
        share=share,
        fee=fee,
    )


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
    things = rng.some([GLYPH_BY_NAME[name] for name in _WEIGHED_GLYPHS], len(weights))
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
            scenes.draw_glyph(
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


def _balance_facts(balances: Sequence[tuple[Sequence[Load], Sequence[Load]]]) -> list[list[list[str | int]]]:
    return [[[x if isinstance(x, int) else x.name("en") for x in side] for side in pair] for pair in balances]


def _weight_names(sorts: Sequence[ObjectKind], language: str) -> list[str]:
    return [f"一个{s.name('zh')}的克数" if language == "zh" else f"grams of one {s.name('en')}" for s in sorts]


def two_balances(rng: SampleRng, language: str) -> Item:
    """Make a sample: some of one sort against a weight, then the other sort against both."""
    first, more = rng.whole(3, 25), rng.whole(2, 30)
    count, again = rng.whole(2, 4), rng.whole(1, 3)
    a, b = _random_kinds(rng, (first, again * first + more))
    balances = [_either(rng, [a] * count, [count * first]), _either(rng, [b], [*[a] * again, more])]
    step_names = _weight_names((a, b), language)
    return steps_item(
        rng,
        language,
        instruction=fill_wording(rng, _TEXTS["balances"], language),
        step_names=(step_names[0],),
        end=step_names[1],
        steps=(a.weight,),
        final=b.weight,
        pictures=(_draw_balances(rng, balances),),
        scene={"type": "scales", "balances": _balance_facts(balances), "sorts": [a.name("en"), b.name("en")]},
    )


def known_weight(rng: SampleRng, language: str) -> Item:
    """Make a sample: three sorts; the weight of one is in the text, and the final answer is a sum of all."""
    while True:
        known, more, less = rng.whole(3, 20), rng.whole(1, 3), rng.whole(2, 3)
        second = known * more + (extra := rng.whole(2, 25))
        third, rest = divmod(second + known * rng.whole(0, 1) * 2, less)
        if not rest and third > 0 and len({known, second, third}) == 3:
            break
    a, b, c = _random_kinds(rng, (known, second, third))
    added = (third * less - second) // known
    balances = [_either(rng, [b], [*[a] * more, extra]), _either(rng, [c] * less, [b, *[a] * added])]
    step_names = _weight_names((b, c), language)
    numbers = [rng.whole(1, 4) for _ in range(3)]
    zh = language == "zh"
    parts = [f"{n}个{s.name('zh')}" if zh else f"{n} × {s.name('en')}" for n, s in zip(numbers, (a, b, c), strict=True)]
    return steps_item(
        rng,
        language,
        instruction=fill_wording(rng, _TEXTS["known_weight"], language, name=a.name(language), weight=known),
        step_names=tuple(step_names),
        end="、".join(parts) + "一共的克数" if zh else "the grams of " + ", ".join(parts) + " together",
        steps=(second, third),
        final=sum(n * s.weight for n, s in zip(numbers, (a, b, c), strict=True)),
        pictures=(_draw_balances(rng, balances),),
        scene={
            "type": "scales",
            "balances": _balance_facts(balances),
            "known": known,
            "sorts": [s.name("en") for s in (a, b, c)],
            "numbers": numbers,
        },
    )


SCENES: Scenes = {
    "l1": (two_items, machines.three_gears, roads.two_roads, two_balances),
    "l2": (table_and_slip, roads.map_and_table, schedules.bars_and_rates, machines.gears_and_table),
    "l3": (discount, roads.speeds, machines.shares_in_text, known_weight),
    "l4": (
        basket,
        machines.six_gears,
        roads.shortest_routes,
        machines.shares_in_picture,
        circuits.resistor_chain,
        schedules.finish_days,
    ),
}


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return rng.balanced_choice("scene", SCENES[level])(rng, language)
