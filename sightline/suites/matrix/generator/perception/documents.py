"""Documents with many entries: forms, type plates and tables."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.matrix.generator.canvas import Canvas, TextStyle
from sightline.suites.matrix.generator.palette import BACKGROUNDS
from sightline.suites.matrix.generator.perception.text_words import AMOUNT, FORM_FIELDS, LEDGER_HEADS, TITLES
from sightline.suites.matrix.generator.random_text import random_code, random_name, random_word
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.typefaces import FACES, text_width


class Form(Struct, frozen=True, kw_only=True):
    """A page with named entries."""

    title: str
    fields: dict[str, str]


class TableDocument(Struct, frozen=True, kw_only=True):
    """A page with rows of entries."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    amount_head: str
    amounts: tuple[float, ...]


def _random_entry(rng: SampleRng, sort: str, language: str) -> str:
    match sort:
        case "name":
            return random_name(rng, language)
        case "code":
            return random_code(rng)
        case "word":
            return random_word(rng, language) + ("" if language == "zh" else f" {rng.whole(11, 98)}")
    return random_word(rng, language) + ("" if language == "zh" else " ") + random_word(rng, language)


def random_form(rng: SampleRng, language: str) -> Form:
    """Seven to ten entries."""
    sorts = FORM_FIELDS[language]
    fields = rng.some(list(sorts), rng.whole(7, 10))
    return Form(
        title=rng.pick(TITLES[language]), fields={field: _random_entry(rng, sorts[field], language) for field in fields}
    )


def random_table(rng: SampleRng, language: str) -> TableDocument:
    """Five to seven rows, no two amounts alike."""
    heads = rng.some(LEDGER_HEADS[language], 3)
    count = rng.whole(5, 7)
    amounts = rng.some(range(1150, 98000, 7), count)
    return TableDocument(
        heads=tuple(head for head, _ in heads),
        rows=tuple(tuple(_random_entry(rng, sort, language) for _, sort in heads) for _ in range(count)),
        amount_head=AMOUNT[language],
        amounts=tuple(amount / 100 for amount in amounts),
    )


def draw_form(rng: SampleRng, form: Form) -> Canvas:
    """The form in one of three layouts."""
    return rng.balanced_choice("layout", (_boxed, _ruled, _plate))(rng, form)


def _boxed(rng: SampleRng, form: Form) -> Canvas:
    """Two columns of boxes with small captions."""
    face, size = rng.pick(FACES), rng.whole(15, 18)
    rows = -(-len(form.fields) // 2)
    canvas = Canvas(640, 76 + rows * 62, rng.pick(BACKGROUNDS))
    canvas.text((20, 32), form.title, TextStyle(size=22, face="bold", anchor="lm"))
    for k, (field, value) in enumerate(form.fields.items()):
        left, top = 18 + (k % 2) * 306, 60 + (k // 2) * 62
        canvas.rectangle((left, top, left + 298, top + 56), None, "#777777", 1.2)
        canvas.text((left + 8, top + 13), field, TextStyle(size=12, colour="#555555", anchor="lm"))
        canvas.text((left + 10, top + 38), value, TextStyle(size=size, face=face, anchor="lm"))
    return canvas


def _ruled(rng: SampleRng, form: Form) -> Canvas:
    """One column, entries on lines, as on a slip."""
    face, size = rng.pick(FACES), rng.whole(14, 17)
    canvas = Canvas(430, 90 + len(form.fields) * 36, rng.pick(BACKGROUNDS))
    canvas.text((215, 32), form.title, TextStyle(size=20, face=face))
    canvas.line([(16, 54), (414, 54)], "#444444", 1.5, (6.0, 4.0))
    for k, (field, value) in enumerate(form.fields.items()):
        y = 80 + k * 36
        canvas.text((18, y), field + ":", TextStyle(size=14, colour="#444444", anchor="lm"))
        canvas.text((408, y), value, TextStyle(size=size, face=face, anchor="rm"))
        canvas.line([(16, y + 15), (414, y + 15)], "#bbbbbb", 1)
    return canvas


def _plate(rng: SampleRng, form: Form) -> Canvas:
    """A type plate of metal."""
    ground = rng.pick(("#b9bec2", "#c4b78c", "#2f3439"))
    ink = "#f0f0ea" if ground == "#2f3439" else "#25292c"
    rows = -(-len(form.fields) // 2)
    canvas = Canvas(680, 110 + rows * 40, "#8d9499")
    right, bottom = canvas.width - 14, canvas.height - 14
    canvas.rounded((14, 14, right, bottom), 10, ground, ink, 2)
    for x in (28, right - 14):
        for y in (28, bottom - 14):
            canvas.disc((x, y), 6, "#dfe2e4", "#5c6266", 1.5)
    canvas.text((340, 40), form.title, TextStyle(size=20, colour=ink, face="bold"))
    for k, (field, value) in enumerate(form.fields.items()):
        x, y = 34 + (k % 2) * 312, 84 + (k // 2) * 40
        canvas.text((x, y), field, TextStyle(size=13, colour=ink, anchor="lm"))
        canvas.text(
            (x + 104, y), value, TextStyle(size=_fitting_size(value, "mono", 196), colour=ink, face="mono", anchor="lm")
        )
        canvas.rectangle((x + 98, y - 15, x + 304, y + 15), None, ink, 1)
    return canvas


def draw_table(rng: SampleRng, ledger: TableDocument) -> Canvas:
    """A table with an amount at the right."""
    face = rng.pick(FACES)
    widths = [180] * len(ledger.heads) + [100]
    canvas = Canvas(sum(widths) + 40, 70 + 38 * len(ledger.rows), rng.pick(BACKGROUNDS))
    striped = rng.chance()
    right, x = 20 + sum(widths), 20
    canvas.rectangle((20, 16, right, 50), rng.pick(("#34495e", "#5a4a3a", "#2f5d50")))
    for k in range(len(ledger.rows)):
        top = 50 + 38 * k
        if striped and k % 2:
            canvas.rectangle((20, top, right, top + 38), "#e3e8ec")
        canvas.line([(20, top + 38), (right, top + 38)], "#b5bcc2", 1)
    columns = [*zip(*ledger.rows, strict=True), tuple(f"{amount:.2f}" for amount in ledger.amounts)]
    for head, cells, width in zip((*ledger.heads, ledger.amount_head), columns, widths, strict=True):
        canvas.text((x + 8, 33), head, TextStyle(size=15, colour="#ffffff", face="bold", anchor="lm"))
        for k, cell in enumerate(cells):
            canvas.text(
                (x + 8, 69 + 38 * k),
                cell,
                TextStyle(size=_fitting_size(cell, face, width - 16), face=face, anchor="lm"),
            )
        x += width
    return canvas


def _fitting_size(text: str, face: str, width: float) -> int:
    """The largest size up to 16 at which a text fits."""
    return next((size for size in range(16, 9, -1) if text_width(text, face, size) <= width), 9)
