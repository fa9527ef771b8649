"""Lists of orders and of stock."""

from __future__ import annotations

from sightline.suites.matrix.generator.diagrams import draw_table_picture
from sightline.suites.matrix.generator.item import Call, Tool, ToolTask
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import GOODS, fill_wording, load_texts

_TEXTS = load_texts(__name__)

_NUMBER = ("integer", "number of the order", "订单号")
CANCEL = Tool("cancel_order", ("Cancels an order.", "取消一个订单。"), {"order": _NUMBER})
SHIP = Tool(
    "ship_order",
    ("Ships an order to a postcode.", "把订单寄往某个邮编。"),
    {"order": _NUMBER, "postcode": ("integer", "postcode of the customer", "客户的邮编")},
)
RESTOCK = Tool(
    "restock",
    ("Orders more pieces of an article.", "补充某种商品。"),
    {"article": ("string", "code of the article", "商品代码"), "pieces": ("integer", "how many pieces", "件数")},
)
PAY = Tool("pay", ("Pays an amount.", "支付一笔金额。"), {"amount": ("integer", "the amount", "金额")})
REFUND = Tool("refund_order", ("Pays an order back.", "退还订单款项。"), {"order": _NUMBER})
PRINT = Tool("print_label", ("Prints the label of an order.", "打印订单标签。"), {"order": _NUMBER})
_NAMES = [
    "Adler",
    "Brandt",
    "Costa",
    "Dumas",
    "Eriksen",
    "Fuchs",
    "Greco",
    "Haas",
    "Ivanov",
    "Jansen",
    "Keller",
    "Lopez",
]
_ZH_NAMES = ["王芳", "李强", "张敏", "刘洋", "陈静", "杨帆", "赵磊", "黄丽", "周涛", "吴琼", "徐明", "孙悦"]

Row = tuple[int, str, str, int]
"""Number, customer, article, pieces."""


def _random_rows(rng: SampleRng, language: str, articles: int) -> list[Row]:
    count = rng.whole(6, 9)
    names = rng.some(_ZH_NAMES if language == "zh" else _NAMES, count)
    goods = [zh if language == "zh" else en for en, zh in rng.some(GOODS, articles)]
    numbers, pieces = rng.some(range(1000, 9999, 7), count), rng.some(range(2, 60), count)
    return [(number, name, rng.pick(goods), n) for number, name, n in zip(numbers, names, pieces, strict=True)]


def _draw_rows(rng: SampleRng, rows: list[Row], language: str) -> bytes:
    head = ("订单号", "客户", "商品", "件数") if language == "zh" else ("order", "customer", "article", "pieces")
    return draw_table_picture(rng, [head, *(tuple(str(cell) for cell in row) for row in rows)])


def _make_task(
    rng: SampleRng,
    instruction: str,
    tools: tuple[Tool, ...],
    calls: list[Call],
    pictures: tuple[bytes, ...],
    facts: dict[str, object],
) -> ToolTask:
    others = [tool for tool in (CANCEL, SHIP, RESTOCK, PAY, REFUND, PRINT) if tool not in tools]
    return ToolTask(
        instruction=instruction,
        tools=(*tools, *rng.some(others, 2)),
        calls=calls,
        pictures=pictures,
        scene={"type": "orders", **facts},
    )


def single_fact(rng: SampleRng, language: str) -> ToolTask:
    """The order of a customer."""
    rows = _random_rows(rng, language, 5)
    number, name, _, _ = rng.pick(rows)
    calls = [CANCEL.call(order=number)]
    instruction = fill_wording(rng, _TEXTS["single_fact"], language, name=name)
    return _make_task(
        rng, instruction, (CANCEL,), calls, (_draw_rows(rng, rows, language),), {"rows": rows, "name": name}
    )


def two_facts(rng: SampleRng, language: str) -> ToolTask:
    """The largest order, and its customer's postcode in a second picture."""
    rows = _random_rows(rng, language, 5)
    codes = dict(zip([row[1] for row in rows], rng.some(range(10000, 99999, 37), len(rows)), strict=True))
    number, name, _, _ = max(rows, key=lambda row: row[3])
    head = ("客户", "邮编") if language == "zh" else ("customer", "postcode")
    card = draw_table_picture(rng, [head, *((who, str(codes[who])) for who in rng.shuffled(list(codes)))])
    calls = [SHIP.call(order=number, postcode=codes[name])]
    pictures = (_draw_rows(rng, rows, language), card)
    return _make_task(
        rng, fill_wording(rng, _TEXTS["two_facts"], language), (SHIP,), calls, pictures, {"rows": rows, "codes": codes}
    )


def text_rule(rng: SampleRng, language: str) -> ToolTask:
    """Orders of one article below its minimum."""
    while True:
        rows, least = _random_rows(rng, language, 2), rng.whole(12, 45)
        article = rng.pick(rows)[2]
        small = [row for row in rows if row[3] < least]
        selected = [row for row in small if row[2] == article]
        if 2 <= len(selected) <= 4 and len(selected) < len(small):
            break
    calls = [CANCEL.call(order=row[0]) for row in selected]
    instruction = fill_wording(rng, _TEXTS["text_rule"], language, least=least, article=article)
    facts: dict[str, object] = {"rows": rows, "least": least, "article": article}
    return _make_task(rng, instruction, (CANCEL,), calls, (_draw_rows(rng, rows, language),), facts)


def aggregate(rng: SampleRng, language: str) -> ToolTask:
    """What is short in stock, and the price of all of it."""
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
    calls = [RESTOCK.call(article=codes[k], pieces=full - stock[k]) for k in short]
    calls.append(PAY.call(amount=sum((full - stock[k]) * prices[k] for k in short)))
    instruction = fill_wording(rng, _TEXTS["aggregate"], language, least=least, full=full)
    facts: dict[str, object] = {"stock": rows, "least": least, "full": full}
    return _make_task(rng, instruction, (RESTOCK, PAY), calls, (draw_table_picture(rng, [head, *rows]),), facts)
