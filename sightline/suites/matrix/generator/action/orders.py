"""Lists of orders and of stock."""

from __future__ import annotations

from sightline.suites.matrix.generator.diagrams import draw_table_picture
from sightline.suites.matrix.generator.item import Call, Item, offer_tools, tool_call, tool_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import GOODS, fill_wording, load_texts

_TEXTS = load_texts(__name__)

Row = tuple[int, str, str, int]
"""Number, customer, article, pieces."""


def _random_rows(rng: SampleRng, language: str, articles: int) -> list[Row]:
    count = rng.whole(6, 9)
    names = rng.some(_TEXTS["names"][language], count)
    goods = [zh if language == "zh" else en for en, zh in rng.some(GOODS, articles)]
    numbers, pieces = rng.some(range(1000, 9999, 7), count), rng.some(range(2, 60), count)
    return [(number, name, rng.pick(goods), n) for number, name, n in zip(numbers, names, pieces, strict=True)]


def _draw_rows(rng: SampleRng, rows: list[Row], language: str) -> bytes:
    head = ("订单号", "客户", "商品", "件数") if language == "zh" else ("order", "customer", "article", "pieces")
    return draw_table_picture(rng, [head, *(tuple(str(cell) for cell in row) for row in rows)])


def _make_item(
    rng: SampleRng, language: str, instruction: str, calls: list[Call], *pictures: bytes, **facts: object
) -> Item:
    return tool_item(
        rng,
        language,
        instruction=instruction,
        tools=offer_tools(rng, _TEXTS["tools"], calls),
        calls=calls,
        pictures=pictures,
        scene={"type": "orders", **facts},
    )


def single_fact(rng: SampleRng, language: str) -> Item:
    """Make a sample: the order of a customer."""
    rows = _random_rows(rng, language, 5)
    number, name, _, _ = rng.pick(rows)
    instruction = fill_wording(rng, _TEXTS["single_fact"], language, name=name)
    calls = [tool_call("cancel_order", order=number)]
    return _make_item(rng, language, instruction, calls, _draw_rows(rng, rows, language), rows=rows, name=name)


def two_facts(rng: SampleRng, language: str) -> Item:
    """Make a sample: the largest order, and its customer's postcode in a second picture."""
    rows = _random_rows(rng, language, 5)
    codes = dict(zip([row[1] for row in rows], rng.some(range(10000, 99999, 37), len(rows)), strict=True))
    number, name, _, _ = max(rows, key=lambda row: row[3])
    head = ("客户", "邮编") if language == "zh" else ("customer", "postcode")
    card = draw_table_picture(rng, [head, *((who, str(codes[who])) for who in rng.shuffled(list(codes)))])
    orders = _draw_rows(rng, rows, language)
    instruction = fill_wording(rng, _TEXTS["two_facts"], language)
    calls = [tool_call("ship_order", order=number, postcode=codes[name])]
    return _make_item(rng, language, instruction, calls, orders, card, rows=rows, codes=codes)


def text_rule(rng: SampleRng, language: str) -> Item:
    """Make a sample: orders of one article below its minimum."""
    while True:
        rows, least = _random_rows(rng, language, 2), rng.whole(12, 45)
        article = rng.pick(rows)[2]
        small = [row for row in rows if row[3] < least]
        selected = [row for row in small if row[2] == article]
        if 2 <= len(selected) <= 4 and len(selected) < len(small):
            break
    calls = [tool_call("cancel_order", order=row[0]) for row in selected]
    instruction = fill_wording(rng, _TEXTS["text_rule"], language, least=least, article=article)
    picture = _draw_rows(rng, rows, language)
    return _make_item(rng, language, instruction, calls, picture, rows=rows, least=least, article=article)


def aggregate(rng: SampleRng, language: str) -> Item:
    """Make a sample: what is short in stock, and the price of all of it."""
    count, least = rng.whole(6, 8), rng.whole(20, 40)
    full = least + rng.whole(10, 40)
    codes = [f"{rng.pick('ABCDEFGHKM')}-{number}" for number in rng.some(range(100, 999), count)]
    while True:
        stock = rng.some(range(3, 80), count)
        short = [k for k, pieces in enumerate(stock) if pieces < least]
        if 2 <= len(short) <= 4:
            break
    prices = rng.some(range(2, 30), count)
    head = ("商品代码", "库存", "单价") if language == "zh" else ("article", "in stock", "price")
    rows = [(code, str(pieces), str(price)) for code, pieces, price in zip(codes, stock, prices, strict=True)]
    calls = [tool_call("restock", article=codes[k], pieces=full - stock[k]) for k in short]
    calls.append(tool_call("pay", amount=sum((full - stock[k]) * prices[k] for k in short)))
    instruction = fill_wording(rng, _TEXTS["aggregate"], language, least=least, full=full)
    picture = draw_table_picture(rng, [head, *rows])
    return _make_item(rng, language, instruction, calls, picture, stock=rows, least=least, full=full)
