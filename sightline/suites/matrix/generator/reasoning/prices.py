"""Price lists and purchases."""

from __future__ import annotations

from sightline.suites.matrix.generator.reasoning.drawing import draw_table_picture
from sightline.suites.matrix.generator.reasoning.puzzle import StepsQuestion
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, join_words

GOODS = (
    ("apple", "苹果"),
    ("notebook", "笔记本"),
    ("pencil", "铅笔"),
    ("lamp", "台灯"),
    ("mug", "马克杯"),
    ("towel", "毛巾"),
    ("candle", "蜡烛"),
    ("ball", "皮球"),
    ("melon", "西瓜"),
    ("cable", "电线"),
    ("brush", "刷子"),
    ("basket", "篮子"),
)
Goods = list[tuple[str, int]]
_BOUGHT = {
    "en": (
        "The picture is a price list. Somebody buys {what}.",
        "A customer takes {what}; the prices are in the picture.",
        "Look up the prices in the list. The purchase: {what}.",
    ),
    "zh": (
        "图中是一张价目表。有人买了{what}。",
        "一位顾客买了{what}，价格见图。",
        "请查看图中的价格。购买清单：{what}。",
    ),
}
_SLIP = {
    "en": (
        "The first picture is a price list, the second a shopping slip.",
        "Prices are in the first picture, the wanted numbers in the second.",
    ),
    "zh": ("第一幅图是价目表，第二幅图是购物单。", "价格在第一幅图中，购买数量在第二幅图中。"),
}
_RULE = {
    "en": (
        "Whoever takes at least {least} pieces of one article pays {share} % less for these pieces.",
        "Rule of the shop: from {least} pieces of the same article on, all of them cost {share} % less.",
    ),
    "zh": (
        "同一种商品买满{least}件，这些商品的价格减少{share}%。",
        "商店规定：同一商品达到{least}件时，该商品全部便宜{share}%。",
    ),
}
_DELIVERY = {
    "en": ("{share} % is taken off the sum, and then {fee} is added for delivery.",),
    "zh": ("先在总和上减去{share}%，再加上{fee}的送货费。",),
}


def _random_prices(rng: SampleRng, language: str, step: int = 1) -> Goods:
    names = [zh if language == "zh" else en for en, zh in rng.some(GOODS, rng.whole(6, 8))]
    return [(name, step * price) for name, price in zip(names, rng.some(range(3, 40), len(names)), strict=True)]


def _draw_prices(rng: SampleRng, goods: Goods, language: str) -> bytes:
    head = ("商品", "单价") if language == "zh" else (rng.pick(("article", "item")), rng.pick(("price", "price each")))
    return draw_table_picture(rng, [head, *((name, str(price)) for name, price in goods)])


def _words(bought: Goods, language: str) -> str:
    return join_words([f"{n} × {name}" for name, n in bought], language)


def _subtotals(bought: Goods, language: str) -> tuple[str, ...]:
    return tuple(f"{name}的总价" if language == "zh" else f"what all of “{name}” costs" for name, _ in bought)


def _choose_goods(rng: SampleRng, goods: Goods, count: int, numbers: range) -> Goods:
    return [(name, rng.pick(numbers)) for name, _ in rng.some(goods, count)]


def _scene(goods: Goods, bought: Goods, **more: int) -> dict[str, object]:
    return {"type": "prices", "prices": dict(goods), "bought": dict(bought), **more}


def _end(language: str) -> str:
    return "应付总额" if language == "zh" else "what has to be paid in all"


def two_items(rng: SampleRng, language: str) -> StepsQuestion:
    """Two articles, their costs and the sum."""
    goods = _random_prices(rng, language)
    bought = _choose_goods(rng, goods, 2, range(2, 10))
    costs = tuple(dict(goods)[name] * n for name, n in bought)
    return StepsQuestion(
        instruction=fill_wording(rng, _BOUGHT, language, what=_words(bought, language)),
        step_names=_subtotals(bought, language),
        end=_end(language),
        steps=costs,
        final=sum(costs),
        pictures=(_draw_prices(rng, goods, language),),
        scene=_scene(goods, bought),
    )


def table_and_slip(rng: SampleRng, language: str) -> StepsQuestion:
    """The numbers are in a second picture."""
    goods = _random_prices(rng, language)
    bought = _choose_goods(rng, goods, 3, range(2, 13))
    costs = tuple(dict(goods)[name] * n for name, n in bought)
    head = ("商品", "数量") if language == "zh" else ("article", "pieces")
    slip = draw_table_picture(rng, [head, *((name, str(n)) for name, n in bought)])
    return StepsQuestion(
        instruction=fill_wording(rng, _SLIP, language),
        step_names=tuple(
            f"购物单第{k}行的总价" if language == "zh" else f"cost of line {k} of the slip" for k in (1, 2, 3)
        ),
        end=_end(language),
        steps=costs,
        final=sum(costs),
        pictures=(_draw_prices(rng, goods, language), slip),
        scene=_scene(goods, bought),
    )


def discount(rng: SampleRng, language: str) -> StepsQuestion:
    """One of two articles is cheaper by a rule in the text."""
    goods = _random_prices(rng, language, 5)
    least, share = rng.whole(5, 8), rng.pick((20, 40))
    many, few = rng.some(goods, 2)
    bought = rng.shuffled([(many[0], rng.whole(least, least + 6)), (few[0], rng.whole(2, least - 1))])
    prices = dict(goods)
    costs = tuple(prices[name] * n * (100 - share) // 100 if n >= least else prices[name] * n for name, n in bought)
    instruction = fill_wording(rng, _BOUGHT, language, what=_words(bought, language))
    gap = "" if language == "zh" else " "
    return StepsQuestion(
        instruction=instruction + gap + fill_wording(rng, _RULE, language, least=least, share=share),
        step_names=_subtotals(bought, language),
        end=_end(language),
        steps=costs,
        final=sum(costs),
        pictures=(_draw_prices(rng, goods, language),),
        scene=_scene(goods, bought, least=least, share=share),
    )


def basket(rng: SampleRng, language: str) -> StepsQuestion:
    """Three articles, their sum, what is taken off and what is added."""
    goods = _random_prices(rng, language, 10)
    bought = _choose_goods(rng, goods, 3, range(2, 10))
    share, fee = rng.pick((10, 20, 30)), rng.whole(3, 29)
    costs = tuple(dict(goods)[name] * n for name, n in bought)
    total = sum(costs)
    reduced = total * (100 - share) // 100
    gap = "" if language == "zh" else " "
    more = ("减价前的总和", "减价后的总和") if language == "zh" else ("the sum", "the sum after the reduction")
    return StepsQuestion(
        instruction=fill_wording(rng, _BOUGHT, language, what=_words(bought, language))
        + gap
        + fill_wording(rng, _DELIVERY, language, share=share, fee=fee),
        step_names=(*_subtotals(bought, language), *more),
        end=_end(language),
        steps=(*costs, total, reduced),
        final=reduced + fee,
        pictures=(_draw_prices(rng, goods, language),),
        scene=_scene(goods, bought, share=share, fee=fee),
    )
