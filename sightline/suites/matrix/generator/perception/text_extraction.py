"""What is written: one line, two lines, a named field, several fields in an asked order."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.palette import DISTINCT_COLOURS
from sightline.suites.matrix.generator.perception.documents import (
    SIGN_KINDS,
    Form,
    TableDocument,
    draw_form,
    draw_labels,
    draw_sign,
    draw_table,
    photograph,
    random_form,
    random_table,
)
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, join_words, random_line

_ONE = {
    "en": (
        "What is written here? Answer with the text only.",
        "Copy the text in the picture exactly, and nothing else.",
        "Read the line of text. Reply with it alone.",
    ),
    "zh": ("图中写的是什么？只回答文字本身。", "请原样抄写图中的文字，不要写别的。", "请读出这行文字，只回复该文字。"),
}
_TWO_PICTURES = {
    "en": (
        "Write the text of the first picture and, after a space, that of the second one.",
        "Each picture shows one line of text. Copy both in the order of the pictures, with a space between.",
    ),
    "zh": (
        "写出第一幅图中的文字，空一格后写出第二幅图中的文字。",
        "每幅图有一行文字。按图的顺序抄写两行，中间空一格。",
    ),
}
_COLOURED = {
    "en": (
        "Copy the text on {first}, then, after a space, the text on {second}.",
        "What is written on {first} and on {second}? Answer with both texts in this order, a space between.",
    ),
    "zh": (
        "先抄写{first}上的文字，空一格后再抄写{second}上的文字。",
        "{first}和{second}上各写着什么？按此顺序回答两段文字，中间空一格。",
    ),
}
_LABEL = {"en": "the {colour} label", "zh": "{colour}标签"}
_PLACED = {
    "en": (
        "Copy the text at the {first}, then, after a space, the text at the {second}.",
        "Read the label at the {first} and the one at the {second}. Answer with both in this order, a space between.",
    ),
    "zh": (
        "先抄写{first}的文字，空一格后再抄写{second}的文字。",
        "读出{first}的标签和{second}的标签，按此顺序回答，中间空一格。",
    ),
}
_PLACES = {
    "en": ("upper left", "upper right", "lower left", "lower right"),
    "zh": ("左上方", "右上方", "左下方", "右下方"),
}
_FIELD = {
    "en": (
        'What does the field "{field}" say? Answer with its content only.',
        'Copy the entry under "{field}".',
        'Someone needs the "{field}" from this paper. Reply with it alone.',
    ),
    "zh": (
        "“{field}”一栏写的是什么？只回答其内容。",
        "请抄写“{field}”的内容。",
        "有人需要这张纸上的“{field}”，只回复该内容。",
    ),
}
_LEDGER = {
    "en": (
        'Find the row whose "{known}" is {value}. What is its "{wanted}"? Answer with the entry only.',
        'In the row with {value} under "{known}", what stands under "{wanted}"? Reply with it alone.',
    ),
    "zh": (
        "找到“{known}”为 {value} 的一行，其“{wanted}”是什么？只回答该内容。",
        "在“{known}”为 {value} 的那一行里，“{wanted}”写的是什么？只回复该内容。",
    ),
}
_FIELDS = {
    "en": (
        'Copy these entries in this order, with "{join}" between them: {fields}.',
        'Write in one line, separated by "{join}": {fields}.',
    ),
    "zh": ("按以下顺序抄写各栏内容，中间用“{join}”连接：{fields}。", "在一行内依次写出，用“{join}”隔开：{fields}。"),
}
_LEDGER_FIELDS = {
    "en": (
        'Find the row with the {which} "{amount}". Write its "{first}", its "{second}", and then the "{first}" of the '
        'row directly {beside} it, with "{join}" between them.',
        'Which row has the {which} "{amount}"? Give three entries separated by "{join}": the "{first}" and the '
        '"{second}" of that row, then the "{first}" of the row directly {beside} it.',
    ),
    "zh": (
        "找到“{amount}”{which}的一行，写出它的“{first}”、它的“{second}”，再写出紧邻{beside}一行的“{first}”，"
        "中间用“{join}”隔开。",
        "哪一行的“{amount}”{which}？依次给出三项，用“{join}”隔开：该行的“{first}”、该行的“{second}”、"
        "紧邻{beside}一行的“{first}”。",
    ),
}
_ROW_STEPS = {
    "en": {"largest": "largest", "smallest": "smallest", "below": "below", "above": "above"},
    "zh": {"largest": "最大", "smallest": "最小", "below": "下面", "above": "上面"},
}


_JOINS = (" / ", "; ")


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return {"l1": _single_line, "l2": _two_lines, "l3": _named_field, "l4": _several_fields}[level](rng, language)


def _make_item(question: str, text: str, *pictures: bytes) -> Item:
    return Item(question=question, ground_truth=text, metric="anls", pictures=pictures, metadata={"auxiliary": ["cer"]})


def _single_line(rng: SampleRng, language: str) -> Item:
    kind = rng.balanced_choice("board", SIGN_KINDS)
    text = random_line(rng, language)
    return _make_item(fill_wording(rng, _ONE, language), text, photograph(rng, draw_sign(rng, kind, text), 1.0))


def _two_lines(rng: SampleRng, language: str) -> Item:
    way = rng.balanced_choice("way", ("pictures", "colours", "places"))
    if way == "pictures":
        texts = [random_line(rng, language) for _ in range(2)]
        pictures = [photograph(rng, draw_sign(rng, rng.pick(SIGN_KINDS), text), 1.3) for text in texts]
        return _make_item(fill_wording(rng, _TWO_PICTURES, language), " ".join(texts), *pictures)
    colours = rng.some(DISTINCT_COLOURS, 4)
    texts = [random_line(rng, language) for _ in colours]
    picture = photograph(rng, draw_labels(rng, texts, colours), 0.8)
    first, second = rng.some(range(4), 2)
    if way == "colours":
        names = [
            _LABEL[language].format(colour=colours[k].zh if language == "zh" else colours[k].name)
            for k in (first, second)
        ]
        question = fill_wording(rng, _COLOURED, language, first=names[0], second=names[1])
    else:
        question = fill_wording(
            rng, _PLACED, language, first=_PLACES[language][first], second=_PLACES[language][second]
        )
    return _make_item(question, f"{texts[first]} {texts[second]}", picture)


def _named_field(rng: SampleRng, language: str) -> Item:
    if rng.balanced_choice("paper", ("form", "form", "ledger")) == "ledger":
        ledger = random_table(rng, language)
        row = rng.whole(0, len(ledger.rows) - 1)
        known, wanted = rng.some(range(len(ledger.heads)), 2)
        question = fill_wording(
            rng,
            _LEDGER,
            language,
            known=ledger.heads[known],
            value=ledger.rows[row][known],
            wanted=ledger.heads[wanted],
        )
        return _make_item(question, ledger.rows[row][wanted], photograph(rng, draw_table(rng, ledger), 0.8))
    form = random_form(rng, language)
    wanted_field, value = rng.pick(list(form.fields.items()))
    question = fill_wording(rng, _FIELD, language, field=wanted_field)
    return _make_item(question, value, photograph(rng, draw_form(rng, form), 0.8))


def _several_fields(rng: SampleRng, language: str) -> Item:
    join = rng.pick(_JOINS)
    if rng.balanced_choice("paper", ("form", "ledger")) == "form":
        return _form_fields(rng, language, random_form(rng, language), join)
    return _table_fields(rng, language, random_table(rng, language), join)


def _form_fields(rng: SampleRng, language: str, form: Form, join: str) -> Item:
    names = rng.some(list(form.fields), rng.whole(3, 4))
    order = _quoted(names, language)
    question = fill_wording(rng, _FIELDS, language, fields=order, join=join)
    text = join.join(form.fields[field] for field in names)
    return _make_item(question, text, photograph(rng, draw_form(rng, form), 1.0))


def _table_fields(rng: SampleRng, language: str, ledger: TableDocument, join: str) -> Item:
    """The row with the largest or smallest amount, then another one beside it."""
    largest = rng.chance()
    amounts = ledger.amounts
    row = amounts.index(max(amounts) if largest else min(amounts))
    step = 1 if row == 0 else -1 if row == len(amounts) - 1 else rng.pick((1, -1))
    heads = rng.some(ledger.heads, 2)
    words = _ROW_STEPS[language]
    question = fill_wording(
        rng,
        _LEDGER_FIELDS,
        language,
        which=words["largest" if largest else "smallest"],
        amount=ledger.amount_head,
        first=heads[0],
        second=heads[1],
        beside=words["below" if step > 0 else "above"],
        join=join,
    )
    cells = (row, heads[0]), (row, heads[1]), (row + step, heads[0])
    text = join.join(ledger.rows[at][ledger.heads.index(head)] for at, head in cells)
    return _make_item(question, text, photograph(rng, draw_table(rng, ledger), 0.8))


def _quoted(names: Sequence[str], language: str) -> str:
    marks = "“{}”" if language == "zh" else '"{}"'
    then = "，然后" if language == "zh" else " and then "
    return join_words([marks.format(field) for field in names], language, then)
